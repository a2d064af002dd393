import Synchronization

/// Counts in memory until ``write(_:)``, so that a flood of events causes few writes. A killed process loses unwritten
/// counts.
package final class WaitingCounts<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var counts: [Key: Int64] = [:]
        var lost: Int64 = 0

        mutating func add(_ count: Int64, of key: Key, capacity: Int) {
            if counts[key] != nil || counts.count < capacity { counts[key, default: 0] += count } else { lost += count }
        }
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: The maximum of waiting rows, while the database is unreachable.
    package init(capacity: Int) { self.capacity = capacity }

    /// Rows.
    package var waiting: Int { state.withLock { $0.counts.count } }
    /// Dropped because too many rows waited or a write's outcome is unknown.
    package var lost: Int64 { state.withLock { $0.lost } }

    package func add(_ counts: [Key: Int64]) {
        state.withLock { state in
            for (key, count) in counts { state.add(count, of: key, capacity: capacity) }
        }
    }

    package func add(_ key: Key) { state.withLock { $0.add(1, of: key, capacity: capacity) } }

    /// Passes the counts since the last call to `add`, if any.
    ///
    /// - Throws: The error of `add`. The counts wait for the next call, unless they may have been written
    ///   (``DatabaseFailure/Reason/unknownOutcome``): losing them is better than counting them twice.
    package func write(_ add: ([Key: Int64]) async throws -> Void) async throws {
        let counts = state.withLock { state in
            defer { state.counts = [:] }
            return state.counts
        }
        guard !counts.isEmpty else { return }
        do {
            try await add(counts)
        } catch let failure as DatabaseFailure where failure.reason == .unknownOutcome {
            state.withLock { $0.lost += counts.values.reduce(0, +) }
            throw failure
        } catch {
            self.add(counts)
            throw error
        }
    }
}
