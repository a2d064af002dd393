import Dispatch
import Foundation
import SQLDatabase
import Synchronization

/// Runs callers' transactions in order of arrival on a bounded number of connections. Each connection has its own
/// thread, which may block; the callers' threads never do.
final class WorkerPool: Sendable {
    private struct State {
        /// Elements before ``first`` are taken and set to nil, to release what a job captures.
        var queue: [Job?] = []
        var first = 0
        var running: [UInt64: Running] = [:]
        var threads = 0
        var resting = 0
        var isClosed = false
        let limit: Int

        var waiting: Int { queue.count - first }

        /// The number of threads to start for waiting callers. They count as resting from now on.
        mutating func startThreads() -> Int {
            let count = max(0, min(waiting - resting, limit - threads))
            threads += count
            resting += count
            return count
        }

        /// Removes callers past their deadline. They are at the front, because all wait equally long, except schema
        /// changes, which are skipped.
        mutating func takeLate(at now: Duration) -> [Job] {
            var late: [Job] = []
            var index = first
            while index < queue.count, let job = queue[index], job.deadline <= now || job.kind == .schema {
                if job.deadline > now {
                    index += 1
                    continue
                }
                late.append(job)
                if index == first {
                    queue[first] = nil
                    first += 1
                    index += 1
                } else {
                    queue.remove(at: index)
                }
            }
            return late
        }

        /// The next step of a thread that has rested.
        mutating func next(_ hasRestedLong: Bool) -> Next {
            resting -= 1
            if isClosed {
                threads -= 1
                return .end
            }
            guard waiting > 0, let job = queue[first] else { return hasRestedLong ? .rested : .nothing }
            queue[first] = nil
            first += 1
            if first > 1_000, first * 2 > queue.count {
                queue.removeFirst(first)
                first = 0
            }
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
        state = Mutex(State(limit: max(1, settings.connections)))
    }

    func add(_ job: Job) {
        let now = plan.uptime()
        let (late, threads, refusal) = state.withLock { state -> ([Job], Int, DatabaseFailure?) in
            if state.isClosed { return ([], 0, .closed) }
            let late = state.takeLate(at: now)
            if state.waiting >= settings.callerLimit {
                return (late, 0, .tooManyCallers("too many wait for a connection"))
            }
            state.queue.append(job)
            return (late, state.startThreads(), nil)
        }
        refuse(late)
        start(threads)
        if let refusal { job.refuse(refusal) } else { work.signal() }
    }

    private func refuse(_ late: [Job]) {
        for job in late { job.refuse(DatabaseFailure.tooManyCallers("no connection was free in time")) }
    }

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
                waiting: state.waiting)
        }
    }

    /// Removes a caller from the queue, or cancels its statement. Does not stop a commit.
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

    /// Refuses waiting callers. Connections close when their current work ends.
    func close() {
        let (waiting, threads) = state.withLock { state in
            state.isClosed = true
            let waiting = state.queue.compactMap(\.self)
            (state.queue, state.first) = ([], 0)
            return (waiting, state.threads)
        }
        for job in waiting { job.refuse(DatabaseFailure.closed) }
        for _ in 0..<threads { work.signal() }
    }

    /// Refuses callers past their deadline. Every worker without a connection calls this, so that callers do not wait
    /// for one another's connection attempts.
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

// The interface for workers.
extension WorkerPool {
    enum Next {
        case job(Job)
        case rested
        case nothing
        case end
    }

    /// Waits for the next caller; if there is a connection to check, at most for the rest limit.
    func next(hasSession: Bool, isNew: Bool) -> Next {
        if !isNew { state.withLock { $0.resting += 1 } }
        let limit = DispatchTimeInterval.milliseconds(Int(settings.restLimit.components.seconds) * 1_000)
        let isLate = work.wait(timeout: hasSession ? .now() + limit : .distantFuture) == .timedOut
        let now = plan.uptime()
        let (late, next) = state.withLock { state in
            let late = state.takeLate(at: now)
            return (late, state.next(isLate))
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
