import Dispatch
import Foundation
import SQLDatabase
import Synchronization

/// Transactions of callers, in the order in which they came, on a bounded number of connections. Each connection has
/// a thread of its own, which may wait for the server: no thread of the callers does.
final class WorkerPool: Sendable {
    private struct State {
        /// Those before ``first`` are taken, and nil: what a job holds goes with it.
        var queue: [Job?] = []
        var first = 0
        var running: [UInt64: Running] = [:]
        var threads = 0
        var resting = 0
        var isClosed = false
        var limit: Int

        var waiting: Int { queue.count - first }
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
        state = Mutex(State(limit: max(1, settings.connections)))
    }

    func add(_ job: Job) {
        let refusal = state.withLock { state -> DatabaseFailure? in
            if state.isClosed { return DatabaseFailure(code: SQLState.noConnection, detail: "the database is closed") }
            if state.waiting >= settings.callerLimit {
                return DatabaseFailure(code: SQLState.tooManyCallers, detail: "too many wait for a connection")
            }
            state.queue.append(job)
            if state.waiting > state.resting, state.threads < state.limit {
                state.threads += 1
                Thread.detachNewThread {
                    var worker = Worker(self)
                    worker.run()
                }
            }
            return nil
        }
        if let refusal { job.refuse(refusal) } else { work.signal() }
    }

    var waiting: Int { state.withLock { $0.waiting } }

    /// Uses more or fewer connections from now on; those too many go when they are free.
    func resize(_ connections: Int) {
        let threads = state.withLock { state in
            state.limit = max(1, connections)
            return state.threads
        }
        for _ in 0..<threads { work.signal() }
    }

    /// Takes a caller out of the queue, or stops its statement. What is committing already is not stopped.
    func cancel(_ id: UInt64) {
        let (waiting, cancellation) = state.withLock { state -> (Job?, PostgresCancellation?) in
            if let index = state.queue[state.first...].firstIndex(where: { $0?.id == id }) {
                return (state.queue.remove(at: index), nil)
            }
            guard let running = state.running[id], !running.isCommitting else { return (nil, nil) }
            state.running[id]?.isCancelled = true
            return (nil, running.cancellation)
        }
        waiting?.refuse(CancellationError())
        if let cancellation { Thread.detachNewThread { cancellation.request() } }
    }

    /// Refuses whoever waits; connections close when what they run has ended.
    func close() {
        let (waiting, threads) = state.withLock { state in
            state.isClosed = true
            let waiting = state.queue.compactMap(\.self)
            (state.queue, state.first) = ([], 0)
            return (waiting, state.threads)
        }
        for job in waiting {
            job.refuse(DatabaseFailure(code: SQLState.noConnection, detail: "the database is closed"))
        }
        for _ in 0..<threads { work.signal() }
    }

    /// Refuses those that have waited for too long; called while there is no connection.
    func refuseLate(because reason: DatabaseFailure) {
        let now = plan.uptime()
        let late = state.withLock { state in
            let waiting = state.queue.compactMap(\.self)
            state.queue = waiting.filter { $0.deadline > now }
            state.first = 0
            return waiting.filter { $0.deadline <= now }
        }
        for job in late { job.refuse(reason) }
    }
}

// For the workers.
extension WorkerPool {
    enum Next {
        case job(Job)
        case rested
        case nothing
        case end
    }

    /// Waits for the next caller; up to the limit of rest when there is a connection to look after.
    func next(hasSession: Bool) -> Next {
        state.withLock { $0.resting += 1 }
        let limit = DispatchTimeInterval.milliseconds(Int(settings.restLimit.components.seconds) * 1_000)
        let isLate = work.wait(timeout: hasSession ? .now() + limit : .distantFuture) == .timedOut
        return state.withLock { state in
            state.resting -= 1
            if state.isClosed || state.threads > state.limit {
                state.threads -= 1
                return .end
            }
            guard state.waiting > 0, let job = state.queue[state.first] else { return isLate ? .rested : .nothing }
            state.queue[state.first] = nil
            state.first += 1
            if state.first > 1_000, state.first * 2 > state.queue.count {
                state.queue.removeFirst(state.first)
                state.first = 0
            }
            state.running[job.id] = Running()
            return .job(job)
        }
    }

    /// - Returns: Whether the caller still wants it.
    func begin(_ id: UInt64, on session: PostgresSession) -> Bool {
        state.withLock { state in
            state.running[id]?.cancellation = session.cancellation
            return state.running[id]?.isCancelled != true
        }
    }

    /// - Returns: Whether the caller still wants it; from then on it cannot be cancelled.
    func beginCommit(_ id: UInt64) -> Bool {
        state.withLock { state in
            state.running[id]?.isCommitting = true
            return state.running[id]?.isCancelled != true
        }
    }

    func end(_ id: UInt64) { state.withLock { $0.running[id] = nil } }

    func isCancelled(_ id: UInt64) -> Bool { state.withLock { $0.running[id]?.isCancelled == true } }
}
