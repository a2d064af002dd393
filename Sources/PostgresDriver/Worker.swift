import CPostgres
import SQLDatabase

/// A connection of the pool and its thread.
struct Worker {
    private let pool: WorkerPool
    private var session: PostgresSession?
    /// Whether the connection was opened for the current caller.
    private var isFresh = false

    init(_ pool: WorkerPool) { self.pool = pool }

    mutating func run() {
        var isNew = true
        while true {
            defer { isNew = false }
            switch pool.next(hasSession: session != nil, isNew: isNew) {
            case .job(let job):
                carryOut(job)
                pool.end(job.id)
            case .rested: checkHealth()
            case .nothing: continue
            case .end: return
            }
        }
    }

    /// A dead connection is closed here and replaced on next use.
    private mutating func checkHealth() {
        guard let session else { return }
        do { _ = try session.answer([.plain("SELECT 1")]) } catch { self.session = nil }
    }

    private mutating func carryOut(_ job: Job) {
        var tries = 0
        isFresh = false
        while true {
            tries += 1
            switch attempt(job) {
            case .done: return
            case .refused(let error): return job.refuse(pool.isCancelled(job.id) ? CancellationError() : error)
            case .again(let error):
                if let lost = error as? LostConnection, session == nil { pool.refuseLate(because: lost.told) }
                if pool.isCancelled(job.id) { return job.refuse(CancellationError()) }
                let pause = pause(after: tries)
                if pool.plan.uptime() + pause > job.deadline { return job.refuse(Transaction.told(error)) }
                if !(tries == 1 && error is LostConnection) { _ = postgres_wait(-1, 0, -1, pause.pollMilliseconds) }
            }
        }
    }

    /// Grows with the attempts. Randomized, so that conflicting transactions do not meet again, here or on other nodes.
    private func pause(after tries: Int) -> Duration { .pause(after: tries, chance: pool.settings.chance()) }

    private mutating func attempt(_ job: Job) -> Attempt {
        let session: PostgresSession
        do { session = try ready() } catch { return .again(error) }
        guard pool.begin(job.id, on: session) else { return .refused(CancellationError()) }
        let transaction = Transaction(session, of: job, pool.settings, observe: pool.observe)
        let answer: @Sendable () -> Void
        do {
            answer = try job.body(transaction)
            // A body that ignores a failed statement must not report success for a write; a read may tolerate a
            // refusal.
            if let failure = transaction.failure, job.changes || mayWorkAgain(failure, job) {
                throw Transaction.told(failure)
            }
            guard pool.beginCommit(job.id) else { throw CancellationError() }
        } catch {
            rollBack(transaction)
            if let failure = transaction.failure, mayWorkAgain(failure, job) { return .again(failure) }
            return .refused(error)
        }
        return commit(transaction, of: job, answer)
    }

    private mutating func commit(
        _ transaction: Transaction, of job: Job, _ answer: @Sendable () -> Void
    ) -> Attempt {
        let start = pool.plan.uptime()
        do {
            try transaction.commit()
        } catch let refusal as ServerRefusal where !refusal.endsSession {
            if refusal.needsNewSession { session = nil }
            return refusal.mayWorkAgain ? .again(refusal) : .refused(refusal.told)
        } catch {
            session = nil
            if job.kind == .read { return .again(error) }
            return .refused(DatabaseFailure.commitUnknown)
        }
        if job.changes, transaction.hasBegun {
            pool.observe(.commit(callers: 1, pool.plan.uptime() - start))
        }
        answer()
        return .done
    }

    private func mayWorkAgain(_ failure: any Error, _ job: Job) -> Bool {
        // A connection lost before the commit was sent means that nothing happened.
        guard let refusal = failure as? ServerRefusal else { return failure is LostConnection }
        // After a failover the server may be a standby; a new connection may reach the primary.
        return refusal.mayWorkAgain || (refusal.isReadOnly && job.changes && !isFresh)
    }

    private mutating func rollBack(_ transaction: Transaction) {
        if let refusal = transaction.failure as? ServerRefusal, refusal.needsNewSession || refusal.isReadOnly {
            session = nil
            return
        }
        // The server rolls back when the connection closes.
        do { try transaction.rollBack() } catch { session = nil }
    }

    /// Returns the session, reconnecting if it ended while idle.
    private mutating func ready() throws -> PostgresSession {
        if let session, !session.hasEnded { return session }
        session = nil
        let made = try PostgresSession(pool.plan)
        session = made
        isFresh = true
        return made
    }
}
