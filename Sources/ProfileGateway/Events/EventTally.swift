import GatehouseWire
package import SQLDatabase
import Synchronization

/// Counts events in memory until ``write(to:)`` adds them to the database, so that a flood of events is no flood of
/// writes. A process that is killed loses what it has not written.
package final class EventTally: Sendable {
    private struct State {
        var counts: [CountedEvent: Int64] = [:]
        var lost: Int64 = 0
    }

    /// Rows that wait at most, while the database is out of reach. The names are from closed sets, so that an hour has
    /// hundreds.
    private let capacity: Int
    private let state = Mutex(State())

    package init(capacity: Int = 20_000) { self.capacity = capacity }

    package func add(_ batch: EventBatch) { add(batch.counts) }

    /// The number of rows that wait.
    package var waiting: Int { state.withLock { $0.counts.count } }
    /// Events that were not counted, because too many rows waited or the outcome of a write is unknown.
    package var lost: Int64 { state.withLock { $0.lost } }

    /// Writes what was counted since the last call.
    ///
    /// - Throws: ``DatabaseFailure``. The counts wait for the next call, unless they may have been written: losing them is
    ///   better than counting them twice.
    package func write(to store: EventCounts) async throws {
        let counts = state.withLock { state in
            defer { state.counts = [:] }
            return state.counts
        }
        guard !counts.isEmpty else { return }
        do {
            try await store.add(counts)
        } catch let failure as DatabaseFailure where failure.reason == .unknownOutcome {
            state.withLock { $0.lost += counts.values.reduce(0, +) }
            throw failure
        } catch {
            add(counts)
            throw error
        }
    }

    private func add(_ counts: [CountedEvent: Int64]) {
        state.withLock { state in
            for (event, count) in counts {
                guard state.counts[event] != nil || state.counts.count < capacity else {
                    state.lost += count
                    continue
                }
                state.counts[event, default: 0] += count
            }
        }
    }
}
