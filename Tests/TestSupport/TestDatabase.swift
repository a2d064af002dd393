package import AccountStore
import Foundation
package import SQLDatabase
import SQLiteDriver
import Synchronization
package import Testing

/// The databases that every test of stored things runs on.
package enum TestDatabase: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite

    package static let all = allCases
    package var testDescription: String { rawValue }

    /// A new database with every migration, which goes when the value does.
    package func open() async throws -> OpenDatabase {
        let open = try OpenDatabase()
        try await open.database.migrate(Accounts.migrations)
        return open
    }
}

/// A database in a folder of its own.
package final class OpenDatabase: Sendable {
    package let database: any Database
    package let statements = StatementCount()
    package let folder: String

    package init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder.path()
        let statements = statements
        database = try SQLiteDatabase(path: folder.appending(path: "test.sqlite").path(), uptime: { .zero }) { event in
            if case .statement = event { statements.add() }
        }
    }

    deinit {
        // What is lost on failure: a folder in the system's temporary one.
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// How many statements ran.
package final class StatementCount: Sendable {
    private let count = Mutex(0)

    package func add() { count.withLock { $0 += 1 } }
    package var value: Int { count.withLock { $0 } }

    /// How many `work` ran.
    package func during(_ work: () async throws -> Void) async rethrows -> Int {
        let before = value
        try await work()
        return value - before
    }
}
