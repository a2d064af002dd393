import CPostgres
import Dispatch
import Foundation
import SQLDatabase
import Synchronization

/// A change of rows and a query after it, which are the caller's whole transaction.
final class Change: Caller {
    let id: UInt64
    let statement: SQL
    let query: SQL
    /// Identifies the rows that it changes; see ``Database/change(_:thenRead:_:)``.
    let row: String
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

    func refuse(_ reason: any Error) { answer(.failure(reason)) }

    /// Whether one statement can serve both.
    func isAlike(_ other: Change) -> Bool {
        statement.text == other.statement.text && query.text == other.query.text
    }
}

/// A row of the batch is locked for longer than the others should wait. Nothing happened.
struct RowIsHeld: Error {}

/// Single-statement changes. Those that arrive during a commit share the next one, and with it a statement, a round
/// trip and a wait for the disk. Uses its own connections, each with a thread.
final class SharedCommits: Sendable {
    private struct State {
        var waiting: CallerQueue<Change>
        /// Changes in flight, and those of them whose callers were cancelled.
        var underWay: Set<UInt64> = []
        var cancelled: Set<UInt64> = []
        var threads = 0
        /// Threads that have a batch or were called for one.
        var busy = 0
        /// The number of busy threads whose batch failed on its first attempt.
        var delayed = 0

        /// Whether another thread should start a batch in addition to `others`. The server's cost of a batch dominates,
        /// so while a batch that is not tiny runs, only a large one starts. No batch waits for one that is delayed.
        func hasBatch(beside others: Int) -> Bool {
            if others <= delayed { return waiting.count > 0 }
            if underWay.count < 4 { return !underWay.isEmpty && waiting.count >= underWay.count }
            return waiting.count >= SharedCommits.batchLimit / 2
        }

        /// - Returns: Whether to wake another thread, which then counts as busy.
        mutating func calls() -> Bool {
            guard busy < SharedCommits.connections, hasBatch(beside: busy) else { return false }
            busy += 1
            return true
        }

        /// - Returns: Empty if the thread has nothing to do.
        mutating func take() -> [Change] {
            guard waiting.count > 0, hasBatch(beside: busy - 1) else {
                busy -= 1
                return []
            }
            let batch = waiting.take(SharedCommits.batchLimit) { $0.isAlike($1) }
            underWay.formUnion(batch.map(\.id))
            return batch
        }
    }

    /// While one batch waits for the disk, the next one is sent.
    private static let connections = 2
    /// Bounds how long the first change of a batch waits for the last.
    private static let batchLimit = 64

    let plan: SessionPlan
    let observe: @Sendable (DatabaseEvent) -> Void
    private let state: Mutex<State>
    private let work = DispatchSemaphore(value: 0)

    init(_ plan: SessionPlan, _ settings: PostgresSettings, observe: @escaping @Sendable (DatabaseEvent) -> Void) {
        self.plan = plan
        self.observe = observe
        state = Mutex(State(waiting: CallerQueue(limit: settings.callerLimit)))
    }

    func add(_ change: Change) {
        let (refusal, calls) = state.withLock { state in
            let refusal = state.waiting.add(change)
            return (refusal, refusal == nil && state.calls())
        }
        if let refusal { change.refuse(refusal) }
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

    /// Cancels a waiting change, at the latest before its next attempt. A change that was sent is not stopped.
    func cancel(_ id: UInt64) {
        let waiting = state.withLock { state in
            if state.underWay.contains(id) { state.cancelled.insert(id) }
            return state.waiting.remove(id)
        }
        waiting?.refuse(CancellationError())
    }

    func close() {
        let (waiting, threads) = state.withLock { state in (state.waiting.close(), state.threads) }
        waiting.refuse(DatabaseFailure.closed)
        for _ in 0..<threads { work.signal() }
    }

    var isClosed: Bool { state.withLock { $0.waiting.isClosed } }

    /// Waits for a batch.
    ///
    /// - Returns: Empty if other threads took it; nil after ``close()``.
    func first() -> [Change]? {
        work.wait()
        return state.withLock { $0.waiting.isClosed ? nil : $0.take() }
    }

    /// Called when a batch fails on its first attempt. No other batch waits for it from then on.
    func delay() {
        let calls = state.withLock { state in
            state.delayed += 1
            return state.calls()
        }
        if calls { callThread() }
    }

    /// Called when all changes of a batch are answered.
    ///
    /// - Parameter wasDelayed: Whether ``delay()`` was called for the batch.
    /// - Returns: The next batch; empty if there is none.
    func next(after batch: [Change], wasDelayed: Bool) -> [Change] {
        let ids = batch.map(\.id)
        return state.withLock { state in
            if wasDelayed { state.delayed -= 1 }
            state.underWay.subtract(ids)
            state.cancelled.subtract(ids)
            return state.take()
        }
    }

    /// Changes in flight whose callers were cancelled.
    var cancelled: Set<UInt64> { state.withLock { $0.cancelled } }

    /// Refuses changes past their deadline. Called while there is no connection.
    func refuseLate(because reason: any Error) {
        let now = plan.uptime()
        state.withLock { $0.waiting.takeAllLate(at: now) }.refuse(reason)
    }
}
