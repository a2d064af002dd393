package import GatehouseWire

/// The keys of another server, fetched from its JWKS document on demand and cached.
///
/// All callers share one fetch. An expired document stays in use while its successor is fetched. From twice the maximum
/// age on, callers wait for the fetch and get the old keys only if it fails.
package actor RemoteKeySet {
    package enum Failure: Error, Equatable, Sendable {
        case rejected(TokenRejection)
        /// There is no document, or only an outdated one, or the key is unknown and the document cannot be fetched
        /// again. The token was not verified, so the caller answers 503.
        case keysUnavailable
    }

    package struct Limits: Sendable {
        /// The age after which a document is fetched again.
        package var maximumAge: Duration = .seconds(600)
        /// How long a document stays in use while fetches fail.
        package var staleLifetime: Duration = .seconds(86_400)
        /// The minimum time between two fetches, for an unknown `kid` or after a failure.
        package var rereadInterval: Duration = .seconds(30)
        /// The minimum time between two fetches while there is no document.
        package var firstReadInterval: Duration = .seconds(1)
        package var maximumBytes = 262_144

        package init() {}
    }

    private struct Document {
        let keys: KeySet
        let readAt: Instant
    }

    private let limits: Limits
    private let now: @Sendable () -> Instant
    private let fetch: @Sendable () async throws -> [UInt8]
    private var document: Document?
    private var lastReadAt: Instant?
    private var reading: Task<Void, Never>?
    private var changes: UInt64 = 0

    /// The error of the last fetch; nil if it succeeded. For the log, because no error is thrown while old keys are in
    /// use.
    package private(set) var lastFailure: (any Error)?

    /// - Parameter fetch: Fetches the JWKS document, with its own time limit.
    package init(
        limits: Limits = Limits(), now: @escaping @Sendable () -> Instant,
        fetch: @escaping @Sendable () async throws -> [UInt8]
    ) {
        (self.limits, self.now, self.fetch) = (limits, now, fetch)
    }

    /// Verifies a token like ``KeySet/verify(_:at:leeway:)``. An unknown `kid` triggers another fetch, unless the last
    /// one was less than ``Limits/rereadInterval`` ago.
    package nonisolated func verify(
        _ token: String, at now: Instant, leeway: Duration = .zero
    ) async throws(Failure) -> VerifiedToken {
        try await judged { keys throws(TokenRejection) in try keys.verify(token, at: now, leeway: leeway) }
    }

    /// Verifies the signature only, like ``KeySet/payload(of:)``. Fetches the document as above.
    package nonisolated func payload(of token: String) async throws(Failure) -> SignedPayload {
        try await judged { keys throws(TokenRejection) in try keys.payload(of: token) }
    }

    private nonisolated func judged<Value: Sendable>(
        _ judge: (KeySet) throws(TokenRejection) -> Value
    ) async throws(Failure) -> Value {
        let known = try await currentKeys()
        do throws(TokenRejection) {
            return try judge(known)
        } catch {
            let newer: KeySet
            switch error {
            case .unknownKey(let id?): newer = try await keys(lookingFor: id.text)
            // The document's only key may have been replaced, and the token does not name its key.
            case .unknownKey(nil) where known.isOnlyKey: newer = try await keysReadAgain()
            default: throw .rejected(error)
            }
            do throws(TokenRejection) {
                return try judge(newer)
            } catch {
                if case .unknownKey = error, await lastFailure != nil { throw .keysUnavailable }
                throw .rejected(error)
            }
        }
    }

    /// The number of times that the keys have changed. Starts to fetch an expired document without waiting, so that
    /// callers with cached tokens keep it current.
    package func keyChanges() -> UInt64 {
        if let document, now() - document.readAt >= limits.maximumAge {
            _ = startReading(notWithin: limits.rereadInterval)
        }
        return changes
    }

    /// The current keys. Fetches the document if it is missing or expired.
    package func currentKeys() async throws(Failure) -> KeySet {
        if let document {
            let age = now() - document.readAt
            if age < limits.maximumAge { return document.keys }
            if age < limits.maximumAge * 2 {
                _ = startReading(notWithin: limits.rereadInterval)
                return document.keys
            }
        }
        await startReading(notWithin: document == nil ? limits.firstReadInterval : limits.rereadInterval)?.value
        return try usableKeys()
    }

    private func keys(lookingFor id: String) async throws(Failure) -> KeySet {
        if document?.keys[id] == nil { await startReading(notWithin: limits.rereadInterval)?.value }
        return try usableKeys()
    }

    private func keysReadAgain() async throws(Failure) -> KeySet {
        await startReading(notWithin: limits.rereadInterval)?.value
        return try usableKeys()
    }

    private func usableKeys() throws(Failure) -> KeySet {
        guard let document, now() - document.readAt < limits.staleLifetime else { throw .keysUnavailable }
        return document.keys
    }

    /// - Returns: The fetch in progress or a new one; nil if the last one started too recently.
    private func startReading(notWithin interval: Duration) -> Task<Void, Never>? {
        if let reading { return reading }
        let time = now()
        // A clock that was set back must not stop the fetches.
        if let lastReadAt, lastReadAt <= time, time - lastReadAt < interval { return nil }
        lastReadAt = time
        // Unstructured, because the cancellation of one caller must not affect the others.
        let task = Task { await read() }
        reading = task
        return task
    }

    private func read() async {
        do {
            let keys = try KeySet(published: try await fetch(), maximumBytes: limits.maximumBytes)
            if let document {
                // An issuer that revokes all its keys publishes new ones. An empty document is an error of the issuer.
                if keys.isEmpty, now() - document.readAt < limits.staleLifetime { throw KeyProblem.unreadable }
                if keys != document.keys { changes += 1 }
            }
            (document, lastFailure) = (Document(keys: keys, readAt: now()), nil)
        } catch {
            lastFailure = error
        }
        reading = nil
    }
}
