import Gatehouse

extension AuthManager {
    /// Whether to offer ``startOver()`` during the second factor.
    public var canStartOver: Bool {
        secondFactor != nil && hasAddress && serverSettings?.allowsSignUp ?? true
    }

    /// Moves the address to a new account and signs in to it, for a user who cannot pass the second factor.
    ///
    /// The previous account keeps everything else; its password still signs in with the address. Ask first.
    ///
    /// - Throws: ``AuthError/freshSignInNeeded`` unless the session began with an emailed code or link at most ten
    ///   minutes ago; ``AuthError/signUpDisabled``; or another ``AuthError``. The question remains.
    public func startOver() async throws(AuthError) {
        guard isLoggedIn || secondFactor != nil else { throw .notAuthenticated }
        let mine = epoch
        callCount += 1
        defer { callCount -= 1 }
        do {
            // The screen may close, but the address may have moved.
            let session = try await Task { try await self.service.startOver() }.value
            // An event may have shown the user already.
            let isShown = user?.id == session.user.id
            guard epoch == mine || isShown else { throw AuthError.cancelled }
            pendingLink = nil
            if !isShown {
                // Invalidates the previous account's work.
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
