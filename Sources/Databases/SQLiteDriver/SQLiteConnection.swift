import CSQLite
import SQLDatabase
import Synchronization

/// Used by one caller at a time.
final class SQLiteConnection: Connection, Sendable {
    private let handle: SQLiteHandle
    private let isWriter: Bool
    /// Keyed by the caller's text, so that a hot statement is neither rewritten nor parsed again.
    private let statements = Mutex<[StatementText: SQLiteHandle]>([:])
    private let observe: @Sendable (DatabaseEvent) -> Void
    /// Interrupts slow reads; used by readers only.
    let watch = StepWatch()

    /// A caller that puts values into the SQL text reaches it; all statements are then dropped.
    private static let statementLimit = 500

    /// Once per process. A failure is ignored: a connection is already open elsewhere, and only the speed depends on
    /// it.
    private static let configure: Void = { _ = sqlite_without_memory_statistics() }()

    /// - Parameter busyLimit: How long a statement waits for another program.
    init(
        path: String, isWriter: Bool, busyLimit: Duration, observe: @escaping @Sendable (DatabaseEvent) -> Void
    ) throws {
        Self.configure
        var pointer: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (isWriter ? SQLITE_OPEN_CREATE : 0)
        let code = sqlite3_open_v2(path, &pointer, flags, nil)
        guard code == SQLITE_OK, let pointer else {
            let detail = pointer.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(pointer)
            throw DatabaseFailure(code, detail: detail)
        }
        handle = SQLiteHandle(pointer: pointer)
        self.isWriter = isWriter
        self.observe = observe
        sqlite3_extended_result_codes(pointer, 1)
        sqlite3_busy_timeout(pointer, Int32(clamping: Int64(busyLimit / .milliseconds(1))))
        if isWriter { try writeAhead() } else { watch.watch(handle) }
        for pragma in Self.pragmas(isWriter: isWriter) { try execute(pragma) }
    }

    deinit {
        statements.withLock { for statement in $0.values { sqlite3_finalize(statement.pointer) } }
        sqlite3_close_v2(handle.pointer)
    }

    private static func pragmas(isWriter: Bool) -> [String] {
        let both = ["foreign_keys = ON", "cache_size = -8192", "temp_store = MEMORY"]
        let own = isWriter ? ["synchronous = FULL", "journal_size_limit = 67108864"] : ["query_only = ON"]
        return (own + both).map { "PRAGMA \($0)" }
    }

    /// Switches the file to WAL, permanently. If two programs do so concurrently on a new file, SQLite fails one
    /// without waiting; it then takes a write lock here and retries.
    private func writeAhead() throws {
        for attempt in 1... {
            do {
                return try execute("PRAGMA journal_mode = WAL")
            } catch let failure as DatabaseFailure where failure.reason == .locked && attempt < 100 {
                try execute("BEGIN EXCLUSIVE")
                try execute("COMMIT")
            }
        }
    }

    /// SQLite ends a transaction by itself when the disk fails.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle.pointer) == 0 }

    func execute(_ text: String) throws { try step(through: prepared(text)) { _ in } }

    func rows<Value>(_ statement: SQL, _ decode: (inout Row) throws -> Value) throws -> [Value] {
        let pointer = try bound(statement)
        var values: [Value] = []
        try step(through: pointer) { values.append(try $0.read(decode)) }
        return values
    }

    func run(_ statement: SQL) throws -> Int {
        let pointer = try bound(statement)
        try step(through: pointer) { _ in }
        return Int(sqlite3_changes(handle.pointer))
    }

    func plan(_ statement: SQL) throws -> [String] {
        let pointer = try prepared("EXPLAIN QUERY PLAN " + statement.text)
        try bind(statement.values, to: pointer)
        var steps: [String] = []
        try step(through: pointer) { steps.append($0.text(3)) }
        return steps
    }

    private func bound(_ statement: SQL) throws -> OpaquePointer {
        // A body that continues after a full disk ended its transaction must not commit statement by statement.
        guard isInTransaction || !isWriter else {
            throw DatabaseFailure(.other, detail: "the transaction has ended")
        }
        observe(.statement)
        let pointer = try prepared(statement.text)
        try bind(statement.values, to: pointer)
        return pointer
    }

    private func prepared(_ text: String) throws -> OpaquePointer {
        let key = StatementText(text: text)
        if let statement = statements.withLock({ $0[key] }) { return statement.pointer }
        let pointer = try prepare(Spelling.sqlite(text))
        let statement = SQLiteHandle(pointer: pointer)
        statements.withLock { statements in
            if statements.count >= Self.statementLimit {
                for old in statements.values { sqlite3_finalize(old.pointer) }
                statements = [:]
            }
            statements[key] = statement
        }
        return pointer
    }

    /// SQLite compiles only a text's first statement and would silently ignore a second one.
    private func prepare(_ text: String) throws -> OpaquePointer {
        try text.withCString { start in
            var (pointer, second): (OpaquePointer?, OpaquePointer?) = (nil, nil)
            var rest: UnsafePointer<CChar>?
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            let code = sqlite3_prepare_v3(handle.pointer, start, -1, flags, &pointer, &rest)
            guard code == SQLITE_OK, let pointer else { throw failure(code) }
            if sqlite3_prepare_v2(handle.pointer, rest, -1, &second, nil) == SQLITE_OK, second == nil { return pointer }
            sqlite3_finalize(second)
            sqlite3_finalize(pointer)
            throw DatabaseFailure(.other, detail: "more than one statement in one text")
        }
    }

    private func step(through statement: OpaquePointer, _ each: (SQLiteRow) throws -> Void) throws {
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try each(SQLiteRow(statement: statement))
            case SQLITE_DONE: return
            case let code: throw failure(code)
            }
        }
    }

    private func bind(_ values: [SQLValue], to statement: OpaquePointer) throws {
        for (index, value) in values.enumerated() {
            let position = Int32(index + 1)
            let code =
                switch value {
                case .null: sqlite3_bind_null(statement, position)
                case .int(let number), .instant(let number): sqlite3_bind_int64(statement, position, number)
                case .text(let text):
                    sqlite3_bind_text(statement, position, text, Int32(text.utf8.count), Self.copy)
                case .bytes(let bytes):
                    bytes.isEmpty
                        ? sqlite3_bind_zeroblob(statement, position, 0)
                        : sqlite3_bind_blob(statement, position, bytes, Int32(bytes.count), Self.copy)
                }
            guard code == SQLITE_OK else { throw failure(code) }
        }
    }

    /// `SQLITE_TRANSIENT`, which makes SQLite copy the value, is a cast that Swift does not import.
    private static var copy: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    private func failure(_ code: Int32) -> DatabaseFailure {
        DatabaseFailure(code, detail: String(cString: sqlite3_errmsg(handle.pointer)))
    }
}

extension DatabaseFailure {
    /// - Parameter code: An extended result code ([Result codes](https://www.sqlite.org/rescode.html)).
    fileprivate init(_ code: Int32, detail: String) {
        let reason: Reason =
            switch (code & 0xFF, code >> 8) {
            case (SQLITE_CONSTRAINT, 6), (SQLITE_CONSTRAINT, 8): .constraint(.unique)
            case (SQLITE_CONSTRAINT, 3): .constraint(.foreignKey)
            case (SQLITE_CONSTRAINT, 1): .constraint(.check)
            case (SQLITE_CONSTRAINT, 5): .constraint(.notNull)
            case (SQLITE_CONSTRAINT, _): .constraint(.other)
            // Another program held the file for too long.
            case (SQLITE_BUSY, _), (SQLITE_LOCKED, _): .locked
            case (SQLITE_FULL, _): .full
            // SQLite has no code for it, and does not localize messages.
            case (SQLITE_ERROR, _) where detail.hasPrefix("no such table:") || detail.hasPrefix("no such column:"):
                .unknownName
            default: .other
            }
        self.init(reason, code: String(code), detail: detail)
    }
}

/// Hashes only the length: hashing a kilobyte per query takes longer than comparing it with the one or two statements
/// of that length. No text comes from outside.
private struct StatementText: Hashable {
    let text: String

    func hash(into hasher: inout Hasher) { hasher.combine(text.utf8.count) }
}

struct SQLiteRow: RowValues {
    let statement: OpaquePointer

    var count: Int { Int(sqlite3_column_count(statement)) }

    func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL }
    func int(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(column)) }

    func text(_ column: Int) -> String {
        guard let start = sqlite3_column_text(statement, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, Int32(column)) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, Int32(column)))))
    }
}
