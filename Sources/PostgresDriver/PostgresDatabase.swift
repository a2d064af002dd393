package import SQLDatabase
import Synchronization

/// PostgreSQL through libpq, for any number of nodes.
///
/// Writes are serializable transactions on a bounded pool of connections; those of one statement share commits on two
/// more. Reads of one statement share a further connection, in pipeline mode; other reads are transactions of the pool
/// that see one state. No call blocks the thread that makes it. What surely did not happen is tried again, up to the
/// caller's time limit: after a serialization failure, a deadlock, or a connection that was lost before the commit was
/// asked for.
package final class PostgresDatabase: Database {
    package var dialect: Dialect { .postgresql }

    private let settings: PostgresSettings
    private let pool: WorkerPool
    private let reads: PipelinedReads
    private let commits: SharedCommits
    private let unfit = Mutex(UnfitStatements())
    private let lastID = Atomic<UInt64>(0)
    private let uptime: @Sendable () -> Duration
    private let observe: @Sendable (DatabaseEvent) -> Void

    /// Connects when it is first used.
    ///
    /// - Parameter uptime: A monotonic clock; time limits run by it.
    /// - Throws: ``DatabaseFailure`` when the process can open no more files.
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
                statementLimit: settings.statementLimit, uptime: uptime)
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
            callerLimit: settings.callerLimit, chance: settings.chance)
    }

    deinit { close() }

    /// Refuses whoever waits or comes later; connections close when what they run has ended.
    package func close() {
        pool.close()
        reads.close()
        commits.close()
    }

    /// How many reads of one statement are not answered.
    package var unansweredReads: Int { reads.count }

    /// How busy the connections for transactions are, for metrics.
    package var poolUse: PoolUse { pool.use }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await transaction(.write, body)
    }

    package func changeSchema<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await transaction(.schema, body)
    }

    package func change<Found: Sendable>(
        _ statement: SQL, thenRead query: SQL, _ decode: @escaping @Sendable (any Row) throws -> Found
    ) async throws -> Changed<Found> {
        let deadline = uptime() + settings.waitLimit
        do {
            let (count, rows) = try await sharedChange(statement, query, by: deadline)
            return Changed(count: count, found: try rows.map(decode))
        } catch is RowIsHeld {
            // Waits for the row where nobody waits behind it.
            return try await transaction(.write, by: deadline) { db in
                Changed(count: try db.run(statement), found: try db.rows(query, decode))
            }
        }
    }

    private func sharedChange(
        _ statement: SQL, _ query: SQL, by deadline: Duration
    ) async throws -> (Int, SharedRows) {
        let id = lastID.add(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { caller in
                let change = Change(id: id, statement: statement, query: query, deadline: deadline) {
                    caller.resume(with: $0)
                }
                commits.add(change)
                // Who left before it was there was not found.
                if Task.isCancelled { commits.cancel(id) }
            }
        } onCancel: {
            commits.cancel(id)
        }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        let start = uptime()
        defer { observe(.read(uptime() - start)) }
        let first = ReadOnce()
        let stopped = Result { try body(first) }
        guard let statement = first.asked, !first.needsMore else {
            return first.needsMore ? try await transaction(.read, body) : try stopped.get()
        }
        if unfit.withLock({ $0.contains(statement.text, at: start) }) { return try await transaction(.read, body) }
        let asked = await Result.of { try await lookUp(statement) }
        if case .failure(let failure as DatabaseFailure) = asked, failure.code == SQLState.stopped {
            let now = uptime()
            unfit.withLock { $0.addSlow(statement.text, at: now) }
            return try await transaction(.read, body)
        }
        let again = ReadOnce(known: (statement, asked.map(\.0)))
        let answer = Result { try body(again) }
        // A failure has no time; it is lost here only, the body is told.
        let isSlow = ((try? asked.get().1) ?? .zero) > UnfitStatements.slow
        if again.needsMore || isSlow {
            let now = uptime()
            unfit.withLock {
                if again.needsMore { $0.add(statement.text, at: now) } else { $0.addSlow(statement.text, at: now) }
            }
        }
        if again.needsMore { return try await transaction(.read, body) }
        observe(.statement)
        return try answer.get()
    }

    private func lookUp(_ statement: SQL) async throws -> (PostgresResult, Duration) {
        let id = lastID.add(1, ordering: .relaxed).newValue
        let deadline = uptime() + settings.waitLimit
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { caller in
                let lookup = Lookup(id: id, statement: statement, deadline: deadline) { caller.resume(with: $0) }
                reads.add(lookup)
                // Who left before it was there was not found.
                if Task.isCancelled { reads.cancel(id) }
            }
        } onCancel: {
            reads.cancel(id)
        }
    }

    private func transaction<Value: Sendable>(
        _ kind: Job.Kind, by deadline: Duration? = nil, _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        let id = lastID.add(1, ordering: .relaxed).newValue
        let deadline = deadline ?? uptime() + (kind == .schema ? settings.schemaWaitLimit : settings.waitLimit)
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { (caller: CheckedContinuation<Value, any Error>) in
                pool.add(
                    Job(
                        id: id, kind: kind, deadline: deadline,
                        body: { connection in
                            let value = try body(connection)
                            return { caller.resume(returning: value) }
                        }, refuse: { caller.resume(throwing: $0) }))
                // Who left before it was there was not found.
                if Task.isCancelled { pool.cancel(id) }
            }
        } onCancel: {
            pool.cancel(id)
        }
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
    /// What each session is told when it begins.
    fileprivate var session: [String: String] {
        let limit = "\(statementLimit.wholeMilliseconds)"
        return [
            "statement_timeout": limit,
            // Those of a node that is gone without a word must not hold their rows.
            "idle_in_transaction_session_timeout": limit,
            "tcp_keepalives_idle": "10", "tcp_keepalives_interval": "3", "tcp_keepalives_count": "3",
            "tcp_user_timeout": "10000",
            "TimeZone": "UTC",
            // A table that is small today is found by its index too: a scan would make every writer of the table
            // conflict with every other one, and a plan is kept while the table grows.
            "enable_seqscan": "off", "jit": "off",
        ]
    }
}
