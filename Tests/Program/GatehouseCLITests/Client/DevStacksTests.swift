import Foundation
import GatehouseCLI
import TestSupport
import Testing

@Suite("Finding a dev stack")
struct DevStacksTests {
    private static func stack(_ port: Int) -> RunningStack {
        RunningStack(url: "http://127.0.0.1:\(port)", publishableKey: "key\(port)", folder: "/p\(port)/.gatehouse")
    }

    /// - Parameter files: By path.
    private func stacks(_ folder: String, _ files: [String: RunningFile.Content]) throws -> DevStacks {
        // The state folder is on the disk; the test supplies its files' contents.
        let scratch = try Scratch()
        for path in files.keys where path.hasPrefix("state/") { try scratch.write("", to: path) }
        var stacks = DevStacks(folder: folder, stateFolder: scratch.path + "/state")
        stacks.read = { [scratch] path in files[path.replacing(scratch.path + "/", with: "")] ?? .absent }
        return stacks
    }

    @Test("The nearest folder's stack comes first")
    func nearest() throws {
        let files: [String: RunningFile.Content] = [
            "/p/.gatehouse/running.json": .running(Self.stack(1)),
            "/p/q/.gatehouse/running.json": .running(Self.stack(2)),
            "state/a.json": .running(Self.stack(3)), "state/b.json": .running(Self.stack(4)),
        ]
        #expect(try stacks("/p/q/r/s", files).find() == Self.stack(2))
        #expect(try stacks("/p", files).find() == Self.stack(1))
    }

    @Test("Elsewhere the only running one is found, whatever crashed before")
    func only() throws {
        let files: [String: RunningFile.Content] = [
            "state/a.json": .stale(Self.stack(3)), "state/b.json": .running(Self.stack(4)),
        ]
        #expect(try stacks("/elsewhere", files).find() == Self.stack(4))
        #expect(try stacks("/", files).find() == Self.stack(4))
        #expect(try stacks("", files).find() == Self.stack(4))
    }

    @Test("Several running stacks are ambiguous")
    func several() throws {
        let stacks = try stacks(
            "/", ["state/a.json": .running(Self.stack(3)), "state/b.json": .running(Self.stack(4))])
        let failure = #expect(throws: ClientFailure.self) { try stacks.find() }
        #expect(failure?.exit == .usage)
        #expect(failure?.message.contains("http://127.0.0.1:3") == true)
        #expect(failure?.message.contains("http://127.0.0.1:4") == true)
    }

    @Test(
        "A stopped stack is distinguished from none",
        arguments: [
            (["/p/.gatehouse/running.json": RunningFile.Content.stale(stack(1))], "dev_stack_ended"),
            (
                ["/p/.gatehouse/running.json": .stale(stack(1)), "state/b.json": .running(stack(4))],
                "dev_stack_ended"
            ),
            (["state/a.json": .stale(stack(3))], "dev_stack_ended"), ([:], "no_server"),
        ])
    func ended(files: [String: RunningFile.Content], code: String) throws {
        let stacks = try stacks("/p/q", files)
        #expect(throws: ClientFailure.self) { try stacks.find() }
        let failure = #expect(throws: ClientFailure.self) { try stacks.find() }
        #expect(failure?.code == code)
    }

    @Test("A named server gets only the key of the stack that runs there")
    func key() throws {
        let stacks = try stacks(
            "/p",
            [
                "/p/.gatehouse/running.json": .running(Self.stack(1)), "state/b.json": .running(Self.stack(2)),
                "state/c.json": .stale(Self.stack(3)),
            ])
        for (port, key) in [(1, "key1"), (2, "key2"), (3, nil), (4, nil)] {
            let url = try ClientTarget(address: "http://127.0.0.1:\(port)", key: "").url
            #expect(stacks.stack(at: url)?.publishableKey == key)
        }
    }
}

@Suite("The file with the address of a dev stack")
struct RunningFileTests {
    private let stack = RunningStack(url: "http://127.0.0.1:9999", publishableKey: "sb_publishable_x", folder: "/p")

    @Test("It is valid while its process runs, and is removed with it")
    func lifetime() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/running.json"
        #expect(RunningFile.read(path) == .absent)
        let file = try #require(RunningFile(stack, at: path))
        #expect(RunningFile.read(path) == .running(stack))
        #expect(try scratch.mode("running.json") == 0o600)
        file.withdraw()
        #expect(RunningFile.read(path) == .absent)
    }

    @Test("Without its process's lock it is stale, whatever its content")
    func stale() throws {
        let scratch = try Scratch()
        try scratch.write(stack.json, to: "running.json")
        #expect(RunningFile.read(scratch.path + "/running.json") == .stale(stack))
    }

    @Test("The next process replaces it, and the previous one does not remove it")
    func replaced() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/running.json"
        let first = try #require(RunningFile(stack, at: path))
        let next = RunningStack(url: "http://127.0.0.1:1", publishableKey: "k", folder: "/p")
        _ = try #require(RunningFile(next, at: path))
        first.withdraw()
        #expect(RunningFile.read(path) == .running(next))
    }

    @Test("A file that another user could write is ignored", arguments: [0o620, 0o602, 0o666])
    func writable(mode: Int) throws {
        let scratch = try Scratch()
        try scratch.write(stack.json, to: "running.json", mode: mode)
        #expect(RunningFile.read(scratch.path + "/running.json") == .absent)
    }

    @Test(
        "A malformed file is ignored", arguments: ["", "{}", "[]", #"{"url":"http://127.0.0.1:1"}"#, "\u{1}"])
    func damaged(text: String) throws {
        let scratch = try Scratch()
        try scratch.write(text, to: "running.json")
        #expect(RunningFile.read(scratch.path + "/running.json") == .absent)
    }

    @Test("A folder, a link and an endless file are ignored")
    func others() throws {
        let scratch = try Scratch()
        #expect(RunningFile.read(scratch.path) == .absent)
        try scratch.write(stack.json, to: "there")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path + "/link", withDestinationPath: scratch.path + "/there")
        #expect(RunningFile.read(scratch.path + "/link") == .absent)
        try scratch.write(stack.json + String(repeating: " ", count: 70_000), to: "long")
        #expect(RunningFile.read(scratch.path + "/long") == .absent)
    }
}
