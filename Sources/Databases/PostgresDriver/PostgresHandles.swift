import CPostgres

/// Unchecked because a C pointer carries no isolation: one thread creates, uses and closes a session.
struct PostgresHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}

/// Freed automatically. Immutable, so any thread may read it.
final class PostgresResult: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { PQclear(pointer) }

    var rowCount: Int { Int(PQntuples(pointer)) }

    var changedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }
}

/// Cancels a connection's running statement, from any thread: libpq documents that as safe. Freed automatically.
final class PostgresCancellation: @unchecked Sendable {
    private let pointer: OpaquePointer

    init?(_ connection: PostgresHandle) {
        guard let pointer = PQgetCancel(connection.pointer) else { return nil }
        self.pointer = pointer
    }

    deinit { PQfreeCancel(pointer) }

    /// Blocks: it opens its own connection. Ignores errors; the statement's time limit then applies.
    func request() {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { reason in
            _ = PQcancel(pointer, reason.baseAddress, 256)
        }
    }
}
