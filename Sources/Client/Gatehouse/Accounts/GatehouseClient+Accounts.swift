public import Foundation

// Several accounts on one device, with ``Options/allowsSeveralAccounts``.
extension GatehouseClient {
    /// The accounts that are signed in on this device or were until their session ended, in the order in which they were
    /// added. Contains at most ``DeviceAccount/limit``, no anonymous one, and none without
    /// ``Options/allowsSeveralAccounts``. Makes no call to the server.
    ///
    /// - Throws: ``AuthClientError/storeUnavailable(_:)``.
    public var accounts: [DeviceAccount] {
        get async throws {
            guard let parked else { return [] }
            return try await coordinator.accounts(of: parked)
        }
    }

    /// Brings another account of this device into use. The account in use stays signed in; an anonymous one ends, and
    /// its data is lost. Makes no call to the server if the account's access token is still valid.
    ///
    /// ```swift
    /// for account in try await client.accounts where account.state == .signedIn {
    ///     try await client.use(account: account.id)
    /// }
    /// ```
    ///
    /// - Returns: The account's session. Its access token has expired if the server or the store does not answer.
    /// - Throws: ``AuthClientError``: `signedOut` if the account has no session, or if the server has ended it: the user
    ///   must sign in to it again, and the account stays in ``accounts``. `storeUnavailable` or `storeFailed`. The account in
    ///   use then stays.
    @discardableResult
    public func use(account id: UUID) async throws -> AuthSession {
        guard let parked else { throw AuthClientError.signedOut(.neverSignedIn) }
        let activation = try await coordinator.activate(id, from: parked)
        end(activation.ended, for: activation.session)
        do {
            return try await session
        } catch AuthClientError.signedOut(let reason) {
            if let before = activation.parked {
                // Ignored: the store's failure. The client is then signed out, and the account stays parked.
                _ = try? await coordinator.activate(before, from: parked)
            }
            throw AuthClientError.signedOut(reason)
        } catch let error as AuthClientError {
            guard case .sessionChanged = error else { return activation.session }
            throw error
        }
    }

    /// Signs one account out on this device, whatever the server answers, and removes it from ``accounts``. If it is the
    /// one in use, the client is signed out, and no other account comes into use.
    ///
    /// - Returns: Whether the server ended the session too.
    /// - Throws: ``AuthClientError/storeUnavailable(_:)`` or ``AuthClientError/storeFailed(_:)`` if the session could not
    ///   be deleted.
    @discardableResult
    public func remove(account id: UUID) async throws -> SignOutOutcome {
        if await coordinator.owner()?.user.id == id { return try await signOut(scope: .local) }
        guard let parked else { return .revoked }
        return await revoke(try await coordinator.remove(id, from: parked), .localLogout)
    }

    /// Signs all accounts out on this device, even if the server cannot be reached. The server is told about the
    /// account in use before the call returns, and about the others afterwards.
    ///
    /// - Throws: As ``remove(account:)``. An account whose session could not be deleted stays; the others are signed out.
    public func signOutOfAllAccounts() async throws {
        let failure = await failing { try await self.removeParked() }
        try await signOut(scope: .local)
        if let failure { throw failure }
    }

    private func removeParked() async throws {
        guard let parked else { return }
        var failure: AuthClientError?
        for account in try await parked.list() {
            failure = await failing { try await self.removeParked(account.id, parked) } ?? failure
        }
        if let failure { throw failure }
    }

    private func removeParked(_ id: UUID, _ parked: ParkedAccounts) async throws {
        if let ended = try await coordinator.remove(id, from: parked) { endLater(ended) }
    }
}

extension GatehouseClient {
    /// Whether ``Options/allowsSeveralAccounts`` is on.
    package var allowsSeveralAccounts: Bool { parked != nil }

    /// Ends a session at the server without waiting for the answer.
    func endLater(_ session: KeptSession) {
        // Ignored: without a response, the session expires later.
        Task { await revoke(session, .localLogout) }
    }

    /// Ends the sessions that a new one replaced, except those that are the same session with earlier tokens.
    func end(_ replaced: [KeptSession], for session: AuthSession) {
        let id = AccessTokenClaims(session.accessToken)?.sessionID
        for old in replaced {
            let oldID = AccessTokenClaims(old.session.accessToken)?.sessionID
            let isOther = old.session.user.id != session.user.id
            if isOther || oldID != nil && id != nil && oldID != id { endLater(old) }
        }
    }

    /// Signs out the account in use, and removes it from the list: first the copy that a crash may have left, then the
    /// session, then the entry.
    func signOutListed(_ parked: ParkedAccounts) async -> (KeptSession?, AuthClientError?) {
        let user = await coordinator.owner()?.user.id
        var failure: AuthClientError?
        if let user { failure = await failing { try await parked.slot(user).clear() } }
        let (old, problem) = await coordinator.signOut(.requested)
        if let ended = old?.session.user.id ?? user { failure = await unlist(ended, parked) ?? failure }
        return (old, problem ?? failure)
    }

    /// Removes an account without a session from the list.
    @discardableResult
    func unlist(_ id: UUID, _ parked: ParkedAccounts) async -> AuthClientError? {
        await failing { _ = try await self.coordinator.remove(id, from: parked) }
    }

    private func failing(_ work: @Sendable () async throws -> Void) async -> AuthClientError? {
        do {
            try await work()
            return nil
        } catch {
            return .storeFailed(StoreProblem(error))
        }
    }
}

extension AuthRequest {
    /// Ends the session of the access token.
    static let localLogout = AuthRequest("POST", "/logout", query: [("scope", AuthSignOutScope.local.rawValue)])
}
