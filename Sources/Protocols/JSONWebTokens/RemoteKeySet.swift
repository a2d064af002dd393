package import GatehouseWire

/// Cached for ten minutes; see ``CachedDocument``.
package struct RemoteKeySet: Sendable {
    package enum Failure: Error, Equatable, Sendable {
        case rejected(TokenRejection)
        /// No current document, or the key is unknown and the document cannot be fetched again. Respond with 503.
        case keysUnavailable
    }

    private let document: CachedDocument<KeySet>

    /// - Parameter fetch: Has its own time limit. At most 262,144 bytes are read.
    package init(
        now: @escaping @Sendable () -> Instant, fetch: @escaping @Sendable () async throws -> [UInt8]
    ) {
        document = CachedDocument(maximumAge: .seconds(600), now: now) { known in
            let keys = try KeySet(published: try await fetch())
            // An issuer that revokes all its keys publishes new ones, so an empty document is its error.
            if keys.isEmpty, known != nil { throw KeyProblem.unreadable }
            return keys
        }
    }

    package var lastFailure: (any Error)? { get async { await document.lastFailure } }

    /// See ``CachedDocument/changeCount()``.
    package func keyChanges() async -> UInt64 { await document.changeCount() }

    /// - Throws: ``Failure/keysUnavailable`` if the fetch fails and no document is less than a day old.
    package func currentKeys() async throws(Failure) -> KeySet {
        guard let keys = await document.current() else { throw .keysUnavailable }
        return keys
    }

    /// Like ``KeySet/verify(_:at:leeway:acceptsKeys:)``. An unknown `kid` triggers another fetch, at most every 30
    /// seconds.
    package func verify(
        _ token: String, at now: Instant, leeway: Duration = .zero
    ) async throws(Failure) -> VerifiedToken {
        try await judged { keys throws(TokenRejection) in try keys.verify(token, at: now, leeway: leeway) }
    }

    /// Like ``KeySet/payload(of:)``.
    package func payload(of token: String) async throws(Failure) -> SignedPayload {
        try await judged { keys throws(TokenRejection) in try keys.payload(of: token) }
    }

    private func judged<Value: Sendable>(
        _ judge: (KeySet) throws(TokenRejection) -> Value
    ) async throws(Failure) -> Value {
        let known = try await currentKeys()
        do throws(TokenRejection) {
            return try judge(known)
        } catch {
            // Without a `kid`, the document's only key may have been replaced.
            guard case .unknownKey(let id) = error, id != nil || known.isOnlyKey else { throw .rejected(error) }
            guard let newer = await document.fetchedAgain() else { throw .keysUnavailable }
            do throws(TokenRejection) {
                return try judge(newer)
            } catch {
                if case .unknownKey = error, await lastFailure != nil { throw .keysUnavailable }
                throw .rejected(error)
            }
        }
    }
}
