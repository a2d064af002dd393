import SQLDatabase

/// Counts events in memory until ``write(to:)`` adds them to the database.
package final class EventTally: Sendable {
    private let counts: WaitingCounts<CountedEvent>

    /// - Parameter capacity: Rows that wait at most. The names are from closed sets, so that an hour has hundreds.
    package init(capacity: Int = 20_000) { counts = WaitingCounts(capacity: capacity) }

    package func add(_ batch: EventBatch) { counts.add(batch.counts) }

    /// The number of rows that wait.
    package var waiting: Int { counts.waiting }
    /// Events that were not counted, because too many rows waited or the outcome of a write is unknown.
    package var lost: Int64 { counts.lost }

    /// Writes what was counted since the last call.
    ///
    /// - Throws: ``DatabaseFailure``. The counts wait for the next call, unless they may have been written.
    package func write(to store: EventCounts) async throws { try await counts.write(store.add) }
}
