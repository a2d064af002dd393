import Gatehouse

// A second account for the owner of an address.
extension AuthManager {
    /// Whether to offer ``startOver()``: while the second factor of an account with an address is asked, and unless the server
    /// accepts no new accounts.
    public var canStartOver: Bool {
        secondFactor != nil && hasAddress && serverSettings?.allowsSignUp ?? true
    }

    /// Moves the address of the account to a new account, and signs in to that one: for a user who reads the mailbox but
    /// cannot pass the second factor. The previous account keeps its data, sign-in methods and sessions, and loses only the
    /// address; its password still signs in with it. Ask first.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/freshSignInNeeded`` unless the session began with an emailed code or
    ///   link at most ten minutes ago; ``AuthError/signUpDisabled``. The question stays.
    public func startOver() async throws(AuthError) {
        guard isLoggedIn || secondFactor != nil else { throw .notAuthenticated }
        let mine = epoch
        callCount += 1
        defer { callCount -= 1 }
        do {
            // Not in the caller's task, which ends with a screen: the address may have moved by then.
            let session = try await Task { try await self.service.startOver() }.value
            // The service's event may have shown the user already.
            let isShown = user?.id == session.user.id
            guard epoch == mine || isShown else { throw AuthError.cancelled }
            pendingLink = nil
            if !isShown {
                // Work for the previous account must have no effect.
                epoch += 1
                if enter(session) { loadProfile() }
            }
            isNewUser = true
            proofs.answer(.dismissed)
        } catch {
            throw AuthError(error)
        }
    }
}
