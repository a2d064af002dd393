import CPostgres
import Dispatch
import Foundation
import SQLDatabase
import Synchronization

/// A statement that changes rows and a query after it, which are their caller's whole transaction.
struct Change: Sendable {
    let id: UInt64
    let statement: SQL
    let query: SQL
    /// Of the database's clock. It is not tried again after it.
    let deadline: Duration
    let answer: @Sendable (Result<(Int, PostgresResult), any Error>) -> Void
}

/// Somebody holds the row of a change for longer than others shall wait behind it. Nothing has happened.
struct RowIsHeld: Error {}

/// Changes of one statement: those that come while a commit is under way share the next one, a round trip and a wait
/// for the disk. On connections of their own, each with a thread.
final class SharedCommits: Sendable {
    private struct State {
        var waiting: [Change] = []
        /// Those that a thread has, and whose callers have left.
        var underWay: Set<UInt64> = []
        var cancelled: Set<UInt64> = []
        var threads = 0
        /// Threads that wait for a caller.
        var resting = 0
        var isClosed = false
    }

    /// While one waits for the disk, the next batch is on its way.
    private static let connections = 2
    /// Bounds how long the first of a batch waits for the last.
    private static let batchLimit = 64

    let plan: SessionPlan
    let settings: PostgresSettings
    let observe: @Sendable (DatabaseEvent) -> Void
    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)

    init(_ plan: SessionPlan, _ settings: PostgresSettings, observe: @escaping @Sendable (DatabaseEvent) -> Void) {
        self.plan = plan
        self.settings = settings
        self.observe = observe
    }

    func add(_ change: Change) {
        let (refusal, isFirst) = state.withLock { state -> ((any Error)?, Bool) in
            if state.isClosed { return (WorkerPool.closed, false) }
            if state.waiting.count >= settings.callerLimit {
                return (DatabaseFailure.tooManyCallers("too many callers wait for the database"), false)
            }
            let isFirst = state.waiting.isEmpty
            state.waiting.append(change)
            if state.resting == 0, state.threads < Self.connections {
                state.threads += 1
                Thread.detachNewThread {
                    var worker = SharedCommitThread(self)
                    worker.run()
                }
            }
            return (nil, isFirst)
        }
        if let refusal { change.answer(.failure(refusal)) }
        // Whoever takes the first takes the others too.
        if isFirst { work.signal() }
    }

    /// Lets go of a caller who still waits, at the latest before the next try; what was sent is not stopped.
    func cancel(_ id: UInt64) {
        let waiting = state.withLock { state -> Change? in
            if state.underWay.contains(id) { state.cancelled.insert(id) }
            return state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        waiting?.answer(.failure(CancellationError()))
    }

    func close() {
        let (waiting, threads) = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return (state.waiting, state.threads)
        }
        for change in waiting { change.answer(.failure(WorkerPool.closed)) }
        for _ in 0..<threads { work.signal() }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Waits for callers.
    ///
    /// - Returns: Empty when others have taken them; nil at the end.
    func next() -> [Change]? {
        state.withLock { $0.resting += 1 }
        work.wait()
        return state.withLock { state in
            state.resting -= 1
            if state.isClosed { return nil }
            let batch = Array(state.waiting.prefix(Self.batchLimit))
            state.waiting.removeFirst(batch.count)
            state.underWay.formUnion(batch.map(\.id))
            if !state.waiting.isEmpty { work.signal() }
            return batch
        }
    }

    /// Called when all of a batch are answered.
    func end(_ batch: [Change]) {
        let ids = batch.map(\.id)
        state.withLock { state in
            state.underWay.subtract(ids)
            state.cancelled.subtract(ids)
        }
    }

    /// Those under way whose callers have left.
    var cancelled: Set<UInt64> { state.withLock { $0.cancelled } }

    /// Refuses those that have waited for too long; called while there is no connection.
    func refuseLate(because reason: any Error) {
        let now = plan.uptime()
        let late = state.withLock { state in
            let late = state.waiting.filter { $0.deadline <= now }
            state.waiting.removeAll { $0.deadline <= now }
            return late
        }
        for change in late { change.answer(.failure(reason)) }
    }
}
