import Foundation
import GatehouseServer
import GatehouseWire

package struct MachineChecks {
    private static let gibibyte: UInt64 = 1 << 30

    package init() {}

    /// - Parameter paths: Only their owner should be able to read them.
    package func permissions(of paths: [String]) -> Finding {
        var open: [(path: String, isFolder: Bool)] = []
        for path in paths {
            var information = stat()
            guard stat(path, &information) == 0, information.st_mode & 0o077 != 0 else { continue }
            open.append((path, information.st_mode & S_IFMT == S_IFDIR))
        }
        guard !open.isEmpty else { return .ok("permissions", "only the owner can read secrets and accounts") }
        // Folders need the execute permission.
        let commands = [false, true].compactMap { isFolder in
            let paths = open.filter { $0.isFolder == isFolder }.map(\.path)
            return paths.isEmpty ? nil : ([isFolder ? "chmod 700" : "chmod 600"] + paths).joined(separator: " ")
        }
        return .warning(
            "permissions", "other users of this machine can read \(open.map(\.path).joined(separator: ", "))",
            commands.joined(separator: " && "))
    }

    func diskSpace(near path: String) -> Finding {
        var information = statvfs()
        let folder = (path as NSString).deletingLastPathComponent
        guard statvfs(folder.isEmpty ? "." : folder, &information) == 0 else {
            return .problem("disk", "the folder of \(path) does not exist", "create it, for the server's user only")
        }
        let free = UInt64(information.f_bavail) * UInt64(information.f_frsize)
        let text = "\(free / (1 << 20)) MiB free for \(path)"
        if free < Self.gibibyte / 10 { return .problem("disk", text, "free disk space: the next write may fail") }
        return free < Self.gibibyte ? .warning("disk", text, "free disk space") : .ok("disk", text)
    }

    func port(_ address: ListenAddress) -> Finding {
        switch FreePort.probe(address) {
        case .free: .ok("port", "\(address) is free")
        case .taken:
            .warning(
                "port", "\(address) is in use", "fine if this server is running; otherwise choose another port")
        case .refused(let reason): .problem("port", "\(address): \(reason)", "change listen, or host and port")
        }
    }

    /// - Parameter newest: The newest account's creation; an earlier clock was set back.
    func clock(now: Instant, newest: Instant?) -> Finding {
        let advice = "set the clock, preferably with a time service: tokens and sessions depend on it"
        if now < Self.firstRelease { return .problem("clock", "it shows \(now), before this release", advice) }
        if let newest, newest > now {
            return .problem("clock", "it shows \(now), before the newest account was created (\(newest))", advice)
        }
        return .ok("clock", "\(now)")
    }

    private static let firstRelease = Instant(seconds: 1_767_225_600)
}
