import CSQLite
import Foundation
import SQLDatabase

/// Copied for each test: the migrations take longer than most tests.
enum MigratedFile {
    private static let content = Task { try await make() }

    /// - Parameter path: Of a file that does not exist yet.
    static func write(to path: String) async throws {
        try await content.value.write(to: URL(filePath: path))
    }

    private static func make() async throws -> Data {
        let place = try DatabasePlace()
        let open = try OpenDatabase(place)
        try await open.database.migrate(TestDatabase.migrations)
        let copy = place.folder + "copy.sqlite"
        try run("VACUUM INTO '\(copy)'", in: place.location)
        // Kept in the file, so that opening it changes nothing.
        try run("PRAGMA journal_mode = WAL", in: copy)
        return try Data(contentsOf: URL(filePath: copy))
    }

    private static func run(_ statement: String, in path: String) throws {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        guard sqlite3_open(path, &connection) == SQLITE_OK,
            sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK
        else { throw Failure(statement: statement) }
    }

    private struct Failure: Error { let statement: String }
}
