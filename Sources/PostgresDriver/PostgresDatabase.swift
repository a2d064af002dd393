package import SQLDatabase
import Synchronization

/// PostgreSQL through libpq, for any number of nodes.
///
/// Writes are serializable transactions on a bounded pool of connections. Reads of one statement share a further
/// connection, in pipeline mode; other reads are transactions of the pool that see one state. No call blocks the
/// thread that makes it. What surely did not happen is tried again, up to the caller's time limit: after
/// a serialization failure, a deadlock, or a connection that was lost before the commit was asked for.
package final class PostgresDatabase: Database {
    package var dialect: Dialect { .postgresql }

    private let settings: PostgresSettings
    private let pool: WorkerPool
    private let reads: PipelinedReads
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
                parameters: url.parameters(
                    settings.session.merging(session) { $1 }, connectLimit: settings.connectLimit),
                connectLimit: settings.connectLimit, answerLimit: settings.statementLimit + .seconds(2), uptime: uptime)
        }
        pool = WorkerPool(plan([:]), settings, observe: observe)
        reads = try PipelinedReads(plan(["default_transaction_read_only": "on"]))
    }

    deinit { close() }

    /// Refuses whoever waits or comes later; connections close when what they run has ended.
    package func close() {
        pool.close()
        reads.close()
    }

    /// How many transactions wait for a connection, for metrics.
    package var waitingCallers: Int { pool.waiting }

    /// Uses more or fewer connections for transactions from now on.
    package func resize(connections: Int) { pool.resize(connections) }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await transaction(.write, body)
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
        let again = ReadOnce(known: (statement, asked.map(\.0)))
        let answer = Result { try body(again) }
        // A failure has no time; it is lost here only, the body is told.
        let isSlow = ((try? asked.get().1) ?? .zero) > UnfitStatements.slow
        if again.needsMore || isSlow {
            let now = uptime()
            unfit.withLock { $0.add(statement.text, at: now) }
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
            }
        } onCancel: {
            reads.cancel(id)
        }
    }

    private func transaction<Value: Sendable>(
        _ kind: Job.Kind, _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        let id = lastID.add(1, ordering: .relaxed).newValue
        let deadline = uptime() + settings.waitLimit
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
            }
        } onCancel: {
            pool.cancel(id)
        }
    }

    package func exclusively<Value: Sendable>(
        _ name: String, waits: Bool, _ work: @Sendable () async throws -> Value
    ) async throws -> Value? {
        let lock = NamedLock(name, waits: waits, plan: pool.plan)
        guard try await lock.take() else { return nil }
        defer { lock.release() }
        return try await work()
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
        let limit = statementLimit.components
        let milliseconds = limit.seconds * 1_000 + limit.attoseconds / 1_000_000_000_000_000
        return [
            "statement_timeout": "\(milliseconds)",
            // Those of a node that is gone without a word must not hold their rows.
            "idle_in_transaction_session_timeout": "\(milliseconds)",
            "tcp_keepalives_idle": "10", "tcp_keepalives_interval": "3", "tcp_keepalives_count": "3",
            "TimeZone": "UTC",
            // A table that is small today is found by its index too: a scan would make every writer of the table
            // conflict with every other one, and a plan is kept while the table grows.
            "enable_seqscan": "off", "jit": "off",
        ]
    }
}
