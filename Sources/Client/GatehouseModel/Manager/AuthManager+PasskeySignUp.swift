public import Gatehouse

/// Its response was lost: the account may exist.
struct UnfinishedSignUp: Sendable {
    var signUp: PasskeySignUp
    var epoch: Int
}

extension AuthManager {
    /// Creates an account with a passkey in the system's sheet, which asks for name and address (iOS 26).
    ///
    /// ```swift
    /// if try await account.signUpWithPasskey(with: passkeys) == .formNeeded {
    ///     try await account.signUpWithPasskey(email, firstName: nil, with: passkeys)
    /// }
    /// ```
    ///
    /// - Returns: ``SignInOutcome/formNeeded`` without such a sheet; ``SignInOutcome/applePreferred``; otherwise as
    ///   ``signUpWithPasskey(_:firstName:with:)``.
    /// - Throws: As ``signUpWithPasskey(_:firstName:with:)``.
    @discardableResult
    public func signUpWithPasskey(with passkeys: any PasskeyAuthenticator) async throws(AuthError) -> SignInOutcome {
        guard passkeys.hasAccountSheet else { return .formNeeded }
        var problem: PasskeyAccountProblem?
        let outcome = try await signUp(nil, telling: passkeys) {
            do {
                return try await self.service.passkeySignUp(inSheetOf: passkeys)
            } catch let error as PasskeyAccountProblem {
                problem = error
                throw AuthError.cancelled
            }
        }
        switch problem {
        case .unavailable: return .formNeeded
        case .prefersApple: return .applePreferred
        case nil: return outcome
        }
    }

    /// Creates an account with a passkey instead of a password, and signs in. An anonymous user is asked first.
    ///
    /// May set ``asksForEmailCode``. After a lost response, retry with the same address, which reuses the passkey.
    ///
    /// - Parameter firstName: The profile's name.
    /// - Returns: `.cancelled` if the user closed the sheet: show nothing.
    /// - Throws: ``AuthError``, such as ``AuthError/passkeyRefused``; ``AuthError/userExists`` if the server confirms
    ///   addresses without email; ``AuthError/alreadySignedIn``.
    @discardableResult
    public func signUpWithPasskey(
        _ email: String, firstName: String? = nil, with passkeys: any PasskeyAuthenticator
    ) async throws(AuthError) -> SignInOutcome {
        try await signUp(email, telling: passkeys) {
            try await self.service.passkeySignUp(email: email, firstName: firstName, with: passkeys)
        }
    }

    private func signUp(
        _ email: String?, telling passkeys: any PasskeyAuthenticator,
        _ create: @MainActor () async throws -> PasskeySignUp
    ) async throws(AuthError) -> SignInOutcome {
        let outcome = try await authenticate(.passkey, signingUp: email ?? "") {
            let signUp =
                if let unfinished = self.unfinished(email) { unfinished } else { try await create() }
            do {
                return .session(try await self.service.signUp(with: signUp, telling: passkeys))
            } catch {
                self.keep(signUp, after: error)
                throw error
            }
        }
        if outcome == .signedIn, let user, user.email == nil, user.newEmail != nil { asksForEmailCode = true }
        return outcome
    }

    private func unfinished(_ email: String?) -> PasskeySignUp? {
        defer { unfinishedSignUp = nil }
        guard let unfinishedSignUp, unfinishedSignUp.epoch + 1 == epoch else { return nil }
        let signUp = unfinishedSignUp.signUp
        return email == nil || email == signUp.email ? signUp : nil
    }

    /// A rejection means no account, unless a previous attempt created it.
    private func keep(_ signUp: PasskeySignUp, after error: any Error) {
        var signUp = signUp
        // This device cannot finish it.
        if case AuthClientError.noPasskey = error { return }
        if case AuthClientError.refused(let refusal) = error, refusal.status < 500 {
            let isAboutSignIn = [.webauthnChallengeExpired, .webauthnVerificationFailed].contains(refusal.code)
            guard refusal.status == 429 || signUp.mayBeStored && isAboutSignIn else { return }
        } else {
            signUp.mayBeStored = true
        }
        unfinishedSignUp = UnfinishedSignUp(signUp: signUp, epoch: epoch)
    }
}
