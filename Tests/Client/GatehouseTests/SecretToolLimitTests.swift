import Foundation
import Gatehouse
import GatehouseDesktop
import Testing

@Suite("A hanging secret-tool")
struct SecretToolLimitTests {
    @Test("B5: At the time limit it is ended with all its children, and reaped", arguments: ["hangs", "hangs hard"])
    func hanging(_ fault: String) async throws {
        try await TestFolder.with { folder in
            let (tool, hand) = (try await FakeSecretTool(in: folder), HandClock())
            try await tool.storage().write([1], for: "k")
            // While the other end is open, its process is alive.
            try #require(mkfifo(folder.below("alive"), 0o600) == 0)
            let alive = open(folder.below("alive"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            defer { close(alive) }
            try tool.meet(fault)
            let answer = Task { await tool.storage(clock: hand.clock).read("k") }
            await until { FileManager.default.fileExists(atPath: folder.below("pid")) && hand.waitingCount > 0 }
            #expect(!hasEnd(alive))
            hand.strike()
            #expect(await answer.value == .unavailable("secret-tool lookup: no answer in time"))
            // A killed process ends a moment later.
            await until { hasEnd(alive) }
            let child = try #require(pid_t(folder.text("pid").trimmingCharacters(in: .newlines)))
            // A zombie would still accept a signal.
            #expect(kill(child, 0) == -1)
            #expect(errno == ESRCH)
        }
    }

    private func hasEnd(_ pipe: Int32) -> Bool {
        var byte: UInt8 = 0
        return Foundation.read(pipe, &byte, 1) == 0
    }

    @Test("A hanging write keeps the old value, and the next one works")
    func hangingWrite() async throws {
        try await TestFolder.with { folder in
            let (tool, hand) = (try await FakeSecretTool(in: folder), HandClock())
            try await tool.storage().write([1], for: "k")
            try #require(mkfifo(folder.below("alive"), 0o600) == 0)
            let alive = open(folder.below("alive"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            defer { close(alive) }
            try tool.meet("hangs")
            let writing = Task { try await tool.storage(clock: hand.clock).write([2], for: "k") }
            await until { FileManager.default.fileExists(atPath: folder.below("pid")) && hand.waitingCount > 0 }
            hand.strike()
            await #expect(throws: StoreProblem("secret-tool clear: no answer in time")) {
                try await writing.value
            }
            try tool.meet(nil)
            #expect(await tool.storage().read("k") == .value([1]))
            try await tool.storage().write([3], for: "k")
            #expect(await tool.storage().read("k") == .value([3]))
        }
    }

    @Test("A hundred runs leave no descriptor open")
    func descriptors() async {
        // In a separate process: concurrent tests also open descriptors.
        await #expect(processExitsWith: .success) {
            try await TestFolder.with { folder in
                let tool = try await FakeSecretTool(in: folder)
                let storage = tool.storage()
                try await storage.write([1], for: "k")
                try tool.meet("is locked")
                _ = await storage.read("k")
                let before = try openDescriptors()
                for _ in 0..<100 { _ = await storage.read("k") }
                // A timer keeps its own until its task has noticed the end.
                #expect(try openDescriptors() - before < 50)
            }
        }
    }

    @Test("Under the lock one user of a folder runs at a time")
    func lock() async throws {
        try await TestFolder.with { folder in
            let tool = try await FakeSecretTool(in: folder)
            let inside = Locked((now: 0, most: 0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await tool.storage().withLock {
                            inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                            for _ in 0..<20 { await Task.yield() }
                            inside.withLock { $0.now -= 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(inside.withLock { $0.most } == 1)
        }
    }

    @Test("A held lock does not keep a write from finishing")
    func writeUnderLock() async throws {
        try await TestFolder.with { folder in
            let storage = try await FakeSecretTool(in: folder).storage()
            try await storage.withLock { try await storage.write([1], for: "k") }
            #expect(await storage.read("k") == .value([1]))
        }
    }
}

private func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
}
