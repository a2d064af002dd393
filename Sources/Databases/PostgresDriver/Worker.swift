import CPostgres
import SQLDatabase

struct Worker {
    private let pool: WorkerPool
    private var line: Line

    init(_ pool: WorkerPool) { (self.pool, line) = (pool, Line(pool.plan)) }

    mutating func run() {
        var isNew = true
        while true {
            defer { isNew = false }
            switch pool.next(hasSession: line.session != nil, isNew: isNew) {
            case .job(let job):
                carryOut(job)
                pool.end(job.id)
            case .rested: checkHealth()
            case .nothing: continue
            case .end: return
            }
        }
    }

    /// A dead connection is replaced on next use.
    private mutating func checkHealth() {
        do { _ = try line.session?.answer([.plain("SELECT 1")]) } catch { line.close() }
    }

    private mutating func carryOut(_ job: Job) {
        var tries = 0
        while true {
            tries += 1
            switch attempt(job) {
            case .done: return
            case .refused(let error): return job.refuse(pool.isCancelled(job.id) ? CancellationError() : error)
            case .again(let error):
                if let lost = error as? LostConnection, line.session == nil { pool.refuseLate(because: lost.told) }
                if pool.isCancelled(job.id) { return job.refuse(CancellationError()) }
                let pause = line.pause(after: tries)
                if pool.plan.uptime() + pause > job.deadline { return job.refuse(Transaction.told(error)) }
                if !(tries == 1 && error is LostConnection) { line.wait(pause) }
            }
        }
    }

    private mutating func attempt(_ job: Job) -> Attempt {
        let session: PostgresSession
        do { session = try line.ready() } catch { return .again(error) }
        guard pool.begin(job.id, on: session) else { return .refused(CancellationError()) }
        let transaction = Transaction(session, of: job, pool.settings, observe: pool.observe)
        let answer: @Sendable () -> Void
        do {
            answer = try job.body(transaction)
            // A body that ignores a failed statement must not report a write's success; a read may tolerate a refusal.
            if let failure = transaction.failure, job.changes || line.mayWorkAgain(failure, changes: false) {
                throw Transaction.told(failure)
            }
            guard pool.beginCommit(job.id) else { throw CancellationError() }
        } catch {
            let failure = transaction.failure
            rollBack(transaction)
            if let failure, line.mayWorkAgain(failure, changes: job.changes) { return .again(failure) }
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
            line.close(after: refusal)
            return refusal.mayWorkAgain ? .again(refusal) : .refused(refusal.told)
        } catch {
            line.close()
            if job.kind == .read { return .again(error) }
            return .refused(DatabaseFailure.commitUnknown)
        }
        if job.changes, transaction.hasBegun {
            pool.observe(.commit(callers: 1, pool.plan.uptime() - start))
        }
        answer()
        return .done
    }

    private mutating func rollBack(_ transaction: Transaction) {
        if let failure = transaction.failure { line.close(after: failure) }
        if line.session == nil { return }
        do { try transaction.rollBack() } catch { line.close() }
    }
}
