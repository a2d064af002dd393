import GatehouseWire

/// The discovery document, fetched on demand and cached for an hour.
///
/// All callers share one fetch. An expired document stays in use while its successor is fetched, and for a day while
/// fetches fail.
actor MetadataReader {
    private static let maximumAge: Duration = .seconds(3_600)
    private static let staleLifetime: Duration = .seconds(86_400)
    /// The minimum time between two fetches, so that sign-ins do not flood an unavailable provider.
    private static let rereadInterval: Duration = .seconds(30)
    private static let firstReadInterval: Duration = .seconds(1)

    private let now: @Sendable () -> Instant
    private let read: @Sendable () async throws(ProviderFailure) -> ProviderMetadata
    private var kept: (metadata: ProviderMetadata, readAt: Instant)?
    private var lastReadAt: Instant?
    /// The error of the last fetch; nil if it succeeded.
    private(set) var lastFailure: ProviderFailure?
    private var reading: Task<Void, Never>?

    init(
        now: @escaping @Sendable () -> Instant,
        read: @escaping @Sendable () async throws(ProviderFailure) -> ProviderMetadata
    ) {
        (self.now, self.read) = (now, read)
    }

    func current() async throws(ProviderFailure) -> ProviderMetadata {
        if let kept {
            let age = now() - kept.readAt
            if age < Self.maximumAge { return kept.metadata }
            if age < Self.maximumAge * 2 {
                _ = startReading(notWithin: Self.rereadInterval)
                return kept.metadata
            }
        }
        await startReading(notWithin: kept == nil ? Self.firstReadInterval : Self.rereadInterval)?.value
        if let kept, now() - kept.readAt < Self.staleLifetime { return kept.metadata }
        throw lastFailure ?? .unavailable(.discovery, .noAnswer(.noConnection))
    }

    /// - Returns: The fetch in progress or a new one; nil if the last one started too recently.
    private func startReading(notWithin interval: Duration) -> Task<Void, Never>? {
        if let reading { return reading }
        let time = now()
        // A clock that was set back must not stop the fetches.
        if let lastReadAt, lastReadAt <= time, time - lastReadAt < interval { return nil }
        lastReadAt = time
        // Unstructured, because the cancellation of one caller must not affect the others.
        let task = Task { await readAnew() }
        reading = task
        return task
    }

    private func readAnew() async {
        do throws(ProviderFailure) {
            (kept, lastFailure) = ((try await read(), now()), nil)
        } catch {
            lastFailure = error
        }
        reading = nil
    }
}
