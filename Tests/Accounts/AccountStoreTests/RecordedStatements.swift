import SQLDatabase
import Synchronization
import TestDatabases

/// Each text once, and the number of runs.
final class RecordedStatements: Sendable {
    private let statements = Mutex<[String: SQL]>([:])
    let count = StatementCount()

    func add(_ statement: SQL) {
        statements.withLock { $0[statement.text] = statement }
        count.add()
    }
    var all: [SQL] { statements.withLock { $0.values.sorted { $0.text < $1.text } } }
}

/// A database that records its statements.
struct RecordingDatabase: Database {
    let database: any Database
    let recorded: RecordedStatements

    var dialect: Dialect { database.dialect }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await database.write { [recorded] db in
            try body(RecordingConnection(connection: db, recorded: recorded))
        }
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value {
        try await database.read { [recorded] db in
            try body(RecordingConnection(connection: db, recorded: recorded))
        }
    }
}

struct RecordingConnection: Connection {
    let connection: any Connection
    let recorded: RecordedStatements

    func rows<Value>(_ statement: SQL, _ decode: (inout Row) throws -> Value) throws -> [Value] {
        recorded.add(statement)
        return try connection.rows(statement, decode)
    }

    func run(_ statement: SQL) throws -> Int {
        recorded.add(statement)
        return try connection.run(statement)
    }

    func plan(_ statement: SQL) throws -> [String] { try connection.plan(statement) }
}

extension [String] {
    /// Scans of a table or index.
    var unboundedSteps: [String] {
        let wholeIndexes = indices.filter { index in
            let isIndexScan = self[index].contains("Index Scan") || self[index].contains("Index Only Scan")
            return isIndexScan && !(index + 1 < endIndex && self[index + 1].contains("Index Cond"))
        }
        // SQLite's names for an inner query, whose own steps follow.
        let inner = ["CO-ROUTINE ", "MATERIALIZE "].flatMap { word in
            filter { $0.hasPrefix(word) }.map { "SCAN " + $0.dropFirst(word.count) }
        }
        return scans.filter { !inner.contains($0) } + wholeIndexes.map { self[$0] }
    }
}
