public import Foundation
public import Gatehouse

extension AuthManager {
    /// Whether a sign-in keeps the previous account on this device.
    public nonisolated var allowsSeveralAccounts: Bool { service.allowsSeveralAccounts }

    /// This device's accounts, oldest first, including those whose session ended.
    ///
    /// Empty without ``allowsSeveralAccounts``, and until the store has answered. The account in use has the profile's
    /// name.
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

    /// Whether ``switchAccount(_:)`` can add an account, up to `DeviceAccount.limit`. False for an anonymous user.
    public var canAddAccount: Bool {
        allowsSeveralAccounts && isLoggedIn && !isAnonymous
            && accounts.count { $0.state != .signedOut } < DeviceAccount.limit
    }

    /// Rereads ``accounts``, which another process may have changed.
    public func loadAccounts() async {
        guard allowsSeveralAccounts else { return }
        accountLoads += 1
        let mine = accountLoads
        // Ignored: the next change rereads the store.
        guard let accounts = try? await service.accounts(), mine == accountLoads else { return }
        if accounts != storedAccounts { storedAccounts = accounts }
    }

    func accountsChanged(after event: AuthEvent) {
        guard allowsSeveralAccounts, event != .tokenRefreshed else { return }
        Task { [weak self] in await self?.loadAccounts() }
    }

    /// Activates another account of this device and loads its profile. The previous one stays in ``accounts``.
    ///
    /// Calls no auth server. If the account's session has ended, the user is signed out with the reason. An anonymous
    /// user, whose account would be lost, is asked first (``switchQuestion``).
    ///
    /// - Parameter account: The `DeviceAccount.id`.
    /// - Returns: `secondFactorNeeded`; `cancelled` if the anonymous user stays; `ignored` during a sign-in or switch.
    /// - Throws: ``AuthError/notAuthenticated`` if the account is signed out, or ``AuthError/storeFailed(_:)``: the
    ///   account in use stays. ``AuthError/cancelled`` after a sign-out.
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
            // The caller's task ends with its screen.
            let session = try await Task { try await self.service.use(account: account) }.value
            // An event may have shown it already.
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

    /// Signs an account out on this device, even offline, and removes it from ``accounts``.
    ///
    /// For the account in use, this is ``signOut()``.
    ///
    /// - Throws: ``AuthError/storeFailed(_:)`` if its session could not be deleted.
    public func remove(_ account: UUID) async throws(AuthError) {
        guard account != user?.id else { return await signOut() }
        do {
            // The caller's task ends with its screen.
            try await Task { try await self.service.remove(account: account) }.value
            await loadAccounts()
        } catch {
            await loadAccounts()
            throw AuthError(error)
        }
    }

    /// Signs out of all accounts on this device, even offline. Sets ``error`` if the store was not cleared.
    public func signOutOfAllAccounts() async {
        leave(.requested)
        let service = service
        await endSessions { try await service.signOutOfAllAccounts() }
    }

    /// Returns to the previous account. The incomplete sign-in ends, unless its account is in ``accounts``.
    func leaveSecondFactor() async {
        let before = accountBefore
        accountBefore = nil
        if before == nil || activated == nil || activated != secondFactor?.userID { await signOut() }
        guard let before else { return }
        // Ignored: the login screen shows the remaining accounts.
        _ = try? await use(before)
    }
}
