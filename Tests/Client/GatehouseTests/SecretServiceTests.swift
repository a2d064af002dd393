import Foundation
import Gatehouse
import GatehouseDesktop
import Testing

@Suite("The secret service as a store")
struct SecretServiceTests {
    private func with(_ test: (FakeSecretTool, SecretServiceStorage) async throws -> Void) async throws {
        try await TestFolder.with { folder in
            let tool = try await FakeSecretTool(in: folder)
            try await test(tool, tool.storage())
        }
    }

    private func bytes(_ count: Int, seed: UInt8 = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) ^ seed }
    }

    @Test("B5: Another process can read and remove a written value")
    func roundTrip() async throws {
        try await with { tool, storage in
            #expect(await storage.read("k.refresh-token") == .absent)
            try await storage.write([0, 1, 255], for: "k.refresh-token")
            try await storage.write([7], for: "k.access-token")
            try await storage.write([1, 2], for: "k.refresh-token")
            #expect(await tool.storage().read("k.refresh-token") == .value([1, 2]))
            #expect(try tool.items().count == 2)
            try await storage.remove("k.refresh-token")
            try await storage.remove("k.refresh-token")
            #expect(await tool.storage().read("k.refresh-token") == .absent)
            #expect(await tool.storage().read("k.access-token") == .value([7]))
            #expect(try tool.items().count == 1)
        }
    }

    @Test("B5: No secret is in an argument, in the environment, or in one of our files")
    func secrecy() async throws {
        try await with { tool, storage in
            let secret = "correct-horse-battery-staple"
            try await storage.write(Array(secret.utf8), for: "k")
            #expect(await storage.read("k") == .value(Array(secret.utf8)))
            let encoded = Data(secret.utf8).base64EncodedString().prefix(32)
            for file in ["calls", "environment", "state/k"] {
                let text = try tool.folder.text(file)
                #expect(!text.contains(secret) && !text.contains(encoded), "\(file)")
            }
            #expect(try tool.folder.text("items/" + tool.items()[0]).contains(encoded))
            #expect(try tool.folder.mode("state/k") == 0o600)
            #expect(try tool.folder.mode("state") == 0o700)
        }
    }

    @Test(
        "A value of any size round-trips, in items of at most 8,191 bytes",
        arguments: [
            (bytes: 0, items: 1), (5_999, 1), (6_000, 1), (6_001, 2), (30_000, 5),
        ])
    func sizes(_ size: (bytes: Int, items: Int)) async throws {
        try await with { tool, storage in
            let value = bytes(size.bytes)
            try await storage.write(value, for: "k")
            #expect(await storage.read("k") == .value(value))
            let items = try tool.items()
            #expect(items.count == size.items)
            for item in items { #expect(try tool.folder.text("items/" + item).utf8.count <= 8_191) }
        }
    }

    @Test("A value that is too large is refused, and the old one stays")
    func tooLarge() async throws {
        try await with { _, storage in
            try await storage.write([1], for: "k")
            await #expect(throws: NSError(domain: NSPOSIXErrorDomain, code: Int(EFBIG))) {
                try await storage.write(self.bytes(384_001), for: "k")
            }
            #expect(await storage.read("k") == .value([1]))
        }
    }

    @Test("An empty store asks no service")
    func absent() async throws {
        try await with { tool, storage in
            try tool.meet("fails")
            #expect(await storage.read("k") == .absent)
            #expect(storage.readNow("k") == .absent)
            try await storage.remove("k")
            #expect(try tool.calls().isEmpty)
            #expect(!FileManager.default.fileExists(atPath: tool.folder.below("state")))
        }
    }

    @Test(
        "B5: A service that does not answer is unavailable, never absent",
        arguments: [
            ("fails", "secret-tool lookup: exit 1"),
            ("is locked", "secret-tool: locked, or removed by another program"),
            ("is garbled", "secret-tool: not what was stored"),
            ("floods", "secret-tool lookup: an answer too long"),
        ])
    func unavailable(_ fault: String, _ reason: String) async throws {
        try await with { tool, storage in
            try await storage.write([1], for: "k")
            try tool.meet(fault)
            let cause: StoreProblem.Cause = fault == "is locked" ? .locked : .other
            #expect(await storage.read("k") == .unavailable(StoreProblem(reason, cause: cause)))
            #expect(storage.readNow("k") == nil)
            try tool.meet(nil)
            #expect(await storage.read("k") == .value([1]))
        }
    }

    @Test("A missing tool, and one that cannot start, are unavailable")
    func noTool() async throws {
        try await with { tool, storage in
            try await storage.write([1], for: "k")
            try await tool.folder.install("no program", as: "secret-tool")
            #expect(await storage.read("k") == .unavailable("secret-tool lookup: not started, error 8"))
            let other = SecretServiceStorage(
                name: "app", folder: tool.folder.url.appendingPathComponent("state"), environment: ["PATH": "/none"])
            #expect(await other.read("k") == .unavailable("secret-tool is not installed"))
            await #expect(throws: StoreProblem.self) { try await other.write([2], for: "k") }
        }
    }

    @Test(
        "A failed write keeps the old value, and the next one leaves nothing of it behind",
        arguments: [
            "fails", "is locked", "forgets", "cuts", "breaks at part 1",
        ])
    func failedWrite(_ fault: String) async throws {
        try await with { tool, storage in
            try await storage.write(bytes(7_000), for: "k")
            try tool.meet(fault)
            await #expect(throws: StoreProblem.self) {
                try await storage.write(self.bytes(7_000, seed: 1), for: "k")
            }
            try tool.meet(nil)
            #expect(await storage.read("k") == .value(bytes(7_000)))
            try await storage.write([2], for: "k")
            #expect(await storage.read("k") == .value([2]))
            #expect(try tool.items().count == 1)
        }
    }

    @Test(
        "A foreign index is unavailable and is not replaced; signing out removes it",
        arguments: [
            "", "1", "2 a 00 1 1", "1 c 00 1 1", "1 a 00 0 1", "1 a 00 65 1", "1 a 00 1 -1", "1 a 00 1",
        ])
    func damagedIndex(_ text: String) async throws {
        try await with { tool, storage in
            try await storage.write([1], for: "k")
            try tool.folder.write(text, to: "state/k")
            #expect(await storage.read("k") == .unavailable("no index"))
            await #expect(throws: StoreProblem("no index")) { try await storage.write([2], for: "k") }
            try await storage.remove("k")
            #expect(await storage.read("k") == .absent)
            #expect(try tool.items().isEmpty)
        }
    }

    @Test("A removal that the service refuses leaves the value")
    func failedRemoval() async throws {
        try await with { tool, storage in
            try await storage.write([1], for: "k")
            try tool.meet("fails")
            await #expect(throws: StoreProblem("secret-tool clear: exit 1")) {
                try await storage.remove("k")
            }
            try tool.meet(nil)
            #expect(await storage.read("k") == .value([1]))
        }
    }

    @Test("A locked collection allows a sign-out: its values never return, and the next write removes them")
    func lockedRemoval() async throws {
        try await with { tool, storage in
            try await storage.write([1], for: "k")
            try tool.meet("is locked")
            try await storage.remove("k")
            try tool.meet(nil)
            #expect(await storage.read("k") == .absent)
            #expect(try tool.items().count == 1)
            try await storage.write([2], for: "k")
            #expect(try tool.items().count == 1)
            #expect(await storage.read("k") == .value([2]))
        }
    }

    @Test("A removal interrupted by a crash stays a removal")
    func cutRemoval() async throws {
        try await with { tool, storage in
            try await storage.write([1], for: "k")
            try tool.folder.write("1 leaving", to: "state/k")
            #expect(await storage.read("k") == .absent)
            try await storage.write([2], for: "k")
            #expect(await storage.read("k") == .value([2]))
            #expect(try tool.items().count == 1)
        }
    }

    @Test("A reader beside a writer sees one of the two values, never a mixture")
    func readersAndWriters() async throws {
        try await with { tool, storage in
            let values = [bytes(7_000, seed: 1), bytes(13_000, seed: 2)]
            try await storage.write(values[0], for: "k")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let writer = tool.storage()
                    for round in 1...8 { try await writer.write(values[round % 2], for: "k") }
                }
                for _ in 0..<2 {
                    group.addTask {
                        for _ in 0..<15 {
                            guard case .value(let value) = await storage.read("k") else { throw ConnectionLost() }
                            #expect(values.contains(value))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try tool.items().count == 2)
        }
    }

    @Test("A write continues although its task was cancelled while it waited")
    func cancelledWrite() async throws {
        try await with { tool, storage in
            try await storage.write([1], for: "k")
            let other = open(tool.folder.below("state/.changes"), O_RDWR | O_CLOEXEC)
            defer { close(other) }
            try #require(flock(other, LOCK_EX | LOCK_NB) == 0)
            let (hand, hasEnded) = (HandClock(), Locked(false))
            let task = Task {
                defer { hasEnded.withLock { $0 = true } }
                withUnsafeCurrentTask { $0?.cancel() }
                try await tool.storage(clock: hand.clock).write([2], for: "k")
            }
            await until { hand.shortWaits > 0 || hasEnded.withLock { $0 } }
            flock(other, LOCK_UN)
            try await task.value
            #expect(await storage.read("k") == .value([2]))
        }
    }
}
