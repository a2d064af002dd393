package import GatehouseWire

private let staleLifetime: Duration = .seconds(86_400)
/// Protects an unavailable server.
private let fetchInterval: Duration = .seconds(30)
/// While there is no document.
private let firstFetchInterval: Duration = .seconds(1)

/// All callers share one fetch. An expired document stays in use during the fetch; from twice the maximum age on,
/// callers wait for it and get the old document only if it fails, for a day.
package actor CachedDocument<Value: Equatable & Sendable> {
    private let maximumAge: Duration
    private let now: @Sendable () -> Instant
    private let fetch: @Sendable (Value?) async throws -> Value
    private var document: (value: Value, fetchedAt: Instant)?
    private var lastStart: Instant?
    private var fetching: Task<Void, Never>?
    private var changes: UInt64 = 0

    /// Not thrown while an old document is in use.
    package private(set) var lastFailure: (any Error)?

    /// - Parameter fetch: Has its own time limit. Receives the current document.
    package init(
        maximumAge: Duration, now: @escaping @Sendable () -> Instant,
        fetch: @escaping @Sendable (Value?) async throws -> Value
    ) {
        (self.maximumAge, self.now, self.fetch) = (maximumAge, now, fetch)
    }

    /// - Returns: nil without a document that is less than a day old; ``lastFailure`` has the reason.
    package func current() async -> Value? {
        guard let document, isYounger(than: maximumAge * 2) else { return await fetchedAgain() }
        startIfExpired()
        return document.value
    }

    /// Does nothing if the last fetch started less than 30 seconds ago.
    package func fetchedAgain() async -> Value? {
        await start()?.value
        return usable
    }

    /// Starts to fetch an expired document without waiting, for callers with their own cache.
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

    /// false for a document from the future: the clock was set back.
    private func isYounger(than age: Duration) -> Bool {
        guard let document else { return false }
        let time = now()
        return time >= document.fetchedAt && time - document.fetchedAt < age
    }

    /// - Returns: nil if the last fetch started too recently.
    private func start() -> Task<Void, Never>? {
        if let fetching { return fetching }
        let (time, interval) = (now(), document == nil ? firstFetchInterval : fetchInterval)
        // A clock that was set back must not stop the fetches.
        if let lastStart, lastStart <= time, time - lastStart < interval { return nil }
        lastStart = time
        // Unstructured: the cancellation of one caller must not affect the others.
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
