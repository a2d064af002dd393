import CSQLite
package import SQLDatabase
import Synchronization

/// A SQLite file: concurrent readers and one writer (WAL), durable commits (`synchronous = FULL`), foreign keys on.
///
/// A read begins on the calling thread: a key lookup takes less than a thread switch. After a millisecond or two it is
/// interrupted and repeated on another thread (``SlowReads``), so it cannot block other requests. Writes share commits
/// (``GroupCommit``).
package final class SQLiteDatabase: Database {
    package let path: String
    package var dialect: Dialect { .sqlite }

    private let writer: GroupCommit
    private let settings: SQLiteSettings
    private let readers = Mutex<[SQLiteConnection]>([])
    private let slowReads = SlowReads()
    private let lastID = Atomic<UInt64>(0)
    private let uptime: @Sendable () -> Duration
    private let observe: @Sendable (DatabaseEvent) -> Void

    /// Opens the file, creating it if needed.
    ///
    /// - Parameter uptime: A monotonic clock for time limits and for the durations passed to `observe`.
    /// - Throws: ``DatabaseFailure`` if the file cannot be opened or is not a database.
    package init(
        path: String, settings: SQLiteSettings = SQLiteSettings(), uptime: @escaping @Sendable () -> Duration,
        observe: @escaping @Sendable (DatabaseEvent) -> Void = { _ in }
    ) throws {
        self.path = path
        self.settings = settings
        self.uptime = uptime
        self.observe = observe
        let connection = try SQLiteConnection(
            path: path, isWriter: true, busyLimit: settings.busyLimit, observe: observe)
        writer = GroupCommit(
            connection: connection, callerLimit: settings.callerLimit, uptime: uptime, observe: observe)
    }

    package var waitingWrites: Int { writer.waitingCount }

    /// Slow reads that wait for a thread.
    package var waitingReads: Int { slowReads.waiting }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        let id = lastID.add(1, ordering: .relaxed).newValue
        let deadline = uptime() + settings.waitLimit
        return try await awaitAnswer(cancel: { [writer] in writer.cancel(id) }) { caller in
            writer.add(
                GroupCommit.Waiting(
                    id: id, deadline: deadline,
                    body: { connection in
                        let value = try body(connection)
                        return { failure in
                            if let failure {
                                caller.resume(throwing: failure)
                            } else {
                                caller.resume(returning: value)
                            }
                        }
                    },
                    refuse: { caller.resume(throwing: $0) }))
        }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await answer(to: Reading(body: body, isOneStatement: false))
    }

    package func rows<Result: Sendable>(
        _ query: SQL, into initial: Result, _ combine: @escaping @Sendable (inout Result, inout Row) throws -> Void
    ) async throws -> Result {
        try await answer(to: Reading(body: { try $0.rows(query, into: initial, combine) }, isOneStatement: true))
    }

    private func answer<Value: Sendable>(to reading: Reading<Value>) async throws -> Value {
        let start = uptime()
        defer { observe(.read(uptime() - start)) }
        if let value = try answer(to: reading, until: { questions in questions > 1 }) { return value }
        return try await slowRead(reading, since: start)
    }

    private func slowRead<Value: Sendable>(_ reading: Reading<Value>, since start: Duration) async throws -> Value {
        let id = lastID.add(1, ordering: .relaxed).newValue
        let departure = Departure()
        let deadline = settings.readLimit.map { start + $0 }
        let cancel = { @Sendable [slowReads] in
            departure.happen()
            slowReads.cancel(id)
        }
        return try await awaitAnswer(cancel: cancel) { caller in
            slowReads.add(
                SlowReads.Job(
                    id: id,
                    run: {
                        caller.resume(with: Result { try self.answer(to: reading, unless: departure, by: deadline) })
                    },
                    refuse: { caller.resume(throwing: $0) }))
        }
    }

    private func answer<Value>(
        to reading: Reading<Value>, unless departure: Departure, by deadline: Duration?
    ) throws -> Value {
        let uptime = uptime
        @Sendable func isLate() -> Bool { deadline.map { $0 <= uptime() } ?? false }
        if !departure.hasHappened, !isLate(),
            let value = try answer(to: reading, until: { _ in departure.hasHappened || isLate() })
        {
            return value
        }
        if departure.hasHappened { throw CancellationError() }
        throw DatabaseFailure(.interrupted, detail: "a read took too long")
    }

    /// - Returns: nil if the body was interrupted.
    private func answer<Value>(
        to reading: Reading<Value>, until mustStop: @escaping @Sendable (_ questions: Int) -> Bool
    ) throws -> Value? {
        let connection = try readers.withLock { $0.popLast() } ?? open()
        if !reading.isOneStatement { try connection.execute("BEGIN") }
        connection.watch.begin(mustStop)
        let outcome = Result { try reading.body(connection) }
        let wasStopped = connection.watch.end()
        // Ignored: it fails if SQLite itself ended the transaction. The connection is then closed instead of reused.
        if !reading.isOneStatement { try? connection.execute("COMMIT") }
        if !connection.isInTransaction { readers.withLock { $0.append(connection) } }
        return wasStopped ? nil : try outcome.get()
    }

    private func open() throws -> SQLiteConnection {
        try SQLiteConnection(path: path, isWriter: false, busyLimit: settings.busyLimit, observe: observe)
    }
}

private struct Reading<Value>: Sendable {
    let body: @Sendable (any Connection) throws -> Value
    /// One statement sees one snapshot. Several need a transaction, whose lock does not block writers.
    let isOneStatement: Bool
}
