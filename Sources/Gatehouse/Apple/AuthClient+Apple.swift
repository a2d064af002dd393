extension AuthClient {
    /// Asks Apple about the person who is signed in, and ends the session when they have stopped using Sign in with
    /// Apple for this app: ``SignedOutReason/consentRevoked``. The server is told, when it can be reached.
    ///
    /// Nobody is asked about a session whose account Apple has no part in. Whatever Apple says but `revoked` changes
    /// nothing, and so does silence: to a new device, to one whose owner is not signed in to it and to one without a
    /// network a person is not known, who must not be signed out for that.
    ///
    /// One revocation ends one session. Who then signs in another way, with a password for instance, stays signed in.
    ///
    /// - Returns: Whether the session ended.
    @discardableResult
    public func checkAppleCredential(_ credentials: AppleCredentials) async -> Bool {
        guard let (user, epoch) = await coordinator.owner() else { return false }
        var revoked: [String] = []
        for person in user.applePeople {
            switch await credentials.state(person) {
            case .revoked: revoked.append(person)
            case .authorized:
                await change { try await self.revocations.forget(person) }
                // One of the account's Apple identities is good.
                return false
            case .notFound, .transferred, .unavailable: return false
            }
        }
        guard !revoked.isEmpty, await !revocations.knows(revoked) else { return false }
        let (old, failure) = await coordinator.signOut(.consentRevoked, of: epoch)
        guard let old else { return false }
        if let failure { await coordinator.notify(.storeFailed(failure.shortText)) }
        await change { [revoked] in try await self.revocations.keep(revoked) }
        await revoke(old, AuthRequest("POST", "/logout", query: [("scope", SignOutScope.local.rawValue)]))
        return true
    }

    /// A write that fails costs one more sign-out at most.
    private func change(_ write: () async throws -> Void) async {
        do { try await write() } catch { await coordinator.notify(.storeFailed(error.shortText)) }
    }
}

extension User {
    /// What Apple calls the person: one identifier, hardly ever two.
    fileprivate var applePeople: [String] {
        (identities ?? []).filter { $0.provider == Provider.apple.rawValue }
            .map { $0.identityData["sub"]?.stringValue ?? $0.id }
    }
}

/// The people of whom Apple said "revoked", and whose sessions have ended for it.
struct KnownRevocations: Sendable {
    let storage: any SecureStorage
    let key: String

    init(storage: any SecureStorage, key: String) {
        self.storage = storage
        self.key = key + ".apple-revoked"
    }

    /// Whether all of them are known. A store that does not answer is believed to know them: nobody is signed out twice
    /// for it.
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
            // What is lost: a list that nobody can read. Its people are signed out once more.
            return Set((try? JSONReader.read(bytes))?.arrayValue?.compactMap(\.stringValue) ?? [])
        }
    }

    private func write(_ people: Set<String>) async throws {
        if people.isEmpty {
            try await storage.remove(key)
        } else {
            try await storage.write(Array(AnyJSON.array(people.sorted().map(AnyJSON.string)).text.utf8), for: key)
        }
    }
}
