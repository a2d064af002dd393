import PostgresDriver
import SQLDatabase
import Synchronization
import TestDatabases
import Testing

extension Trait where Self == ConditionTrait {
    /// Without PostgreSQL these tests are skipped with a message.
    static var needsServer: Self { .enabled("needs PostgreSQL: initdb and postgres") { TestCluster.programs != nil } }
}

/// Several databases of a test can open the schema, like nodes.
final class Bench: Sendable {
    let cluster: TestCluster
    let schema: String

    init() async throws {
        cluster = try TestCluster.running()
        await cluster.takePlace()
        schema = try await cluster.makeSchema()
    }

    deinit {
        Task { [cluster, schema] in
            await cluster.drop(schema)
            cluster.givePlace()
        }
    }

    func open(
        _ connections: Int = 4, _ parameters: String = "",
        observe: @escaping @Sendable (DatabaseEvent) -> Void = { _ in },
        change: (inout PostgresSettings) -> Void = { _ in }, uptime now: (@Sendable () -> Duration)? = nil
    ) throws -> PostgresDatabase {
        var settings = PostgresSettings()
        settings.connections = connections
        // Concurrent tests on a busy machine delay each other.
        settings.waitLimit = .seconds(600)
        settings.statementLimit = .seconds(600)
        change(&settings)
        return try PostgresDatabase(
            cluster.url(schema: schema, parameters), settings: settings, uptime: now ?? uptime
        ) { event in
            // The schema stays as long as the database.
            withExtendedLifetime(self) { observe(event) }
        }
    }

    func openWithNotes(_ connections: Int = 4) async throws -> PostgresDatabase {
        let database = try open(connections)
        try await database.addNoteTable()
        return database
    }
}

extension Database {
    /// Waits until this many statements of `name` wait for a lock.
    func awaitLock(of name: String, statements: Int = 1) async throws {
        while try await lockWaits(of: name) < statements { await Task.yield() }
    }

    /// Of `name`, for another transaction.
    func lockWaits(of name: String) async throws -> Int64 {
        try await row(
            """
            SELECT count(*) FROM pg_stat_activity WHERE application_name = \(name) AND wait_event_type = 'Lock'
            """, { $0.int() }) ?? 0
    }

    /// Waits until they are closed.
    func endSessions(of name: String) async throws {
        let theirs: SQL = "FROM pg_stat_activity WHERE application_name = \(name)"
        _ = try await rowOfWrite("SELECT count(pg_terminate_backend(pid)) \(theirs)") { $0.int() }
        while try await rowOfWrite("SELECT count(*) \(theirs)", { $0.int() }) != 0 { await Task.yield() }
    }

    /// On a pooled connection.
    func rowOfWrite<Value: Sendable>(_ statement: SQL, _ decode: @escaping @Sendable (inout Row) -> Value) async throws
        -> Value?
    {
        try await write { db in try db.row(statement, decode) }
    }

    /// The server's process id.
    func process() async throws -> Int64 {
        try await write { db in try db.row("SELECT pg_backend_pid()") { $0.int() } ?? 0 }
    }
}

/// A clock that does not move.
final class StandingClock: Sendable {
    private let clock = Mutex(Duration.zero)

    var now: Duration { clock.withLock { $0 } }
    func advance(_ duration: Duration) { clock.withLock { $0 += duration } }
}

/// The observations, in order.
final class Told<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
    var all: [Element] { elements.withLock { $0 } }
}
