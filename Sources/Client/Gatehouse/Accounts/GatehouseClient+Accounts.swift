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

    /// Brings another account of this device into use, without a call to the server. The account in use stays signed
    /// in; an anonymous one ends, and its data is lost.
    ///
    /// An expired access token is refreshed at its next use. If the server has ended the session, that refresh signs
    /// the user out, as it would any session's, and the account stays in ``accounts`` as signed out.
    ///
    /// ```swift
    /// for account in try await client.accounts where account.state == .signedIn {
    ///     try await client.use(account: account.id)
    /// }
    /// ```
    ///
    /// - Returns: The account's session, whose access token may have expired.
    /// - Throws: ``AuthClientError``: `signedOut` if the account has no session on this device: the user must sign in
    ///   to it again. `storeUnavailable` or `storeFailed`. The account in use then stays.
    @discardableResult
    public func use(account id: UUID) async throws -> AuthSession {
        guard let parked else { throw AuthClientError.signedOut(.neverSignedIn) }
        let activation = try await coordinator.activate(id, from: parked)
        end(activation.ended, for: activation.session)
        return activation.session
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
    /// - Throws: As ``remove(account:)``; `storeFailed` also if the list is unreadable. An account whose session could
    ///   not be deleted stays; the others are signed out.
    public func signOutOfAllAccounts() async throws {
        var failure = await failing { try await self.signOut(scope: .local) }
        if let parked {
            // Another process may bring an account into use in between, or add one.
            for _ in 0..<DeviceAccount.limit {
                let problem = await failing { try await self.removeListed(parked) }
                failure = failure ?? problem
                if problem != nil { break }
                // Ignored: a store that no longer answers. Every account that was listed is removed.
                guard let left = try? await parked.list(), !left.isEmpty else { break }
            }
        }
        if let failure { throw failure }
    }

    /// Signs every listed account out, also after one has failed.
    private func removeListed(_ parked: ParkedAccounts) async throws {
        var failure: AuthClientError?
        for account in try await parked.readableList() {
            failure = await failing { try await self.removeLater(account.id, parked) } ?? failure
        }
        if let failure { throw failure }
    }

    private func removeLater(_ id: UUID, _ parked: ParkedAccounts) async throws {
        if await coordinator.owner()?.user.id == id {
            try await signOut(scope: .local)
        } else if let ended = try await coordinator.remove(id, from: parked) {
            endLater(ended)
        }
    }
}

extension GatehouseClient {
    /// Whether ``Options/allowsSeveralAccounts`` is on.
    package var allowsSeveralAccounts: Bool { parked != nil }

    /// Ends a session at the server without waiting for the answer.
    func endLater(_ session: KeptSession) {
        // Ignored: the server's answer. Without one, the session expires later.
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

    /// Signs out the account in use, and removes it from the list.
    func signOutListed(_ parked: ParkedAccounts) async -> (KeptSession?, AuthClientError?) {
        let ending = await coordinator.signOut(from: parked)
        for other in ending.others { endLater(other) }
        return (ending.session, ending.failure)
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
        } catch let error as AuthClientError {
            return error
        } catch {
            return .storeFailed(StoreProblem(error))
        }
    }
}

extension AuthRequest {
    /// Ends the session of the access token.
    static let localLogout = AuthRequest("POST", "/logout", query: [("scope", AuthSignOutScope.local.rawValue)])
}
