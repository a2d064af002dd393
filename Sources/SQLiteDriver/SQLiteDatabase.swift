package import SQLDatabase
import Synchronization

/// SQLite in one file: readers beside one writer (WAL), commits on disk before they are answered
/// (`synchronous = FULL`), foreign keys on.
///
/// Reads run on the calling thread: a lookup by key takes a few microseconds, less than a hop to another
/// thread. Writes share commits (``GroupCommit``).
package final class SQLiteDatabase: Database {
    package let path: String
    package var dialect: Dialect { .sqlite }

    private let writer: GroupCommit
    private let busyLimit: Duration
    private let readers = Mutex<[SQLiteConnection]>([])
    private let uptime: @Sendable () -> Duration
    private let observe: @Sendable (DatabaseEvent) -> Void

    /// Opens the file, and makes it when it is not there.
    ///
    /// - Parameters:
    ///   - busyLimit: How long a write waits for another program's; then it fails as
    ///     ``DatabaseFailure/Kind/passing``.
    ///   - uptime: A monotonic clock, for what is told to `observe`.
    /// - Throws: ``DatabaseFailure`` when the file cannot be opened or is not a database.
    package init(
        path: String, busyLimit: Duration = .seconds(5), uptime: @escaping @Sendable () -> Duration,
        observe: @escaping @Sendable (DatabaseEvent) -> Void = { _ in }
    ) throws {
        self.path = path
        self.busyLimit = busyLimit
        self.uptime = uptime
        self.observe = observe
        let connection = try SQLiteConnection(path: path, isWriter: true, busyLimit: busyLimit, observe: observe)
        writer = GroupCommit(connection: connection, uptime: uptime, observe: observe)
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { (caller: CheckedContinuation<Value, any Error>) in
            writer.add(
                GroupCommit.Waiting(
                    body: { connection in
                        let value = try body(connection)
                        return { failure in
                            if let failure { caller.resume(throwing: failure) } else { caller.resume(returning: value) }
                        }
                    },
                    refuse: { caller.resume(throwing: $0) }))
        }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        let start = uptime()
        let connection = try readers.withLock { $0.popLast() } ?? open()
        // A transaction, so that several statements see one state; it takes no lock that a writer waits for.
        try connection.execute("BEGIN")
        defer {
            // Fails when SQLite has ended the transaction itself: then this connection is dropped, not reused.
            try? connection.execute("COMMIT")
            if !connection.isInTransaction { readers.withLock { $0.append(connection) } }
            observe(.read(uptime() - start))
        }
        return try body(connection)
    }

    private func open() throws -> SQLiteConnection {
        try SQLiteConnection(path: path, isWriter: false, busyLimit: busyLimit, observe: observe)
    }
}
