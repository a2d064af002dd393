import CPostgres
import Dispatch
import Foundation
import SQLDatabase
import Synchronization

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

    func isAlike(_ other: Change) -> Bool {
        statement.text == other.statement.text && query.text == other.query.text
    }
}

/// For longer than the others should wait. Nothing happened.
struct RowIsHeld: Error {}

/// Single-statement changes that arrive during a commit share the next one: one statement, one round trip and one wait
/// for the disk. Each connection has a thread.
final class SharedCommits: Sendable {
    private struct State {
        var waiting: CallerQueue<Change>
        /// Changes in flight.
        var underWay: Set<UInt64> = []
        var cancelled: Set<UInt64> = []
        var threads = 0
        var busy = 0
        /// Busy threads whose batch failed on its first attempt.
        var delayed = 0

        /// Start a batch in addition to `others`? The server's cost per batch dominates, so alongside a batch that is
        /// not tiny, only a large one starts. No batch waits for a delayed one.
        func hasBatch(beside others: Int) -> Bool {
            if others <= delayed { return waiting.count > 0 }
            if underWay.count < 4 { return !underWay.isEmpty && waiting.count >= underWay.count }
            return waiting.count >= SharedCommits.batchLimit / 2
        }

        /// - Returns: Whether to wake another thread.
        mutating func calls() -> Bool {
            guard busy < SharedCommits.connections, hasBatch(beside: busy) else { return false }
            busy += 1
            return true
        }

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
    /// Bounds how long a batch's first change waits for its last.
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

    /// At the latest before its next attempt. Does not stop a sent change.
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

    /// - Returns: Empty if other threads took it; nil after ``close()``.
    func first() -> [Change]? {
        work.wait()
        return state.withLock { $0.waiting.isClosed ? nil : $0.take() }
    }

    /// The batch failed on its first attempt: no other waits for it.
    func delay() {
        let calls = state.withLock { state in
            state.delayed += 1
            return state.calls()
        }
        if calls { callThread() }
    }

    /// Call when all of a batch's changes are answered.
    ///
    /// - Parameter wasDelayed: ``delay()`` was called for the batch.
    /// - Returns: Empty if there is none.
    func next(after batch: [Change], wasDelayed: Bool) -> [Change] {
        let ids = batch.map(\.id)
        return state.withLock { state in
            if wasDelayed { state.delayed -= 1 }
            state.underWay.subtract(ids)
            state.cancelled.subtract(ids)
            return state.take()
        }
    }

    /// In flight.
    var cancelled: Set<UInt64> { state.withLock { $0.cancelled } }

    /// Refuses late changes. Called while there is no connection.
    func refuseLate(because reason: any Error) {
        let now = plan.uptime()
        state.withLock { $0.waiting.takeAllLate(at: now) }.refuse(reason)
    }
}
