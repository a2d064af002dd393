import CPostgres
import Dispatch
import Foundation
import SQLDatabase
import Synchronization

/// A statement that changes rows and a query after it, which are their caller's whole transaction.
final class Change: Sendable {
    let id: UInt64
    let statement: SQL
    let query: SQL
    /// What tells the rows apart that it changes, see ``Database/change(_:thenRead:_:)``.
    let row: String
    /// Of the database's clock. It is not tried again after it.
    let deadline: Duration
    let answer: @Sendable (Result<(Int, SharedRows), any Error>) -> Void

    init(
        id: UInt64, statement: SQL, query: SQL, deadline: Duration,
        answer: @escaping @Sendable (Result<(Int, SharedRows), any Error>) -> Void
    ) {
        (self.id, self.statement, self.query, self.deadline, self.answer) = (id, statement, query, deadline, answer)
        let texts = statement.values.lazy.compactMap { if case .text(let text) = $0 { text } else { nil } }
        row = texts.last ?? ""
    }

    /// Whether one statement can serve both.
    func isAlike(_ other: Change) -> Bool {
        statement.text == other.statement.text && query.text == other.query.text
    }
}

/// Somebody holds a row of a batch for longer than the others shall wait behind it. Nothing has happened.
struct RowIsHeld: Error {}

/// Changes of one statement: those that come while a commit is under way share the next one, and with it a statement,
/// a round trip and a wait for the disk. On connections of their own, each with a thread.
final class SharedCommits: Sendable {
    private struct State {
        var waiting: [Change] = []
        /// Those that a thread has, and whose callers have left.
        var underWay: Set<UInt64> = []
        var cancelled: Set<UInt64> = []
        var threads = 0
        /// Threads that have a batch, or were called for one.
        var busy = 0
        /// Those of them whose batch did not go through at once.
        var delayed = 0
        var isClosed = false

        /// Whether there is a batch for one more thread beside others. What the server does for a batch is most of the
        /// cost: so beside another one that is not tiny only a large one goes out. None waits behind one that is delayed.
        func hasBatch(beside others: Int) -> Bool {
            if others <= delayed { return !waiting.isEmpty }
            if underWay.count < 4 { return !underWay.isEmpty && waiting.count >= underWay.count }
            return waiting.count >= SharedCommits.batchLimit / 2
        }

        /// - Returns: Whether one more thread is to be called; it counts as busy then.
        mutating func calls() -> Bool {
            guard busy < SharedCommits.connections, hasBatch(beside: busy) else { return false }
            busy += 1
            return true
        }

        /// - Returns: Empty when there is none: then the thread has nothing to do.
        mutating func take() -> [Change] {
            guard let first = waiting.first, hasBatch(beside: busy - 1) else {
                busy -= 1
                return []
            }
            let batch = Array(waiting.prefix(SharedCommits.batchLimit).prefix { $0.isAlike(first) })
            waiting.removeFirst(batch.count)
            underWay.formUnion(batch.map(\.id))
            return batch
        }
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
        let (refusal, calls) = state.withLock { state -> ((any Error)?, Bool) in
            if state.isClosed { return (WorkerPool.closed, false) }
            if state.waiting.count >= settings.callerLimit {
                return (DatabaseFailure.tooManyCallers("too many callers wait for the database"), false)
            }
            state.waiting.append(change)
            return (nil, state.calls())
        }
        if let refusal { change.answer(.failure(refusal)) }
        if calls { callThread() }
    }

    private func callThread() {
        let isNew = state.withLock { state in
            guard state.busy > state.threads else { return false }
            state.threads += 1
            return true
        }
        if isNew {
            Thread.detachNewThread {
                var worker = SharedCommitThread(self)
                worker.run()
            }
        }
        work.signal()
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

    /// Waits until a batch is there.
    ///
    /// - Returns: Empty when others have taken it; nil at the end.
    func first() -> [Change]? {
        work.wait()
        return state.withLock { $0.isClosed ? nil : $0.take() }
    }

    /// Called when a batch has not gone through at once: nobody waits behind it any more.
    func delay() {
        let calls = state.withLock { state in
            state.delayed += 1
            return state.calls()
        }
        if calls { callThread() }
    }

    /// Called when all of a batch are answered.
    ///
    /// - Parameter wasDelayed: Whether ``delay()`` was called for it.
    /// - Returns: Empty when there is none.
    func next(after batch: [Change], wasDelayed: Bool) -> [Change] {
        let ids = batch.map(\.id)
        return state.withLock { state in
            if wasDelayed { state.delayed -= 1 }
            state.underWay.subtract(ids)
            state.cancelled.subtract(ids)
            return state.take()
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
