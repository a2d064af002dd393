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
        var isClosed = false

        /// Whether there is a batch for one more thread: a second one only when it is worth a commit of its own.
        func hasBatch(beside others: Int) -> Bool { waiting.count >= (others == 0 ? 1 : SharedCommits.worthwhile) }

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
    /// Fewer share the commit after the one that is under way: what the server does for a batch is most of the cost.
    static let worthwhile = 32
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
            let calls = state.busy < Self.connections && state.hasBatch(beside: state.busy)
            if calls { state.busy += 1 }
            if state.busy > state.threads {
                state.threads += 1
                Thread.detachNewThread {
                    var worker = SharedCommitThread(self)
                    worker.run()
                }
            }
            return (nil, calls)
        }
        if let refusal { change.answer(.failure(refusal)) }
        if calls { work.signal() }
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

    /// Called when all of a batch are answered.
    ///
    /// - Returns: Empty when there is none.
    func next(after batch: [Change]) -> [Change] {
        let ids = batch.map(\.id)
        return state.withLock { state in
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
