import Foundation
import GatehouseWire

/// Looks at the machine that the server runs on.
struct MachineChecks {
    private static let gibibyte: UInt64 = 1 << 30

    /// - Parameter files: what others than the owner should not read.
    func permissions(of files: [String]) -> Finding {
        let open = files.filter { file in
            var information = stat()
            return stat(file, &information) == 0 && information.st_mode & 0o077 != 0
        }
        guard !open.isEmpty else { return .ok("permissions", "secrets and accounts are for their owner alone") }
        return .warning(
            "permissions", "others on this machine can open \(open.joined(separator: ", "))",
            "chmod 600 \(open.joined(separator: " "))")
    }

    func diskSpace(near path: String) -> Finding {
        var information = statvfs()
        let folder = (path as NSString).deletingLastPathComponent
        guard statvfs(folder.isEmpty ? "." : folder, &information) == 0 else {
            return .problem("disk", "the folder of \(path) is not there", "make it, for the owner of the server alone")
        }
        let free = UInt64(information.f_bavail) * UInt64(information.f_frsize)
        let text = "\(free / (1 << 20)) MiB free beside \(path)"
        if free < Self.gibibyte / 10 { return .problem("disk", text, "make room: the next commit may fail") }
        return free < Self.gibibyte ? .warning("disk", text, "make room") : .ok("disk", text)
    }

    func port(_ address: ListenAddress) -> Finding {
        switch FreePort.probe(address) {
        case .free: .ok("port", "\(address) is free")
        case .taken:
            .warning(
                "port", "something listens on \(address) already", "fine if it is this server; else choose another")
        case .refused(let reason): .problem("port", "\(address): \(reason)", "change listen, or host and port")
        }
    }

    /// - Parameter newest: when the newest account was made; a clock before that was set back.
    func clock(now: Instant, newest: Instant?) -> Finding {
        let advice = "set the clock, best by a time service: tokens and sessions depend on it"
        if now < Self.firstRelease { return .problem("clock", "it shows \(now), before this program was made", advice) }
        if let newest, newest > now {
            return .problem("clock", "it shows \(now), before the newest account was made (\(newest))", advice)
        }
        return .ok("clock", "\(now)")
    }

    private static let firstRelease = Instant(seconds: 1_767_225_600)
}
