import Foundation
package import PostgresDriver
import SQLDatabase
import Synchronization

/// A PostgreSQL server for this run, started on first use. `Scripts/test-cluster` ends it and removes its files when
/// this process ends, in any way.
package final class TestCluster: Sendable {
    /// With `initdb` and `postgres`; nil without PostgreSQL.
    package static let programs: String? = findPrograms()
    private static let started = Result { try TestCluster() }

    /// - Throws: If it did not start.
    package static func running() throws -> TestCluster { try started.get() }

    private let folder: String
    /// Its standard input keeps the server running.
    private let guardian: Process
    private let administration: PostgresDatabase
    private let lastName = Atomic<Int>(0)
    private let places = Places(24)

    private init() throws {
        guard let programs = Self.programs else { throw NoServer() }
        let name = "gh-\(UUID().uuidString.prefix(8))"
        folder = FileManager.default.temporaryDirectory.appending(path: name).path()
        let script = URL(filePath: #filePath).appending(path: "../../../../Scripts/test-cluster").standardized
        let (input, output) = (Pipe(), Pipe())
        guardian = Process()
        guardian.executableURL = script
        guardian.arguments = [programs, folder]
        guardian.standardInput = input
        // No other program of a test may keep the pipe open after this one.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        guardian.standardOutput = output
        try guardian.run()
        // If the server did not start, this ends early, with the reason on standard error.
        guard output.fileHandleForReading.availableData.starts(with: Array("ready".utf8)) else { throw NoServer() }
        var settings = PostgresSettings.patient
        settings.connections = 2
        administration = try PostgresDatabase(
            ConnectionURL("postgres:///postgres?host=\(folder)&user=gatehouse"), settings: settings, uptime: uptime)
    }

    /// - Parameter parameters: Of the URL: `&name=value`.
    package func url(schema: String, _ parameters: String = "") throws -> ConnectionURL {
        try ConnectionURL(urlText(schema: schema, parameters))
    }

    package func urlText(schema: String, _ parameters: String = "") -> String {
        "postgres:///postgres?host=\(folder)&user=gatehouse&options=-csearch_path%3D\(schema)\(parameters)"
    }

    /// Waits while too many tests have a schema.
    package func takePlace() async { await places.take() }

    package func givePlace() { places.give() }

    /// A new, empty schema.
    package func makeSchema() async throws -> String {
        let schema = newName("test")
        try await administer("CREATE SCHEMA \(schema)")
        return schema
    }

    /// Unique in this server.
    package func newName(_ prefix: String) -> String {
        "\(prefix)_\(lastName.add(1, ordering: .relaxed).newValue)"
    }

    package func drop(_ schema: String) async {
        // Ignored: a remaining schema is removed with the cluster.
        try? await administer("DROP SCHEMA \(schema) CASCADE")
    }

    /// As the server's superuser.
    package func administer(_ text: String) async throws {
        try await administration.write { db in _ = try db.run(SQL(stringLiteral: text)) }
    }

    /// The first column of a query.
    func texts(_ text: String) async throws -> [String] {
        try await administration.rows(SQL(stringLiteral: text)) { $0.text() }
    }

    private static func findPrograms() -> String? {
        let files = FileManager.default
        var folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        // Debian and Homebrew install them by version.
        let kept = [
            ("/usr/lib/postgresql", ""), ("/opt/homebrew/opt", "postgresql@"), ("/usr/local/opt", "postgresql@"),
        ]
        for (folder, prefix) in kept {
            // Ignored: the folder is usually missing.
            let names = (try? files.contentsOfDirectory(atPath: folder)) ?? []
            let versions = names.filter { $0.hasPrefix(prefix) }.compactMap { Int($0.dropFirst(prefix.count)) }
            folders += versions.sorted(by: >).map { "\(folder)/\(prefix)\($0)/bin" }
        }
        return folders.first { folder in
            ["initdb", "postgres", "pg_isready"].allSatisfy { files.isExecutableFile(atPath: "\(folder)/\($0)") }
        }
    }

    package struct NoServer: Error {}
}

extension PostgresSettings {
    /// Concurrent tests on a busy machine delay each other.
    static var patient: Self {
        var settings = PostgresSettings()
        settings.waitLimit = .seconds(600)
        settings.statementLimit = .seconds(600)
        return settings
    }
}

/// A clock for time limits.
package let uptime: @Sendable () -> Duration = {
    let start = ContinuousClock.now
    return { start.duration(to: .now) }
}()

/// Limits concurrency; further callers wait, in order.
final class Places: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    func take() async {
        await withCheckedContinuation { caller in
            let isIn = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(caller)
                return false
            }
            if isIn { caller.resume() }
        }
    }

    func give() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
