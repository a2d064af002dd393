import CPostgres
import SQLDatabase

/// One connection of the pool, and the thread that waits for it.
struct Worker {
    private let pool: WorkerPool
    private var session: PostgresSession?
    /// Whether it was made for the caller who has it.
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

    /// A connection that went unnoticed is made anew when it is needed.
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

    /// Grows, and differs between those that met each other, here and on other nodes.
    private func pause(after tries: Int) -> Duration { .pause(after: tries, chance: pool.settings.chance()) }

    private mutating func attempt(_ job: Job) -> Attempt {
        let session: PostgresSession
        do { session = try ready() } catch { return .again(error) }
        guard pool.begin(job.id, on: session) else { return .refused(CancellationError()) }
        let transaction = Transaction(session, of: job, pool.settings, observe: pool.observe)
        let answer: @Sendable () -> Void
        do {
            answer = try job.body(transaction)
            // Whoever swallows a failure must not be told that the rest is there; a reader may live with a refusal.
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
            let detail = "the connection was lost while committing: whether it took effect is not known"
            return .refused(DatabaseFailure(code: SQLState.commitUnknown, detail: detail, kind: .unknownOutcome))
        }
        if job.changes, transaction.hasBegun {
            pool.observe(.commit(callers: 1, pool.plan.uptime() - start))
        }
        answer()
        return .done
    }

    private func mayWorkAgain(_ failure: any Error, _ job: Job) -> Bool {
        // When a connection is lost the commit was never asked for, so nothing has happened.
        guard let refusal = failure as? ServerRefusal else { return failure is LostConnection }
        // A server that has come to follow another one leads nowhere; a new connection may find the other one.
        return refusal.mayWorkAgain || (refusal.isReadOnly && job.changes && !isFresh)
    }

    private mutating func rollBack(_ transaction: Transaction) {
        if let refusal = transaction.failure as? ServerRefusal, refusal.needsNewSession || refusal.isReadOnly {
            session = nil
            return
        }
        // The server rolls back what a closed connection left.
        do { try transaction.rollBack() } catch { session = nil }
    }

    /// The connection, made anew when it has ended while it rested.
    private mutating func ready() throws -> PostgresSession {
        if let session, !session.hasEnded { return session }
        session = nil
        let made = try PostgresSession(pool.plan)
        session = made
        isFresh = true
        return made
    }
}
