public import Foundation
public import Gatehouse

// Several accounts on one device.
extension AuthManager {
    /// Whether a sign-in to another account keeps the signed-in one on this device.
    public nonisolated var allowsSeveralAccounts: Bool { service.allowsSeveralAccounts }

    /// The accounts that are signed in on this device, or were until their session ended; without
    /// ``allowsSeveralAccounts`` none. The order is that in which they were added. The account in use has the profile's name,
    /// the others that of their account. Empty until the store has answered.
    ///
    /// ```swift
    /// if let other = account.accounts.first(where: { $0.state == .signedIn }) {
    ///     try await account.use(other.id)
    /// }
    /// ```
    public var accounts: [DeviceAccount] {
        storedAccounts.map { account in
            guard let user, user.id == account.id else { return account }
            return DeviceAccount(
                id: user.id, email: user.email, name: user.firstName ?? account.name, state: account.state)
        }
    }

    /// Whether another account can be added: several are allowed, a user is signed in who is not anonymous, and fewer than
    /// `DeviceAccount.limit` accounts are signed in. ``switchAccount(_:)`` adds one.
    public var canAddAccount: Bool {
        allowsSeveralAccounts && isLoggedIn && !isAnonymous
            && accounts.count { $0.state != .signedOut } < DeviceAccount.limit
    }

    /// Reads ``accounts`` again, for example when a screen shows them: another process may have changed them. If the store
    /// does not answer, they stay as they are.
    public func loadAccounts() async {
        guard allowsSeveralAccounts else { return }
        accountLoads += 1
        let mine = accountLoads
        // Ignored: the store does not answer. The next change reads it again.
        guard let accounts = try? await service.accounts(), mine == accountLoads else { return }
        if accounts != storedAccounts { storedAccounts = accounts }
    }

    func accountsChanged(after event: AuthEvent) {
        guard allowsSeveralAccounts, event != .tokenRefreshed else { return }
        Task { [weak self] in await self?.loadAccounts() }
    }

    /// Brings another account of this device into use, as after a start of the app: shows it without a call to the auth
    /// server, then loads its profile. The previous account stays signed in, in ``accounts``. If the server has ended
    /// the chosen account's session, the user is then signed out with the reason, and the account stays in the list
    /// as signed out.
    ///
    /// An anonymous user, whose account would be lost, is asked first (``switchQuestion``).
    ///
    /// - Parameter account: The `DeviceAccount.id`.
    /// - Returns: `secondFactorNeeded` if the account's second factor is asked now; `cancelled` if the anonymous user stays;
    ///   `ignored` during a sign-in or another switch.
    /// - Throws: ``AuthError``: ``AuthError/notAuthenticated`` if the account is signed out, so that the user must
    ///   sign in to it again; ``AuthError/storeFailed(_:)``. The account in use then stays. ``AuthError/cancelled``
    ///   after a sign-out.
    @discardableResult
    public func use(_ account: UUID) async throws(AuthError) -> SignInOutcome {
        guard user?.id != account else { return .signedIn }
        guard !isSigningIn else { return .ignored }
        if isAnonymous, !isSwitching, await !wantsSwitch(to: nil) {
            if couldAskForSwitch { return .cancelled }
            throw .alreadySignedIn
        }
        isActivating = true
        defer { isActivating = false }
        activated = account
        let mine = epoch
        do {
            // Not in the caller's task, which ends with a screen.
            let session = try await Task { try await self.service.use(account: account) }.value
            // The service's event may have shown the account already.
            if shownAccount != account {
                guard epoch == mine else { throw AuthError.cancelled }
                open(session)
            }
            let outcome = user == nil ? SignInOutcome.secondFactorNeeded : .signedIn
            await loadAccounts()
            return outcome
        } catch {
            await loadAccounts()
            throw epoch == mine ? AuthError(error) : .cancelled
        }
    }

    private func open(_ session: AuthSession) {
        if shownAccount != nil { leaveAccount() }
        if enter(session) { loadProfile() }
    }

    /// Signs one account out on this device, even without a network, and removes it from ``accounts``. For the account in use
    /// this is ``signOut()``.
    ///
    /// - Throws: ``AuthError/storeFailed(_:)`` if the account's session could not be deleted.
    public func remove(_ account: UUID) async throws(AuthError) {
        guard account != user?.id else { return await signOut() }
        do {
            // Not in the caller's task, which ends with a screen.
            try await Task { try await self.service.remove(account: account) }.value
            await loadAccounts()
        } catch {
            await loadAccounts()
            throw AuthError(error)
        }
    }

    /// Signs out of all accounts on this device, even without a network. Sets ``error`` if the store could not be cleared.
    public func signOutOfAllAccounts() async {
        leave(.requested)
        let service = service
        await endSessions { try await service.signOutOfAllAccounts() }
    }

    /// The user does not prove a second factor. Brings the account into use again that was in use before. A sign-in without
    /// its second factor ends; an account of ``accounts`` stays there.
    func leaveSecondFactor() async {
        let before = accountBefore
        accountBefore = nil
        if before == nil || activated == nil || activated != secondFactor?.userID { await signOut() }
        guard let before else { return }
        // Ignored: if the account's session has ended, the login screen shows the remaining accounts.
        _ = try? await use(before)
    }
}
