import GatehouseWire

/// The discovery document, read when it is needed and kept for an hour.
///
/// All callers share one read at a time. An older document serves on while it is read anew, and for a day while
/// reads fail.
actor MetadataReader {
    private static let maximumAge: Duration = .seconds(3_600)
    private static let staleLifetime: Duration = .seconds(86_400)
    /// Between two reads, so that a provider that is down is not asked by every sign-in.
    private static let rereadInterval: Duration = .seconds(30)
    private static let firstReadInterval: Duration = .seconds(1)

    private let now: @Sendable () -> Instant
    private let read: @Sendable () async throws(ProviderFailure) -> ProviderMetadata
    private var kept: (metadata: ProviderMetadata, readAt: Instant)?
    private var lastReadAt: Instant?
    /// Of the last read; nil when it went well.
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

    /// - Returns: The read under way or a new one; nil when the last one began too recently.
    private func startReading(notWithin interval: Duration) -> Task<Void, Never>? {
        if let reading { return reading }
        let time = now()
        // A clock that was set back must not stop the reads.
        if let lastReadAt, lastReadAt <= time, time - lastReadAt < interval { return nil }
        lastReadAt = time
        // Unstructured on purpose: one caller's cancellation must not take the document from the others.
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
