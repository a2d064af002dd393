import Dispatch
import PostgresDriver
import SQLDatabase
import Synchronization
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// Where PostgreSQL is not installed, these tests say so and are passed over.
    static var needsServer: Self { .enabled("needs PostgreSQL: initdb and postgres") { TestCluster.programs != nil } }
}

/// A schema that several databases of a test can open, as nodes do.
final class Bench: Sendable {
    let cluster: TestCluster
    let schema: String

    init() async throws {
        cluster = try TestCluster.running()
        schema = try await cluster.makeSchema()
    }

    deinit { Task { [cluster, schema] in await cluster.drop(schema) } }

    /// Opens it with a few connections, as another node.
    func open(
        _ connections: Int = 4, _ parameters: String = "",
        observe: @escaping @Sendable (DatabaseEvent) -> Void = { _ in },
        change: (inout PostgresSettings) -> Void = { _ in }
    ) throws -> PostgresDatabase {
        var settings = PostgresSettings()
        settings.connections = connections
        settings.waitLimit = .seconds(60)
        change(&settings)
        return try PostgresDatabase(
            cluster.url(schema: schema, parameters), settings: settings, uptime: uptime
        ) { event in
            // The schema stays as long as the database.
            withExtendedLifetime(self) { observe(event) }
        }
    }

    func openWithNotes(_ connections: Int = 4) async throws -> PostgresDatabase {
        let database = try open(connections)
        try await database.run("CREATE TABLE note (id \(.integer) PRIMARY KEY, text \(.text) NOT NULL) \(.table)")
        return database
    }
}

extension Database {
    /// One statement in a transaction of its own.
    func run(_ statement: SQL) async throws { try await write { db in _ = try db.run(statement) } }

    func addNote(_ id: Int, _ text: String = "") async throws {
        try await run("INSERT INTO note (id, text) VALUES (\(id), \(text))")
    }

    func noteIDs() async throws -> [Int] {
        try await read { db in try db.rows("SELECT id FROM note ORDER BY id") { Int($0.int(0)) } }
    }

    /// The connection that a body has, by the server's process.
    func process() async throws -> Int64 {
        try await write { db in try db.row("SELECT pg_backend_pid()") { $0.int(0) } ?? 0 }
    }
}

/// A write that has begun and goes on when a test says so.
struct HeldWrite {
    private let release = DispatchSemaphore(value: 0)
    private let began: AsyncStream<Void>
    private let task: Task<Void, any Error>

    init(_ database: any Database, _ body: @escaping @Sendable (any Connection) throws -> Void) {
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        self.began = began
        task = Task { [release] in
            let waits = Once()
            try await database.write { db in
                try body(db)
                guard waits.isFirst() else { return }
                begin.yield()
                release.wait()
            }
        }
    }

    /// Waits until the statements have run and the commit has not.
    func hasBegun() async { for await _ in began { return } }

    /// Lets it commit, and waits until it has.
    func finish() async throws {
        release.signal()
        try await task.value
    }
}

/// Counts from wherever it is told to.
final class Tally: Sendable {
    private let count = Mutex(0)

    @discardableResult func add() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
    var value: Int { count.withLock { $0 } }
}

/// What was told, in order.
final class Told<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
    var all: [Element] { elements.withLock { $0 } }
}

/// Says yes to whoever asks first.
final class Once: Sendable {
    private let tally = Tally()

    func isFirst() -> Bool { tally.add() == 1 }
}

/// A test's own failure.
struct Refused: Error, Equatable {}

extension Result where Failure == any Error {
    /// What `work` came to, for a test that has to clean up first.
    static func of(_ work: () async throws -> Success) async -> Self {
        do { return .success(try await work()) } catch { return .failure(error) }
    }
}
