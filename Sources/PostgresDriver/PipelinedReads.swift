import CPostgres
import Foundation
import SQLDatabase
import Synchronization

/// A statement that is its caller's whole transaction.
struct Lookup: Sendable {
    let id: UInt64
    let statement: SQL
    /// On the database's clock. The read is not repeated after it; nil if no caller waits for the answer any longer.
    let deadline: Duration?
    /// Called with the answer and the time that the server took.
    let answer: @Sendable (Result<(PostgresResult, Duration), any Error>) -> Void
}

/// Reads that consist of one statement. All share one connection in pipeline mode: they are sent as they arrive,
/// without waiting for earlier answers. A single thread handles all events.
final class PipelinedReads: Sendable {
    private struct State {
        var incoming: [Lookup] = []
        var cancelled: [UInt64] = []
        /// The number of reads that the thread holds unanswered, as last reported.
        var held = 0
        var hasThread = false
        var isClosed = false
    }

    private let state = Mutex(State())
    let plan: SessionPlan
    private let callerLimit: Int
    let chance: @Sendable () -> Double
    /// The pipe that wakes the thread.
    let wake: WakePipe

    /// - Parameter callerLimit: Further callers are refused immediately.
    init(_ plan: SessionPlan, callerLimit: Int, chance: @escaping @Sendable () -> Double) throws {
        self.plan = plan
        self.callerLimit = callerLimit
        self.chance = chance
        wake = try WakePipe()
    }

    func add(_ lookup: Lookup) {
        let (refusal, mustWake) = state.withLock { state -> (DatabaseFailure?, Bool) in
            if state.isClosed { return (.closed, false) }
            if state.incoming.count + state.held >= callerLimit {
                return (.tooManyCallers("too many reads wait for the database"), false)
            }
            // The first caller in an empty queue wakes the thread, which takes the whole queue.
            let mustWake = state.incoming.isEmpty
            state.incoming.append(lookup)
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
            lookup.answer(.failure(refusal))
        } else if mustWake {
            wake.wake()
        }
    }

    func cancel(_ id: UInt64) {
        state.withLock { $0.cancelled.append(id) }
        wake.wake()
    }

    func close() {
        state.withLock { $0.isClosed = true }
        wake.wake()
    }

    /// The number of unanswered reads.
    var count: Int { state.withLock { $0.incoming.count + $0.held } }

    /// Takes everything that arrived since the last call.
    ///
    /// - Parameter held: The number of reads that the thread holds unanswered.
    func take(held: Int) -> (lookups: [Lookup], cancelled: [UInt64], isClosed: Bool) {
        wake.drain()
        return state.withLock { state in
            state.held = held + state.incoming.count
            defer { (state.incoming, state.cancelled) = ([], []) }
            return (state.incoming, state.cancelled, state.isClosed)
        }
    }
}

/// A pipe that wakes a thread from `poll`.
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
