package import GatehouseWire

/// The keys of another server, read from its JWKS document when needed and kept.
///
/// All callers share one read at a time. A document that has passed its age serves on while its successor is
/// read; from twice that age on callers wait for the read, and get the old keys only when it fails.
package actor RemoteKeySet {
    package enum Failure: Error, Equatable, Sendable {
        case rejected(TokenRejection)
        /// No document, none young enough, or a key that it does not name while it cannot be read again: the token was
        /// not judged. Not the caller's fault (503).
        case keysUnavailable
    }

    package struct Limits: Sendable {
        /// When a document should be read again.
        package var maximumAge: Duration = .seconds(600)
        /// For how long a document serves while reads fail.
        package var staleLifetime: Duration = .seconds(86_400)
        /// Between two reads, whether for an unknown `kid` or after a failure.
        package var rereadInterval: Duration = .seconds(30)
        /// Between two reads while there is no document at all.
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

    /// Why the last read failed; nil when it did not. For the log: nothing is thrown while old keys serve.
    package private(set) var lastFailure: (any Error)?

    /// - Parameter fetch: Brings the JWKS document. Its time limit is its own.
    package init(
        limits: Limits = Limits(), now: @escaping @Sendable () -> Instant,
        fetch: @escaping @Sendable () async throws -> [UInt8]
    ) {
        (self.limits, self.now, self.fetch) = (limits, now, fetch)
    }

    /// Verifies as ``KeySet/verify(_:at:leeway:)`` does. A `kid` that is not known leads to one more read of the
    /// document, unless the last one was less than ``Limits/rereadInterval`` ago.
    package nonisolated func verify(
        _ token: String, at now: Instant, leeway: Duration = .zero
    ) async throws(Failure) -> VerifiedToken {
        try await judged { keys throws(TokenRejection) in try keys.verify(token, at: now, leeway: leeway) }
    }

    /// Checks the signature alone, as ``KeySet/payload(of:)`` does, and reads the document again as above.
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
            // The only key may have taken another's place by now, and the token does not tell.
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

    /// Counts the times that other keys took the place of those before. Begins to read the document again when it is
    /// old, and waits for nothing: whoever remembers tokens asks this where he does not need the keys.
    package func keyChanges() -> UInt64 {
        if let document, now() - document.readAt >= limits.maximumAge {
            _ = startReading(notWithin: limits.rereadInterval)
        }
        return changes
    }

    /// The keys as they are known now; reads the document when it is missing or old.
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

    /// - Returns: The read under way or a new one; nil when the last one began too recently.
    private func startReading(notWithin interval: Duration) -> Task<Void, Never>? {
        if let reading { return reading }
        let time = now()
        // A clock that was set back must not stop the reads.
        if let lastReadAt, lastReadAt <= time, time - lastReadAt < interval { return nil }
        lastReadAt = time
        // Unstructured on purpose: one caller's cancellation must not take the keys from the others.
        let task = Task { await read() }
        reading = task
        return task
    }

    private func read() async {
        do {
            let keys = try KeySet(published: try await fetch(), maximumBytes: limits.maximumBytes)
            if let document {
                // An issuer that withdraws every key publishes others; none at all is a fault of its own.
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
