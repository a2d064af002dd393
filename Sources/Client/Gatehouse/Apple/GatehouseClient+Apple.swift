extension GatehouseClient {
    /// Ends the session if its user stopped using Sign in with Apple for this app (``SignedOutReason/consentRevoked``),
    /// and tells the server if reachable.
    ///
    /// Only Apple's state `revoked` ends it: new or offline devices do not know the user. A user who then signs in by
    /// another method stays signed in. Does nothing without an Apple identity.
    ///
    /// - Returns: Whether the session ended.
    @discardableResult
    public func checkAppleCredential(_ credentials: AppleConsent) async -> Bool {
        guard let (user, epoch) = await coordinator.owner() else { return false }
        var revoked: [String] = []
        for person in user.applePeople {
            switch await credentials.state(person) {
            case .revoked: revoked.append(person)
            case .authorized:
                await change { try await self.revocations.forget(person) }
                // One of the Apple identities is authorized.
                return false
            case .notFound, .transferred, .unavailable: return false
            }
        }
        guard !revoked.isEmpty, await !revocations.knows(revoked) else { return false }
        let (old, failure) = await coordinator.signOut(.consentRevoked, of: epoch)
        guard let old else { return false }
        if let failure { await coordinator.notify(.storeFailed(StoreProblem(failure))) }
        await change { [revoked] in try await self.revocations.keep(revoked) }
        await revoke(old, AuthRequest("POST", "/logout", query: [("scope", AuthSignOutScope.local.rawValue)]))
        return true
    }

    /// A failure costs at most one more sign-out.
    private func change(_ write: () async throws -> Void) async {
        do { try await write() } catch { await coordinator.notify(.storeFailed(StoreProblem(error))) }
    }
}

extension AuthUser {
    /// Rarely more than one.
    fileprivate var applePeople: [String] {
        (identities ?? []).filter { $0.provider == AuthProvider.apple.rawValue }
            .map { $0.identityData["sub"]?.stringValue ?? $0.id }
    }
}

/// Users whose sessions ended on Apple's report.
struct KnownRevocations: Sendable {
    let storage: any SecureStorage
    let key: String

    init(storage: any SecureStorage, key: String) {
        self.storage = storage
        self.key = key + ".apple-revoked"
    }

    /// true without an answer, to avoid a second sign-out.
    func knows(_ people: [String]) async -> Bool {
        do { return try await Set(people).isSubset(of: read()) } catch { return true }
    }

    func keep(_ people: [String]) async throws { try await write(try await read().union(people)) }

    func forget(_ person: String) async throws {
        let people = try await read()
        if people.contains(person) { try await write(people.subtracting([person])) }
    }

    private func read() async throws -> Set<String> {
        switch await storage.read(key) {
        case .absent: return []
        case .unavailable(let reason): throw AuthClientError.storeUnavailable(reason)
        case .value(let bytes):
            // Ignored: costs one more sign-out.
            return Set((try? JSONReader.read(bytes))?.arrayValue?.compactMap(\.stringValue) ?? [])
        }
    }

    private func write(_ people: Set<String>) async throws {
        if people.isEmpty {
            try await storage.remove(key)
        } else {
            try await storage.write(Array(AuthJSON.array(people.sorted().map(AuthJSON.string)).text.utf8), for: key)
        }
    }
}
