import Foundation

// Fresh proofs, after which an app repeats a call refused with `fresh_sign_in_required`.
extension GatehouseClient {
    /// Signs the user in again with the password. The new session replaces the current one.
    ///
    /// - Throws: `signedOut` also for a user without address and telephone number; `invalid_credentials`;
    ///   `over_request_rate_limit`.
    @discardableResult
    public func signInAgain(password: String, captchaToken: String? = nil) async throws -> AuthSession {
        guard let user = await currentUser, user.email != nil || user.phone != nil else {
            throw AuthClientError.signedOut(.neverSignedIn)
        }
        return try await signInAgain(
            AuthRequest(
                "POST", "/token", query: [("grant_type", "password")],
                body: [
                    "email": user.email.json, "phone": user.email == nil ? user.phone.json : nil,
                    "password": .string(password),
                    "gotrue_meta_security": captcha(captchaToken),
                ]))
    }

    /// Signs the user in again with a passkey. The new session replaces the current one.
    ///
    /// - Throws: ``AuthClientError/otherAccount``; otherwise as ``signInWithPasskey(with:style:captchaToken:)``.
    @discardableResult
    public func signInAgain(with authenticator: any PasskeyAuthenticator) async throws -> AuthSession {
        let options = try await getPasskeyAuthenticationOptions()
        let answer = try await authenticator.get(options, style: .sheet)
        return try await signInAgain(.passkey("authentication", options.challengeID, answer))
    }

    private func signInAgain(_ request: AuthRequest) async throws -> AuthSession {
        let begun = try await coordinator.beginSignIn()
        let old = try await session
        let timed = try await caller.session(request)
        guard timed.answer.user.id == old.user.id else {
            await end(timed.answer)
            throw AuthClientError.otherAccount
        }
        let new = try await coordinator.adopt(timed, begun: begun)
        retire(old, for: new)
        return new
    }

    /// Revokes a session that this client had, and that another one has replaced.
    ///
    /// - Throws: `refused` if it has ended.
    package func end(_ replaced: AuthSession) async throws {
        let timed = try await caller.session(.refresh(replaced.refreshToken))
        _ = try await caller.send(.localLogout, bearer: timed.answer.accessToken)
    }

    func end(_ unwanted: AuthSessionAnswer) async {
        let request = AuthRequest("POST", "/logout", query: [("scope", AuthSignOutScope.local.rawValue)])
        // Ignored: the session expires later.
        _ = try? await caller.send(request, bearer: unwanted.accessToken)
    }
}
