import Foundation
import Gatehouse
import Synchronization

struct TestFolder: Sendable {
    let url: URL
    var path: String { url.path }

    static func with(_ test: (TestFolder) async throws -> Void) async throws {
        var template = Array((FileManager.default.temporaryDirectory.path + "/gatehouse-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw DiskFull() }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = TestFolder(url: URL(fileURLWithPath: path, isDirectory: true))
        do {
            try await test(folder)
        } catch {
            try FileManager.default.removeItem(at: folder.url)
            throw error
        }
        try FileManager.default.removeItem(at: folder.url)
    }

    func below(_ name: String) -> String { path + "/" + name }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: below(name))[.posixPermissions] as? Int
    }

    func write(_ text: String, to name: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: below(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: below(name))
    }

    /// A shell writes the program: a concurrent test's child could inherit the descriptor from this process, and the
    /// program could not start at that moment.
    func install(_ program: String, as name: String) async throws {
        let (shell, ended) = (Process(), AsyncStream<Never>.makeStream())
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", #"printf %s "$1" > "$0" && chmod 700 "$0""#, below(name), program]
        shell.terminationHandler = { _ in ended.continuation.finish() }
        try shell.run()
        for await _ in ended.stream {}
        guard shell.terminationStatus == 0 else { throw DiskFull() }
    }

    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: below(name))), as: UTF8.self)
    }

    func names(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: below(name)).sorted()
    }
}

/// Moves only during sleeps. A sleep as long as a time limit lasts until cancelled, unless limits expire.
final class LimitClock: Sendable {
    private struct State {
        var uptime = Duration.zero
        var sleeps: [Duration] = []
    }

    private let state = Mutex(State())
    private let limit: Duration?
    private let wall: Date

    init(limit: Duration? = .seconds(5), wall: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
        self.limit = limit
        self.wall = wall
    }

    var sleeps: [Duration] { state.withLock { $0.sleeps } }
    func advance(by duration: Duration) { state.withLock { $0.uptime += duration } }

    var clock: ClientClock {
        ClientClock(
            now: { [wall] in wall }, uptime: { [self] in state.withLock { $0.uptime } },
            sleep: { [self] duration in
                try Task.checkCancellation()
                if let limit, duration >= limit {
                    for await _ in AsyncStream<Never>.makeStream().stream {}
                    throw CancellationError()
                }
                state.withLock { state in
                    state.uptime += duration
                    state.sleeps.append(duration)
                }
                await Task.yield()
            })
    }
}
