public import Foundation

extension GatehouseClient {
    /// This device's accounts in the order they were added: at most ``DeviceAccount/limit``, none anonymous. Empty
    /// without ``Options/allowsSeveralAccounts``. Sends no request.
    ///
    /// - Throws: ``AuthClientError/storeUnavailable(_:)``.
    public var accounts: [DeviceAccount] {
        get async throws {
            guard let parked else { return [] }
            return try await parked.accounts(in: coordinator)
        }
    }

    /// Switches to another account of this device, without a request. The current account stays signed in; an anonymous
    /// one is lost.
    ///
    /// An expired access token is refreshed at its next use, which signs the user out if the server has ended the
    /// session.
    ///
    /// ```swift
    /// for account in try await client.accounts where account.state == .signedIn {
    ///     try await client.use(account: account.id)
    /// }
    /// ```
    ///
    /// - Returns: The account's session, whose access token may have expired.
    /// - Throws: `signedOut` if the account must sign in again; `storeUnavailable`, `storeFailed`. The current account
    ///   then stays.
    @discardableResult
    public func use(account id: UUID) async throws -> AuthSession {
        guard let parked else { throw AuthClientError.signedOut(.neverSignedIn) }
        let activation = try await parked.activate(id, in: coordinator)
        end(activation.ended, for: activation.session)
        return activation.session
    }

    /// Signs one account out on this device, even offline, and removes it from ``accounts``. No other account comes
    /// into use.
    ///
    /// - Returns: Whether the server revoked the session.
    /// - Throws: `storeUnavailable` or `storeFailed` if the session could not be deleted.
    @discardableResult
    public func remove(account id: UUID) async throws -> SignOutOutcome {
        if await coordinator.owner()?.user.id == id { return try await signOut(scope: .local) }
        guard let parked else { return .revoked }
        return await revoke(try await parked.remove(id, in: coordinator), .localLogout)
    }

    /// Signs all accounts out on this device, even offline. Waits for the server only about the account in use.
    ///
    /// - Throws: As ``remove(account:)``; `storeFailed` also if the list is unreadable. Accounts whose session could
    ///   not be deleted stay.
    public func signOutOfAllAccounts() async throws {
        var failure = await failing { try await self.signOut(scope: .local) }
        if let parked {
            // Another process may activate or add one in between.
            for _ in 0..<DeviceAccount.limit {
                let problem = await failing { try await self.removeListed(parked) }
                failure = failure ?? problem
                if problem != nil { break }
                // Ignored: every listed account was removed.
                guard let left = try? await parked.list(), !left.isEmpty else { break }
            }
        }
        if let failure { throw failure }
    }

    /// Continues after a failure.
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
        } else if let ended = try await parked.remove(id, in: coordinator) {
            endLater(ended)
        }
    }
}

extension GatehouseClient {
    package var allowsSeveralAccounts: Bool { parked != nil }

    /// Does not wait for the response.
    func endLater(_ session: KeptSession) {
        // Ignored: without a response, the session expires later.
        Task { await revoke(session, .localLogout) }
    }

    /// Not the new session's own predecessors.
    func end(_ replaced: [KeptSession], for session: AuthSession) {
        let id = AccessTokenClaims(session.accessToken)?.sessionID
        for old in replaced {
            let oldID = AccessTokenClaims(old.session.accessToken)?.sessionID
            let isOther = old.session.user.id != session.user.id
            if isOther || oldID != nil && id != nil && oldID != id { endLater(old) }
        }
    }

    func signOutListed(_ parked: ParkedAccounts) async -> (KeptSession?, AuthClientError?) {
        let ending = await parked.signOut(in: coordinator)
        for other in ending.others { endLater(other) }
        return (ending.session, ending.failure)
    }

    @discardableResult
    func unlist(_ id: UUID, _ parked: ParkedAccounts) async -> AuthClientError? {
        await failing { _ = try await parked.remove(id, in: self.coordinator) }
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
    static let localLogout = AuthRequest("POST", "/logout", query: [("scope", AuthSignOutScope.local.rawValue)])
}
