package import SQLDatabase
import Synchronization

/// PostgreSQL through libpq, for any number of nodes.
///
/// Writes are serializable transactions on a bounded pool, except those of queues. Single-statement writes share
/// commits on two further connections, single queries another one in pipeline mode; other reads use the pool with one
/// snapshot each. No call blocks its thread. Retries, up to the caller's time limit, what certainly did not take
/// effect: after a serialization failure, a deadlock, or a connection lost before the commit.
package final class PostgresDatabase: Database {
    package var dialect: Dialect { .postgresql }

    private let settings: PostgresSettings
    private let pool: WorkerPool
    private let reads: PipelinedReads
    private let commits: SharedCommits
    private let slow = Mutex(SlowStatements())
    private let lastID = Atomic<UInt64>(0)
    private let uptime: @Sendable () -> Duration
    private let observe: @Sendable (DatabaseEvent) -> Void

    /// Connects on first use.
    ///
    /// - Parameter uptime: A monotonic clock for time limits.
    /// - Throws: ``DatabaseFailure`` if the process has no free file descriptors.
    package init(
        _ url: ConnectionURL, settings: PostgresSettings = PostgresSettings(),
        uptime: @escaping @Sendable () -> Duration, observe: @escaping @Sendable (DatabaseEvent) -> Void = { _ in }
    ) throws {
        self.settings = settings
        self.uptime = uptime
        self.observe = observe
        func plan(_ session: [String: String]) -> SessionPlan {
            SessionPlan(
                parameters: url.parameters(connectLimit: settings.connectLimit),
                settings: settings.session.merging(session) { $1 }.filter { !url.sets($0.key) },
                connectLimit: settings.connectLimit,
                statementLimit: settings.statementLimit, uptime: uptime, chance: settings.chance)
        }
        pool = WorkerPool(plan([:]), settings, observe: observe)
        let limit = min(settings.sharedReadLimit, settings.statementLimit).wholeMilliseconds
        commits = SharedCommits(
            plan(
                [
                    "default_transaction_isolation": "read committed",
                    "lock_timeout": "\(min(settings.sharedLockLimit, settings.statementLimit).wholeMilliseconds)",
                ].merging(BoundStatement.settings) { $1 }), settings, observe: observe)
        reads = try PipelinedReads(
            plan(["default_transaction_read_only": "on", "statement_timeout": "\(limit)"]),
            callerLimit: settings.callerLimit)
    }

    deinit { close() }

    /// Refuses waiting and later callers. Connections close when their current work ends.
    package func close() {
        pool.close()
        reads.close()
        commits.close()
    }

    /// Single-statement reads.
    package var unansweredReads: Int { reads.count }

    /// For metrics.
    package var poolUse: PoolUse { pool.use }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await transaction(.write, body)
    }

    package func writeCommitted<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await transaction(.committed, body)
    }

    package func changeSchema<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await transaction(.schema, body)
    }

    package func change<Found: Sendable>(
        _ statement: SQL, thenRead query: SQL, _ decode: @escaping @Sendable (inout Row) throws -> Found
    ) async throws -> Changed<Found> {
        let deadline = uptime() + settings.waitLimit
        do {
            let (count, rows) = try await sharedChange(statement, query, by: deadline)
            return Changed(count: count, found: try rows.map(decode))
        } catch is RowIsHeld {
            // On a separate connection, the wait for the row delays no other caller.
            return try await transaction(.write, by: deadline) { db in
                Changed(count: try db.run(statement), found: try db.rows(query, decode))
            }
        }
    }

    private func sharedChange(
        _ statement: SQL, _ query: SQL, by deadline: Duration
    ) async throws -> (Int, SharedRows) {
        let id = lastID.add(1, ordering: .relaxed).newValue
        return try await awaitAnswer(cancel: { [commits] in commits.cancel(id) }) { caller in
            commits.add(
                Change(id: id, statement: statement, query: query, deadline: deadline) { caller.resume(with: $0) })
        }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        let start = uptime()
        defer { observe(.read(uptime() - start)) }
        return try await transaction(.read, body)
    }

    package func rows<Result: Sendable>(
        _ query: SQL, into initial: Result, _ combine: @escaping @Sendable (inout Result, inout Row) throws -> Void
    ) async throws -> Result {
        let start = uptime()
        defer { observe(.read(uptime() - start)) }
        guard let found = try await sharedRows(query, since: start) else {
            return try await transaction(.read) { db in try db.rows(query, into: initial, combine) }
        }
        observe(.statement)
        var result = initial
        for row in 0..<found.rowCount {
            try PostgresRow(result: found, row: Int32(row)).read { try combine(&result, &$0) }
        }
        return result
    }

    /// - Returns: nil if the query is too slow for the shared connection.
    private func sharedRows(_ query: SQL, since start: Duration) async throws -> PostgresResult? {
        if slow.withLock({ $0.contains(query.text, at: start) }) { return nil }
        let found: (result: PostgresResult, duration: Duration)?
        do {
            found = try await lookUp(query)
        } catch let failure as DatabaseFailure where failure.reason == .interrupted {
            found = nil
        }
        if found.map({ $0.duration > SlowStatements.threshold }) ?? true {
            let now = uptime()
            slow.withLock { $0.add(query.text, at: now) }
        }
        return found?.result
    }

    private func lookUp(_ statement: SQL) async throws -> (PostgresResult, Duration) {
        let id = lastID.add(1, ordering: .relaxed).newValue
        let deadline = uptime() + settings.waitLimit
        return try await awaitAnswer(cancel: { [reads] in reads.cancel(id) }) { caller in
            reads.add(Lookup(id: id, statement: statement, deadline: deadline) { caller.resume(with: $0) })
        }
    }

    private func transaction<Value: Sendable>(
        _ kind: Job.Kind, by deadline: Duration? = nil, _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        let id = lastID.add(1, ordering: .relaxed).newValue
        let deadline = deadline ?? uptime() + (kind == .schema ? settings.schemaWaitLimit : settings.waitLimit)
        return try await awaitAnswer(cancel: { [pool] in pool.cancel(id) }) { caller in
            pool.add(
                Job(
                    id: id, kind: kind, deadline: deadline,
                    body: { connection in
                        let value = try body(connection)
                        return { caller.resume(returning: value) }
                    }, refusal: { caller.resume(throwing: $0) }))
        }
    }

    package func unbuiltIndexes(of statements: [SQL]) async throws -> [SQL] {
        if statements.isEmpty { return [] }
        let built = try await read { db in
            try db.rows(
                """
                SELECT relname::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
                WHERE relnamespace = current_schema()::regnamespace AND indisvalid
                """
            ) { $0.text() }
        }
        let names = Set(built)
        return statements.filter { !names.contains(IndexBuild.name(of: $0)) }
    }

    package func buildIndex(_ statement: SQL) async throws {
        try await IndexBuild(statement, limit: settings.schemaStatementLimit, plan: pool.plan).run()
    }

    package func exclusively<Value: Sendable>(
        _ name: String, waits: Bool, _ work: @Sendable () async throws -> Value
    ) async throws -> Value? {
        let lock = NamedLock(name, waits: waits, plan: pool.plan)
        let isHeld = try await withTaskCancellationHandler {
            try await lock.take()
        } onCancel: {
            lock.cancel()
        }
        guard isHeld else { return nil }
        let result = await Result.of(work)
        await lock.release()
        return try result.get()
    }
}

extension Result where Failure == any Error {
    fileprivate static func of(_ work: () async throws -> Success) async -> Self {
        do { return .success(try await work()) } catch { return .failure(error) }
    }
}

extension PostgresSettings {
    fileprivate var session: [String: String] {
        let limit = "\(statementLimit.wholeMilliseconds)"
        return [
            "statement_timeout": limit,
            // Releases the row locks of a node that disappeared without closing its connections.
            "idle_in_transaction_session_timeout": limit,
            "tcp_keepalives_idle": "10", "tcp_keepalives_interval": "3", "tcp_keepalives_count": "3",
            "tcp_user_timeout": "10000",
            "TimeZone": "UTC",
            // Forces indexes even while a table is small: with a sequential scan every writer of the table would
            // conflict, and cached plans outlive the table's growth.
            "enable_seqscan": "off", "jit": "off",
        ]
    }
}
