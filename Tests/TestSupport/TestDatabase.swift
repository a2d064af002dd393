package import AccountStore
import Foundation
import PostgresDriver
package import SQLDatabase
import SQLiteDriver
import Synchronization
package import Testing

/// The databases of every storage test.
package enum TestDatabase: String, Sendable, CustomTestStringConvertible {
    case sqlite, postgres
    /// PostgreSQL with the roles of `Deploy/postgresql`, as the serving role. For whole servers; it creates no table.
    case service

    /// Both, or only SQLite if PostgreSQL is not installed, which is printed once.
    package static let all: [TestDatabase] = {
        if TestCluster.programs != nil { return [.sqlite, .postgres] }
        FileHandle.standardError.write(
            Data("PostgreSQL is not installed (initdb, postgres): tests run on SQLite alone.\n".utf8))
        return [.sqlite]
    }()

    /// The database of tests that need one: SQLite, unless `GATEHOUSE_TEST_DATABASE` names another.
    package static let usual =
        ProcessInfo.processInfo.environment["GATEHOUSE_TEST_DATABASE"].flatMap(TestDatabase.init) ?? .sqlite

    /// All tests start at once; with more than a thousand open files, Foundation's `Process` reads past the end of its
    /// list of descriptors and crashes (Swift 6.3).
    private static let files = Places(48)

    package var testDescription: String { rawValue }

    /// A new database with every migration, removed with the value.
    package func open() async throws -> OpenDatabase {
        if self == .service { return try await OpenDatabase(TestRoles(TestCluster.running())) }
        let open = try await openEmpty()
        try await open.database.migrate(Accounts.migrations)
        return open
    }

    /// A new database without tables.
    package func openEmpty() async throws -> OpenDatabase {
        switch self {
        case .sqlite: try await OpenDatabase(Self.files)
        case .postgres: try await OpenDatabase(TestCluster.running())
        case .service: throw TestRoles.MakesNoTable()
        }
    }
}

/// A separate database: a file in a folder, or a schema.
package final class OpenDatabase: Sendable {
    package let database: any Database
    package let statements = StatementCount()
    package let folder: String
    private let remove: @Sendable () -> Void

    /// SQLite, when a place is free.
    fileprivate convenience init(_ places: Places) async throws {
        await places.take()
        try self.init { places.give() }
    }

    /// SQLite.
    package init(whenClosed: @escaping @Sendable () -> Void = {}) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder.path()
        let statements = statements
        database = try SQLiteDatabase(path: folder.appending(path: "test.sqlite").path(), uptime: { .zero }) { event in
            if case .statement = event { statements.add() }
        }
        remove = {
            // Ignored: a folder in the system's temporary folder.
            try? FileManager.default.removeItem(at: folder)
            whenClosed()
        }
    }

    /// PostgreSQL.
    package convenience init(_ cluster: TestCluster) async throws {
        let schema = try await TestSchema(cluster)
        try self.init(cluster.url(schema: schema.name), in: schema)
    }

    /// PostgreSQL, with every migration, as the serving role.
    fileprivate convenience init(_ roles: TestRoles) async throws {
        try self.init(roles.url(.service), in: roles.schema)
    }

    private init(_ url: ConnectionURL, in schema: TestSchema) throws {
        folder = ""
        let statements = statements
        var settings = PostgresSettings()
        settings.connections = 4
        settings.waitLimit = .seconds(60)
        database = try PostgresDatabase(url, settings: settings, uptime: uptime) { event in
            // The schema exists as long as the database, which may outlive this value.
            withExtendedLifetime(schema) { if case .statement = event { statements.add() } }
        }
        remove = {}
    }

    deinit { remove() }
}

/// A schema that is dropped with its last user.
package final class TestSchema: Sendable {
    package let name: String
    private let cluster: TestCluster

    package init(_ cluster: TestCluster) async throws {
        self.cluster = cluster
        name = try await cluster.makeSchema()
    }

    deinit { Task { [cluster, name] in await cluster.drop(name) } }
}

/// The number of statements so far.
package final class StatementCount: Sendable {
    private let count = Mutex(0)

    package func add() { count.withLock { $0 += 1 } }
    package var value: Int { count.withLock { $0 } }

    /// The number of statements in `work`.
    package func during(_ work: () async throws -> Void) async rethrows -> Int {
        let before = value
        try await work()
        return value - before
    }
}

extension [String] {
    /// The steps of a plan that scan a table.
    package var scans: [String] {
        filter { step in
            step.contains("Seq Scan")
                || step.hasPrefix("SCAN") && !step.contains("SUBQUERY") && step != "SCAN CONSTANT ROW"
        }
    }
}
