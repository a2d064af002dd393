import Foundation
import Gatehouse
import GatehouseDesktop
import Synchronization
import Testing

@Suite("Choosing the store for the system", .enabled(if: isLinux, "elsewhere it is the keychain"))
struct DesktopStorageTests {
    private func with(_ test: (FakeSecretTool, Desktop) async throws -> Void) async throws {
        try await TestFolder.with { folder in
            let tool = try await FakeSecretTool(in: folder)
            try await test(tool, Desktop(environment: tool.environment))
        }
    }

    /// Starts the app repeatedly, and records its notices.
    private final class Desktop: Sendable {
        private let heard = Mutex<[StorageNotice]>([])
        let environment: [String: String]

        init(environment: [String: String]) { self.environment = environment }

        var notices: [StorageNotice] { heard.withLock { $0 } }

        func start(without name: String? = nil) -> any SecureStorage {
            DesktopStorage.make(
                name: "app", environment: environment.filter { $0.key != name }, clock: HandClock().clock,
                notice: { [self] notice in heard.withLock { $0.append(notice) } })
        }
    }

    private let files = ".local/state/app"

    @Test("B5: A working service is used; a guest's start does not call it")
    func service() async throws {
        try await with { tool, desktop in
            #expect(await desktop.start().read("k") == .absent)
            try await desktop.start().remove("k")
            #expect(try tool.calls().isEmpty)
            try await desktop.start().write([1], for: "k")
            #expect(await desktop.start().read("k") == .value([1]))
            #expect(desktop.start().readNow("k") == nil && desktop.start().readNow("other") == .absent)
            #expect(try tool.items().count == 1)
            #expect(desktop.notices.isEmpty)
        }
    }

    @Test(
        "B5: Without a bus or the tool, or with a broken service, files are used, and the log says so",
        arguments: [
            "no bus", "no tool", "fails", "is locked", "forgets",
        ])
    func fallsBack(_ fault: String) async throws {
        try await with { tool, desktop in
            var missing: String?
            switch fault {
            case "no bus": missing = "DBUS_SESSION_BUS_ADDRESS"
            case "no tool": try FileManager.default.removeItem(atPath: tool.folder.below("secret-tool"))
            default: try tool.meet(fault)
            }
            try await desktop.start(without: missing).write([1], for: "k")
            #expect(try tool.folder.mode(files + "/k") == 0o600)
            #expect(desktop.start(without: missing).readNow("k") == .value([1]))
            #expect(await desktop.start(without: missing).read("k") == .value([1]))
            #expect(Set(desktop.notices) == [.usesFiles(folder: tool.folder.below(files))])
        }
    }

    @Test("B5: A silent service with a session is unavailable: no sign-out, no second session")
    func noAnswer() async throws {
        try await with { tool, desktop in
            try await desktop.start().write([1], for: "k")
            for missing in [nil, "DBUS_SESSION_BUS_ADDRESS", "PATH"] {
                try tool.meet("is locked")
                let storage = desktop.start(without: missing)
                guard case .unavailable = await storage.read("k") else {
                    Issue.record("signed out")
                    return
                }
                await #expect(throws: StoreProblem.self) { try await storage.write([2], for: "k") }
            }
            try tool.meet(nil)
            #expect(await desktop.start().read("k") == .value([1]))
            #expect(desktop.notices.isEmpty)
        }
    }

    @Test("A session in files stays there when a service appears, until it is removed")
    func stays() async throws {
        try await with { tool, desktop in
            try await desktop.start(without: "DBUS_SESSION_BUS_ADDRESS").write([1], for: "k")
            let storage = desktop.start()
            #expect(await storage.read("k") == .value([1]))
            try await storage.write([2], for: "k")
            #expect(try tool.items().isEmpty)
            try await storage.remove("k")
            #expect(await storage.read("k") == .absent)
            try await storage.write([3], for: "k")
            #expect(await desktop.start().read("k") == .value([3]))
            #expect(try tool.items().count == 1)
            #expect(!FileManager.default.fileExists(atPath: tool.folder.below(files + "/k")))
        }
    }

    @Test("A service that will not return can be given up")
    func forget() async throws {
        try await with { tool, desktop in
            try await desktop.start().write([1], for: "k")
            try FileManager.default.removeItem(atPath: tool.folder.below("secret-tool"))
            await #expect(throws: StoreProblem.self) { try await desktop.start().remove("k") }
            try DesktopStorage.forgetSecretService(name: "app", environment: desktop.environment)
            #expect(await desktop.start().read("k") == .absent)
            try await desktop.start().write([2], for: "k")
            #expect(await desktop.start().read("k") == .value([2]))
        }
    }

    @Test("Processes that write first concurrently decide the same")
    func together() async throws {
        try await with { tool, desktop in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    let storage = desktop.start(without: number % 2 == 0 ? nil : "DBUS_SESSION_BUS_ADDRESS")
                    group.addTask {
                        // A process without a bus cannot follow one with a bus; it must not use another store.
                        do { try await storage.write([1], for: "k\(number)") } catch is StoreProblem { return }
                    }
                }
                try await group.waitForAll()
            }
            let inFiles = try tool.folder.names(files).filter { !$0.hasPrefix(".") }.count
            let kept = [try tool.items().count, inFiles]
            #expect([[6, 0], [0, 6]].contains(kept))
        }
    }

    @Test("A session survives a restart in it, and a sign-out ends it")
    func client() async throws {
        try await TestFolder.with { folder in
            let tool = try await FakeSecretTool(in: folder)
            let desktop = Desktop(environment: tool.environment)
            try await World.with(storage: desktop.start()) { world in
                let session = try await world.signUp()
                let again = try World(world.server, storage: desktop.start())
                #expect(await again.client.currentSession?.refreshToken == session.refreshToken)
                try tool.meet("is locked")
                let locked = try World(world.server, storage: desktop.start())
                #expect(await locked.client.state == .restoring)
                try tool.meet(nil)
                try await again.client.signOut()
                #expect(try tool.items().isEmpty)
            }
        }
    }
}

/// Tests do not use the system keychain.
private let isLinux = FileManager.default.fileExists(atPath: "/proc/self")
