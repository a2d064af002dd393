import AccountStore
import Foundation
import PostgresDriver
import ProfileGateway
package import SQLDatabase
import SQLiteDriver
import Synchronization
import Testing

/// The databases of every storage test.
package enum TestDatabase: String, Sendable, CustomTestStringConvertible {
    case sqlite, postgres
    /// As the serving role of `Deploy/postgresql`, which creates no table.
    case service

    /// Both, or only SQLite without PostgreSQL, which is printed once.
    package static let all: [TestDatabase] = {
        if TestCluster.programs != nil { return [.sqlite, .postgres] }
        FileHandle.standardError.write(
            Data("PostgreSQL is not installed (initdb, postgres): tests run on SQLite alone.\n".utf8))
        return [.sqlite]
    }()

    /// SQLite, unless `GATEHOUSE_TEST_DATABASE` names another.
    package static let usual =
        ProcessInfo.processInfo.environment["GATEHOUSE_TEST_DATABASE"].flatMap(TestDatabase.init) ?? .sqlite

    /// All tests start concurrently; with more than a thousand open files, Foundation's `Process` reads past the end of
    /// its list of descriptors and crashes (Swift 6.3).
    private static let files = Places(48)

    /// With accounts and profiles.
    package static let migrations = (Accounts.migrations + Profiles.migrations).sorted { $0.number < $1.number }

    package var testDescription: String { rawValue }

    /// For tests that read no plans: deleted rows leave pages that a planner counts.
    private static let kept: [TestDatabase: KeptSchemas] = [.postgres: KeptSchemas(), .service: KeptSchemas()]

    /// With the empty tables of every migration, removed with the value.
    ///
    /// - Parameter isNew: No test has used it before, for tests that read plans.
    package func open(isNew: Bool = false) async throws -> OpenDatabase {
        guard isNew, self == .postgres else { return try await OpenDatabase(place()) }
        let open = try await openEmpty()
        try await open.database.migrate(Self.migrations)
        return open
    }

    /// A new database without tables.
    package func openEmpty() async throws -> OpenDatabase {
        try await OpenDatabase(emptyPlace())
    }

    package func emptyPlace() async throws -> DatabasePlace {
        switch self {
        case .sqlite:
            await Self.files.take()
            return try DatabasePlace { Self.files.give() }
        case .postgres:
            let cluster = try TestCluster.running()
            let schema = try await TestSchema(cluster)
            return DatabasePlace(cluster.urlText(schema: schema.name), in: schema)
        case .service: throw TestRoles.MakesNoTable()
        }
    }

    /// With the empty tables of every migration, for one server.
    package func place() async throws -> DatabasePlace {
        guard let kept = Self.kept[self] else {
            let place = try await emptyPlace()
            try await MigratedFile.write(to: place.location)
            return place
        }
        let cluster = try TestCluster.running()
        if self == .postgres {
            let schema = try await TestSchema(cluster, kept) { schema in
                let owner = try PostgresDatabase(cluster.url(schema: schema.name), uptime: uptime)
                try await owner.migrate(Self.migrations)
                owner.close()
            }
            return DatabasePlace(cluster.urlText(schema: schema.name), in: schema)
        }
        let schema = try await TestSchema(cluster, kept) { try await TestRoles(of: $0, in: cluster).make() }
        return DatabasePlace(TestRoles(of: schema, in: cluster).urlText(.service), in: schema)
    }
}

/// A file in a folder, or a schema of the cluster, removed with the value.
package final class DatabasePlace: Sendable {
    /// Empty for a schema.
    package let folder: String
    /// For the setting `database`: the file's path, or the server's URL.
    package let location: String
    package var isFile: Bool { !folder.isEmpty }
    private let remove: @Sendable () -> Void

    package init(whenRemoved: @escaping @Sendable () -> Void = {}) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder.path()
        location = folder.appending(path: "test.sqlite").path()
        let test = Test.current?.name ?? ""
        Self.keepers.withLock { $0[test, default: 0] += 1 }
        remove = {
            Self.keepers.withLock { $0[test, default: 0] -= 1 }
            // Ignored: the system cleans its temporary folder.
            try? FileManager.default.removeItem(at: folder)
            whenRemoved()
        }
    }

    /// Tests that keep a file, with their number of files. Printed at the end if they keep a quarter of all places:
    /// without a free one, every later test would wait for ever.
    private static let keepers: Mutex<[String: Int]> = {
        atexit {
            let kept = DatabasePlace.keepers.withLock { $0 }.filter { $0.value > 0 }
            guard kept.values.reduce(0, +) > 12 else { return }
            for (test, count) in kept { print("leak: \(test) keeps \(count) databases") }
        }
        return Mutex([:])
    }()

    fileprivate init(_ url: String, in schema: TestSchema) {
        (folder, location) = ("", url)
        remove = { withExtendedLifetime(schema) {} }
    }

    deinit { remove() }
}

/// A database in its own place.
package final class OpenDatabase: Sendable {
    package let database: any Database
    package let statements = StatementCount()
    private let place: DatabasePlace
    package var folder: String { place.folder }

    package init(_ place: DatabasePlace) throws {
        self.place = place
        let statements = statements
        let observe: @Sendable (DatabaseEvent) -> Void = { event in
            // The place exists as long as the database, which may outlive this value.
            withExtendedLifetime(place) { if case .statement = event { statements.add() } }
        }
        if place.isFile {
            database = try SQLiteDatabase(path: place.location, uptime: { .zero }, observe: observe)
        } else {
            var settings = PostgresSettings.patient
            settings.connections = 4
            database = try PostgresDatabase(
                ConnectionURL(place.location), settings: settings, uptime: uptime, observe: observe)
        }
    }
}

/// Dropped with its last user, or kept for later tests.
package final class TestSchema: Sendable {
    package let name: String
    private let cluster: TestCluster
    private let kept: KeptSchemas?
    private let asNoted: Mutex<KeptSchemas.Schema?>

    /// A new, empty schema.
    package init(_ cluster: TestCluster) async throws {
        await cluster.takePlace()
        (self.cluster, kept) = (cluster, nil)
        asNoted = Mutex(nil)
        name = try await cluster.makeSchema()
    }

    /// - Parameter make: Creates a new schema's tables.
    init(_ cluster: TestCluster, _ kept: KeptSchemas, make: (TestSchema) async throws -> Void) async throws {
        await cluster.takePlace()
        let found = kept.take()
        (self.cluster, self.kept) = (cluster, kept)
        asNoted = Mutex(found)
        if let found {
            name = found.name
            return
        }
        name = try await cluster.makeSchema()
        try await make(self)
        let noted = try await kept.note(name, in: cluster)
        asNoted.withLock { $0 = noted }
    }

    deinit {
        let noted = asNoted.withLock(\.self)
        Task { [cluster, kept, name] in
            var isKept = false
            if let noted, let kept { isKept = await kept.giveBack(noted, in: cluster) }
            if !isKept { await cluster.drop(name) }
            cluster.givePlace()
        }
    }
}

/// The number of statements so far.
package final class StatementCount: Sendable {
    private let count = Mutex(0)

    package init() {}

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
    package var scans: [String] {
        filter { step in
            step.contains("Seq Scan")
                || step.hasPrefix("SCAN") && !step.contains("SUBQUERY") && step != "SCAN CONSTANT ROW"
        }
    }
}
