import SQLDatabase

/// Counts in memory until ``write(to:)``.
package final class EventTally: Sendable {
    private let counts: WaitingCounts<CountedEvent>

    /// - Parameter capacity: Waiting rows. An hour has hundreds, because names are from closed sets.
    package init(capacity: Int = 20_000) { counts = WaitingCounts(capacity: capacity) }

    package func add(_ batch: EventBatch) { counts.add(batch.counts) }

    /// In rows.
    package var waiting: Int { counts.waiting }
    /// Not counted: too many rows waited, or a write's outcome is unknown.
    package var lost: Int64 { counts.lost }

    /// - Throws: ``DatabaseFailure``. The next call retries, unless the counts may have been written.
    package func write(to store: EventCounts) async throws { try await counts.write(store.add) }
}
