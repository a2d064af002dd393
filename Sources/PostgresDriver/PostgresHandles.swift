import CPostgres

/// A connection that libpq gave out.
///
/// Unchecked because a C pointer carries no isolation: a session is made, used and closed by one thread.
struct PostgresHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}

/// An answer of the server, which frees itself. It is never changed, so any thread may read it.
final class PostgresResult: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { PQclear(pointer) }

    var rowCount: Int { Int(PQntuples(pointer)) }

    /// How many rows the statement changed.
    var changedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }
}

/// Asks the server, from any thread, to give up what a connection is running; frees itself.
///
/// libpq keeps in it all it needs, and says that it may be used beside the connection.
final class PostgresCancellation: @unchecked Sendable {
    private let pointer: OpaquePointer

    init?(_ connection: PostgresHandle) {
        guard let pointer = PQgetCancel(connection.pointer) else { return nil }
        self.pointer = pointer
    }

    deinit { PQfreeCancel(pointer) }

    /// Opens a connection of its own: it blocks. What goes wrong is lost; the statement's time limit ends it then.
    func request() {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { reason in
            _ = PQcancel(pointer, reason.baseAddress, 256)
        }
    }
}
