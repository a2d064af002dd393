import Dispatch
import Foundation
import SQLDatabase
import Synchronization

/// In order of arrival. Each connection has its own thread, which may block; the callers' threads never do.
final class WorkerPool: Sendable {
    private struct State {
        var queue: CallerQueue<Job>
        var running: [UInt64: Running] = [:]
        var threads = 0
        var resting = 0
        let limit: Int

        mutating func startThreads() -> Int {
            let count = max(0, min(queue.count - resting, limit - threads))
            threads += count
            resting += count
            return count
        }

        mutating func next(_ hasRestedLong: Bool) -> Next {
            resting -= 1
            if queue.isClosed {
                threads -= 1
                return .end
            }
            guard let job = queue.take(1).first else { return hasRestedLong ? .rested : .nothing }
            running[job.id] = Running()
            return .job(job)
        }
    }

    private struct Running {
        var isCancelled = false
        var isCommitting = false
        var cancellation: PostgresCancellation?
    }

    let plan: SessionPlan
    let settings: PostgresSettings
    let observe: @Sendable (DatabaseEvent) -> Void
    private let state: Mutex<State>
    private let work = DispatchSemaphore(value: 0)

    init(_ plan: SessionPlan, _ settings: PostgresSettings, observe: @escaping @Sendable (DatabaseEvent) -> Void) {
        self.plan = plan
        self.settings = settings
        self.observe = observe
        state = Mutex(State(queue: CallerQueue(limit: settings.callerLimit), limit: max(1, settings.connections)))
    }

    func add(_ job: Job) {
        let now = plan.uptime()
        let (late, threads, refusal) = state.withLock { state in
            let late = state.queue.takeLate(at: now)
            let refusal = state.queue.add(job)
            return (late, state.startThreads(), refusal)
        }
        refuse(late)
        start(threads)
        if let refusal { job.refuse(refusal) } else { work.signal() }
    }

    private func refuse(_ late: [Job]) { late.refuse(DatabaseFailure.tooManyCallers("no connection was free in time")) }

    private func start(_ threads: Int) {
        for _ in 0..<threads {
            Thread.detachNewThread {
                var worker = Worker(self)
                worker.run()
            }
        }
    }

    var use: PoolUse {
        state.withLock { state in
            PoolUse(
                limit: state.limit, used: state.running.count, idle: state.threads - state.running.count,
                waiting: state.queue.count)
        }
    }

    /// Also cancels a running statement, but not a commit.
    func cancel(_ id: UInt64) {
        let (waiting, cancellation) = state.withLock { state -> (Job?, PostgresCancellation?) in
            if let job = state.queue.remove(id) { return (job, nil) }
            guard let running = state.running[id], !running.isCommitting else { return (nil, nil) }
            state.running[id]?.isCancelled = true
            return (nil, running.cancellation)
        }
        waiting?.refuse(CancellationError())
        if let cancellation { Thread.detachNewThread { cancellation.request() } }
    }

    /// Refuses waiting callers. Connections close when their current work ends.
    func close() {
        let (waiting, threads) = state.withLock { state in
            (state.queue.close(), state.threads)
        }
        waiting.refuse(DatabaseFailure.closed)
        for _ in 0..<threads { work.signal() }
    }

    /// Refuses late callers. Every worker without a connection calls this, so that callers do not wait for one
    /// another's connection attempts.
    func refuseLate(because reason: DatabaseFailure) {
        let now = plan.uptime()
        state.withLock { $0.queue.takeAllLate(at: now) }.refuse(reason)
    }
}

// For workers.
extension WorkerPool {
    enum Next {
        case job(Job)
        case rested
        case nothing
        case end
    }

    /// If there is a connection to check, waits at most for the rest limit.
    func next(hasSession: Bool, isNew: Bool) -> Next {
        if !isNew { state.withLock { $0.resting += 1 } }
        let limit = DispatchTimeInterval.milliseconds(Int(settings.restLimit.components.seconds) * 1_000)
        let isLate = work.wait(timeout: hasSession ? .now() + limit : .distantFuture) == .timedOut
        let now = plan.uptime()
        let (late, next) = state.withLock { state in
            (state.queue.takeLate(at: now), state.next(isLate))
        }
        refuse(late)
        return next
    }

    /// - Returns: Whether the caller still waits.
    func begin(_ id: UInt64, on session: PostgresSession) -> Bool {
        state.withLock { state in
            state.running[id]?.cancellation = session.cancellation
            return state.running[id]?.isCancelled != true
        }
    }

    /// - Returns: Whether the caller still waits. From then on it cannot be cancelled.
    func beginCommit(_ id: UInt64) -> Bool {
        state.withLock { state in
            state.running[id]?.isCommitting = true
            return state.running[id]?.isCancelled != true
        }
    }

    func end(_ id: UInt64) { state.withLock { $0.running[id] = nil } }

    func isCancelled(_ id: UInt64) -> Bool { state.withLock { $0.running[id]?.isCancelled == true } }
}
