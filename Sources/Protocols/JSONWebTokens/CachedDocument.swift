package import GatehouseWire

/// How long a document stays in use while fetches fail.
private let staleLifetime: Duration = .seconds(86_400)
/// The minimum time between two fetches, so that requests do not flood an unavailable server.
private let fetchInterval: Duration = .seconds(30)
/// The same while there is no document.
private let firstFetchInterval: Duration = .seconds(1)

/// A document of another server, fetched on demand and cached.
///
/// All callers share one fetch. An expired document stays in use while its successor is fetched. From twice the maximum
/// age on, callers wait for the fetch, and get the old document only if it fails, for a day.
package actor CachedDocument<Value: Equatable & Sendable> {
    private let maximumAge: Duration
    private let now: @Sendable () -> Instant
    private let fetch: @Sendable (Value?) async throws -> Value
    private var document: (value: Value, fetchedAt: Instant)?
    private var lastStart: Instant?
    private var fetching: Task<Void, Never>?
    private var changes: UInt64 = 0

    /// The error of the last fetch; nil if it succeeded. For the log, because no error is thrown while an old document
    /// is in use.
    package private(set) var lastFailure: (any Error)?

    /// - Parameters:
    ///   - maximumAge: The age after which the document is fetched again.
    ///   - fetch: Fetches the document, with its own time limit. Receives the document that is in use.
    package init(
        maximumAge: Duration, now: @escaping @Sendable () -> Instant,
        fetch: @escaping @Sendable (Value?) async throws -> Value
    ) {
        (self.maximumAge, self.now, self.fetch) = (maximumAge, now, fetch)
    }

    /// The document, fetched if it is missing or expired.
    ///
    /// - Returns: nil without a document that is less than a day old; ``lastFailure`` has the reason.
    package func current() async -> Value? {
        guard let document, isYounger(than: maximumAge * 2) else { return await fetchedAgain() }
        startIfExpired()
        return document.value
    }

    /// The document after another fetch, unless the last one started less than 30 seconds ago.
    ///
    /// - Returns: As ``current()``.
    package func fetchedAgain() async -> Value? {
        await start()?.value
        return usable
    }

    /// The number of times that the document has changed. Starts to fetch an expired document without waiting, so that
    /// callers with their own cache keep it current.
    package func changeCount() -> UInt64 {
        startIfExpired()
        return changes
    }

    private var usable: Value? {
        document.flatMap { now() - $0.fetchedAt < staleLifetime ? $0.value : nil }
    }

    private func startIfExpired() {
        if document != nil, !isYounger(than: maximumAge) { _ = start() }
    }

    /// false also for a document of the future, which a clock that was set back leaves behind.
    private func isYounger(than age: Duration) -> Bool {
        guard let document else { return false }
        let time = now()
        return time >= document.fetchedAt && time - document.fetchedAt < age
    }

    /// - Returns: The fetch in progress or a new one; nil if the last one started too recently.
    private func start() -> Task<Void, Never>? {
        if let fetching { return fetching }
        let (time, interval) = (now(), document == nil ? firstFetchInterval : fetchInterval)
        // A clock that was set back must not stop the fetches.
        if let lastStart, lastStart <= time, time - lastStart < interval { return nil }
        lastStart = time
        // Unstructured, because the cancellation of one caller must not affect the others.
        let task = Task { await update() }
        fetching = task
        return task
    }

    private func update() async {
        do {
            let value = try await fetch(usable)
            if let document, document.value != value { changes += 1 }
            (document, lastFailure) = ((value, now()), nil)
        } catch {
            lastFailure = error
        }
        fetching = nil
    }
}
