/// A pointer that SQLite gave out.
///
/// Unchecked because a C pointer carries no isolation: connections are opened without SQLite's own mutex, and
/// the pool and the writer see to it that one caller at a time holds a connection and its statements.
struct SQLiteHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}
