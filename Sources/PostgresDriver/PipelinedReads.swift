import CPostgres
import Foundation
import SQLDatabase
import Synchronization

/// A statement that is its caller's whole transaction.
struct Lookup: Sendable {
    let id: UInt64
    let statement: SQL
    /// Of the database's clock. It is not asked again after it; nil when nobody waits for the answer any more.
    let deadline: Duration?
    /// Called with the answer, and how long the server took for it.
    let answer: @Sendable (Result<(PostgresResult, Duration), any Error>) -> Void
}

/// Reads of one statement: all on one connection, sent as they come, without waiting for the answers of those before
/// (pipeline mode), by one thread that waits for whatever happens next.
final class PipelinedReads: Sendable {
    private struct State {
        var incoming: [Lookup] = []
        var cancelled: [UInt64] = []
        /// Those that the thread has and has not answered, as it last said.
        var held = 0
        var hasThread = false
        var isClosed = false
    }

    private let state = Mutex(State())
    let plan: SessionPlan
    private let callerLimit: Int
    let chance: @Sendable () -> Double
    /// Read end, write end.
    let wake: WakePipe

    /// - Parameter callerLimit: More callers than this are refused at once.
    init(_ plan: SessionPlan, callerLimit: Int, chance: @escaping @Sendable () -> Double) throws {
        self.plan = plan
        self.callerLimit = callerLimit
        self.chance = chance
        wake = try WakePipe()
    }

    func add(_ lookup: Lookup) {
        let (refusal, mustWake) = state.withLock { state -> (DatabaseFailure?, Bool) in
            if state.isClosed { return (WorkerPool.closed, false) }
            if state.incoming.count + state.held >= callerLimit {
                return (.tooManyCallers("too many reads wait for the database"), false)
            }
            // Whoever was first has woken it, and it takes all that are there.
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

    /// How many reads are not answered.
    var count: Int { state.withLock { $0.incoming.count + $0.held } }

    /// What has come since it was last asked.
    ///
    /// - Parameter held: How many the thread has not answered.
    func take(held: Int) -> (lookups: [Lookup], cancelled: [UInt64], isClosed: Bool) {
        wake.drain()
        return state.withLock { state in
            state.held = held + state.incoming.count
            defer { (state.incoming, state.cancelled) = ([], []) }
            return (state.incoming, state.cancelled, state.isClosed)
        }
    }
}

/// Wakes a thread that waits for a connection.
final class WakePipe: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        if postgres_open_wake(&ends) != 0 {
            throw DatabaseFailure(code: SQLState.noConnection, detail: "no more files can be opened")
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit { postgres_close_wake([readEnd, writeEnd]) }

    var descriptor: Int32 { readEnd }
    func wake() { postgres_wake(writeEnd) }
    func drain() { postgres_drain_wake(readEnd) }
}
