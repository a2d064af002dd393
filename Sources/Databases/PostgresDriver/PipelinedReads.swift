import CPostgres
import Foundation
import SQLDatabase
import Synchronization

struct Lookup: Caller {
    let id: UInt64
    let statement: SQL
    let deadline: Duration
    let answer: @Sendable (Result<(PostgresResult, Duration), any Error>) -> Void

    func refuse(_ reason: any Error) { answer(.failure(reason)) }
}

/// One connection in pipeline mode for single-statement reads, sent by one thread without waiting for earlier results.
final class PipelinedReads: Sendable {
    private struct State {
        var incoming: CallerQueue<Lookup>
        var cancelled: [UInt64] = []
        /// Unanswered, as last reported by the thread.
        var held = 0
        var hasThread = false
    }

    private let state: Mutex<State>
    let plan: SessionPlan
    let wake: WakePipe

    /// - Parameter callerLimit: Further callers are refused immediately.
    init(_ plan: SessionPlan, callerLimit: Int) throws {
        self.plan = plan
        state = Mutex(State(incoming: CallerQueue(limit: callerLimit)))
        wake = try WakePipe()
    }

    func add(_ lookup: Lookup) {
        let (refusal, mustWake) = state.withLock { state -> (DatabaseFailure?, Bool) in
            // The first caller in an empty queue wakes the thread, which takes the whole queue.
            let mustWake = state.incoming.count == 0
            if let refusal = state.incoming.add(lookup, beside: state.held) { return (refusal, false) }
            if !state.hasThread {
                state.hasThread = true
                Thread.detachNewThread {
                    var thread = PipelineThread(self)
                    thread.run()
                }
            }
            return (nil, mustWake)
        }
        if let refusal {
            lookup.refuse(refusal)
        } else if mustWake {
            wake.wake()
        }
    }

    func cancel(_ id: UInt64) {
        state.withLock { $0.cancelled.append(id) }
        wake.wake()
    }

    func close() {
        state.withLock { $0.incoming.close() }.refuse(DatabaseFailure.closed)
        wake.wake()
    }

    /// Unanswered reads.
    var count: Int { state.withLock { $0.incoming.count + $0.held } }

    /// - Parameter held: The thread's unanswered reads.
    func take(held: Int) -> (lookups: [Lookup], cancelled: [UInt64], isClosed: Bool) {
        wake.drain()
        return state.withLock { state in
            state.held = held + state.incoming.count
            defer { state.cancelled = [] }
            return (state.incoming.takeAll(), state.cancelled, state.incoming.isClosed)
        }
    }
}

final class WakePipe: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        if postgres_open_wake(&ends) != 0 {
            throw DatabaseFailure(.other, detail: "no more files can be opened")
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit { postgres_close_wake([readEnd, writeEnd]) }

    var descriptor: Int32 { readEnd }
    func wake() { postgres_wake(writeEnd) }
    func drain() { postgres_drain_wake(readEnd) }
}
