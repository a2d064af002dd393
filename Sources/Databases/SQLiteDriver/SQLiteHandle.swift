/// Unchecked because a C pointer carries no isolation. Connections are opened without SQLite's mutex; the pool and the
/// writer ensure that one caller at a time uses a connection and its statements.
struct SQLiteHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}
