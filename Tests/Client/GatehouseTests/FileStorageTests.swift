import Foundation
import Gatehouse
import Synchronization
import Testing

@Suite("Files as a store")
struct FileStorageTests {
    private func storage(_ folder: TestFolder, clock: LimitClock = LimitClock()) -> FileStorage {
        FileStorage(folder: folder.url.appendingPathComponent("state/app"), clock: clock.clock)
    }

    @Test("A written value can be read by another process, in a file of mode 0600 in folders of mode 0700")
    func modes() async throws {
        try await TestFolder.with { folder in
            let storage = storage(folder)
            #expect(await storage.read("k.refresh-token") == .absent)
            try await storage.write([0, 1, 255], for: "k.refresh-token")
            try await storage.write([7], for: "k.access-token")
            try await storage.write([1, 2], for: "k.refresh-token")
            #expect(await self.storage(folder).read("k.refresh-token") == .value([1, 2]))
            #expect(try folder.mode("state") == 0o700)
            #expect(try folder.mode("state/app") == 0o700)
            #expect(try folder.mode("state/app/k.refresh-token") == 0o600)
            #expect(try folder.names("state/app") == ["k.access-token", "k.refresh-token"])
            try await storage.remove("k.refresh-token")
            try await storage.remove("k.refresh-token")
            #expect(await storage.read("k.refresh-token") == .absent)
            #expect(await storage.read("k.access-token") == .value([7]))
        }
    }

    @Test("A value longer than one read comes back whole")
    func long() async throws {
        try await TestFolder.with { folder in
            let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
            try await storage(folder).write(bytes, for: "k")
            #expect(await storage(folder).read("k") == .value(bytes))
        }
    }

    @Test("Modes that others widened are narrowed again")
    func widened() async throws {
        try await TestFolder.with { folder in
            try await storage(folder).write([1], for: "k")
            for (name, mode) in [("state/app", 0o755), ("state/app/k", 0o644)] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.below(name))
            }
            #expect(await storage(folder).read("k") == .value([1]))
            #expect(try folder.mode("state/app/k") == 0o600)
            try await storage(folder).write([2], for: "other")
            #expect(try folder.mode("state/app") == 0o700)
        }
    }

    @Test("A torn new file is never read, and is removed after an hour")
    func torn() async throws {
        try await TestFolder.with { folder in
            try await storage(folder).write([1], for: "k")
            try folder.write("half a ses", to: "state/app/.new-k-AbCdEf")
            #expect(await storage(folder).read("k") == .value([1]))
            #expect(await storage(folder).read(".new-k-AbCdEf") == .unavailable("NSPOSIXErrorDomain 22"))
            let recent = LimitClock(wall: try modified(folder.below("state/app/.new-k-AbCdEf")) + 3_500)
            try await storage(folder, clock: recent).write([2], for: "k")
            #expect(try folder.names("state/app") == [".new-k-AbCdEf", "k"])
            let later = LimitClock(wall: try modified(folder.below("state/app/.new-k-AbCdEf")) + 3_700)
            try await storage(folder, clock: later).write([3], for: "k")
            #expect(try folder.names("state/app") == ["k"])
        }
    }

    private func modified(_ path: String) throws -> Date {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
    }

    @Test("An unreadable file is unavailable and is never replaced", arguments: ["folder", "link", "pipe", "too big"])
    func unreadable(_ fault: String) async throws {
        try await TestFolder.with { folder in
            let storage = storage(folder)
            try await storage.write([1], for: "other")
            let entry = folder.below("state/app/k")
            switch fault {
            case "folder": try FileManager.default.createDirectory(atPath: entry, withIntermediateDirectories: false)
            case "link":
                try FileManager.default.createSymbolicLink(
                    atPath: entry, withDestinationPath: folder.below("state/app/other"))
            case "pipe": try #require(mkfifo(entry, 0o600) == 0)
            default: try Data(count: 1 << 20 + 1).write(to: URL(fileURLWithPath: entry))
            }
            guard case .unavailable(let problem) = await storage.read("k") else {
                Issue.record("it was read")
                return
            }
            #expect(problem.detail.hasPrefix("NSPOSIXErrorDomain "))
            let before = try FileManager.default.attributesOfItem(atPath: entry)[.type] as? FileAttributeType
            await #expect(throws: (any Error).self) { try await storage.write([2], for: "k") }
            #expect(try FileManager.default.attributesOfItem(atPath: entry)[.type] as? FileAttributeType == before)
            #expect(await storage.read("other") == .value([1]))
            #expect(try folder.names("state/app") == ["k", "other"])
        }
    }

    @Test("A file that this user may not read is unavailable", .enabled(if: geteuid() != 0, "root reads everything"))
    func forbidden() async throws {
        try await TestFolder.with { folder in
            try await storage(folder).write([1], for: "k")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0], ofItemAtPath: folder.below("state/app/k"))
            let problem = StoreProblem("NSPOSIXErrorDomain 13", cause: .notPermitted)
            #expect(await storage(folder).read("k") == .unavailable(problem))
            #expect(storage(folder).readNow("k") == .unavailable(problem))
            await #expect(throws: (any Error).self) { try await storage(folder).write([2], for: "k") }
        }
    }

    @Test("A key that is no file name is refused", arguments: ["", "../k", "a/b", ".lock", "..", "a b", "é"])
    func keys(_ key: String) async throws {
        try await TestFolder.with { folder in
            #expect(await storage(folder).read(key) == .unavailable("NSPOSIXErrorDomain 22"))
            await #expect(throws: (any Error).self) { try await storage(folder).write([1], for: key) }
        }
    }

    @Test("The use of files is logged once")
    func notice() async throws {
        try await TestFolder.with { folder in
            let heard = Mutex<[StorageNotice]>([])
            let storage = FileStorage(folder: folder.url) { notice in heard.withLock { $0.append(notice) } }
            #expect(heard.withLock { $0 } == [])
            _ = await storage.read("a")
            try await storage.write([1], for: "a")
            _ = await storage.read("a")
            #expect(heard.withLock { $0 } == [.usesFiles(folder: folder.path)])
        }
    }

    @Test("The user's state folder follows the XDG rules")
    func stateFolder() {
        let home = ["HOME": "/home/ada"]
        #expect(FileStorage.userFolder(name: "app", environment: home).path == "/home/ada/.local/state/app")
        let given = home.merging(["XDG_STATE_HOME": "/var/ada"]) { $1 }
        #expect(FileStorage.userFolder(name: "app", environment: given).path == "/var/ada/app")
        let relative = home.merging(["XDG_STATE_HOME": "state"]) { $1 }
        #expect(FileStorage.userFolder(name: "app", environment: relative).path == "/home/ada/.local/state/app")
    }

    @Test("Under the lock one user of a folder runs at a time")
    func lock() async throws {
        try await TestFolder.with { folder in
            let (crowd, clock) = (Crowd(), LimitClock())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    // A waiting poll takes no time by this clock: the usual limit would end on a busy machine.
                    let storage = FileStorage(
                        folder: folder.url, clock: clock.clock, lockLimit: .seconds(1_000_000_000))
                    for _ in 0..<5 { group.addTask { try await storage.withLock { await crowd.visit() } } }
                }
                try await group.waitForAll()
            }
            #expect(await crowd.most == 1)
        }
    }

    /// Records the highest number of concurrent users.
    private actor Crowd {
        private var inside = 0
        private(set) var most = 0

        func visit() async {
            inside += 1
            most = max(most, inside)
            for _ in 0..<20 { await Task.yield() }
            inside -= 1
        }
    }

    @Test("A lock of another process is awaited until the limit, and is free when that process ends")
    func otherProcess() async throws {
        try await TestFolder.with { folder in
            let app = folder.below("state/app")
            try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
            // No pipes and no wait for its end: concurrent tests' children may keep either open.
            let holder = Process()
            holder.executableURL = URL(fileURLWithPath: "/bin/sh")
            holder.arguments = ["-c", #"exec 9> .lock; flock 9; echo > held; exec sleep infinity"#]
            holder.currentDirectoryURL = URL(fileURLWithPath: app)
            holder.standardInput = FileHandle.nullDevice
            holder.standardOutput = FileHandle.nullDevice
            holder.standardError = FileHandle.nullDevice
            try holder.run()
            await until { FileManager.default.fileExists(atPath: app + "/held") }
            let clock = LimitClock()
            await #expect(throws: NSError(domain: NSPOSIXErrorDomain, code: Int(ETIMEDOUT))) {
                try await storage(folder, clock: clock).withLock { Issue.record("it ran") }
            }
            #expect(clock.sleeps.reduce(.zero, +) >= .seconds(120))
            kill(holder.processIdentifier, SIGKILL)
            // Ignored: the call fails until the system has ended the process.
            await until { (try? await storage(folder).withLock { true }) ?? false }
        }
    }
}
