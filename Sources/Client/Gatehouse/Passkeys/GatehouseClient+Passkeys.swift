public import Foundation

// Named as in supabase-swift. The app drives `get…Options` and `verify…` itself.
extension GatehouseClient {
    /// Signs in with a passkey, which names its account.
    ///
    /// ```swift
    /// do {
    ///     try await client.signInWithPasskey(with: authenticator)
    /// } catch AuthClientError.cancelled, AuthClientError.noPasskey {
    ///     return
    /// }
    /// ```
    ///
    /// - Throws: `cancelled`, `noPasskey`, `passkeyFailed`, `webauthn_verification_failed`,
    ///   `webauthn_challenge_expired`, `passkey_disabled`, `user_banned`, `email_not_confirmed`;
    ///   `credential_set_aside`, with a ``AuthClientError/setAsideTicket`` for ``verifyOTP(token:restoring:)``.
    @discardableResult
    public func signInWithPasskey(
        with authenticator: any PasskeyAuthenticator, style: PasskeyRequestStyle = .sheet, captchaToken: String? = nil
    ) async throws -> AuthSession {
        try await signIn(
            with: try await passkeyAssertion(with: authenticator, style: style, captchaToken: captchaToken))
    }

    /// The first half of ``signInWithPasskey(with:style:captchaToken:)``: lets the user choose a passkey. With
    /// ``PasskeyRequestStyle/autoFill`` it may wait for minutes, unnoticed.
    public func passkeyAssertion(
        with authenticator: any PasskeyAuthenticator, style: PasskeyRequestStyle = .sheet, captchaToken: String? = nil
    ) async throws -> PasskeyAssertion {
        let options = try await getPasskeyAuthenticationOptions(captchaToken: captchaToken)
        let answer = try await authenticator.get(options, style: style)
        return PasskeyAssertion(challengeID: options.challengeID, credential: answer)
    }

    /// The second half of ``signInWithPasskey(with:style:captchaToken:)``: signs in with the chosen passkey.
    @discardableResult
    public func signIn(with assertion: PasskeyAssertion) async throws -> AuthSession {
        try await verifyPasskeyAuthentication(
            challengeId: assertion.challengeID, credentialResponse: assertion.credential)
    }

    /// Creates a passkey for the signed-in user. Password managers forget one that the server refuses; after a lost
    /// response they get the account's list.
    ///
    /// ```swift
    /// let passkey = try await client.registerPasskey(with: authenticator)
    /// try await client.renamePasskey(id: passkey.id, friendlyName: "My phone")
    /// ```
    ///
    /// - Throws: `cancelled`, `passkeyExists`, `passkeyFailed`, `too_many_passkeys`, `insufficient_aal`,
    ///   `webauthn_challenge_expired`, `passkey_disabled`.
    @discardableResult
    public func registerPasskey(
        with authenticator: any PasskeyAuthenticator, style: PasskeyCreationStyle = .sheet
    ) async throws -> AuthPasskey {
        let options = try await getPasskeyRegistrationOptions(style: style)
        let answer = try await authenticator.create(options, style: style)
        do {
            return try await verifyPasskeyRegistration(challengeId: options.challengeID, credentialResponse: answer)
        } catch {
            let isForgotten = await authenticator.forget(answer, at: options.relyingPartyID, after: error)
            // Ignored: the next change tells them.
            if !isForgotten { try? await signalPasskeys(to: authenticator) }
            throw error
        }
    }

    /// Requests the options for the signed-in user's new passkey.
    ///
    /// - Parameter style: ``PasskeyCreationStyle/automatic`` accepts a passkey created without a gesture.
    /// - Throws: As ``registerPasskey(with:style:)``.
    public func getPasskeyRegistrationOptions(
        style: PasskeyCreationStyle = .sheet
    ) async throws -> AuthPasskeyRegistrationOptions {
        let body: [String: AuthJSON?]? = style == .automatic ? ["mediation": "conditional"] : nil
        return try await read(
            AuthRequest("POST", "/passkeys/registration/options", body: body)
        ) { json throws(WireProblem) in
            try AuthPasskeyRegistrationOptions(json: json)
        }
    }

    /// Stores an authenticator's new passkey. The challenge is single-use.
    ///
    /// - Throws: As ``registerPasskey(with:style:)``.
    @discardableResult
    public func verifyPasskeyRegistration(challengeId: UUID, credentialResponse: AuthJSON) async throws -> AuthPasskey {
        let request = AuthRequest.passkey("registration", challengeId, credentialResponse)
        return try await read(request) { json throws(WireProblem) in try AuthPasskey(json: json) }
    }

    /// Requests the options for signing in. Needs no session.
    ///
    /// - Throws: `passkey_disabled`, `over_request_rate_limit`, `captcha_failed`.
    public func getPasskeyAuthenticationOptions(
        captchaToken: String? = nil
    ) async throws -> AuthPasskeyAuthenticationOptions {
        let body = captcha(captchaToken).map { ["gotrue_meta_security": $0 as AuthJSON?] }
        let reply = try await caller.send(AuthRequest("POST", "/passkeys/authentication/options", body: body))
        return try AuthCaller.read(reply) { json throws(WireProblem) in
            try AuthPasskeyAuthenticationOptions(json: json)
        }
    }

    /// Signs in with an authenticator's response. The challenge is single-use.
    ///
    /// - Throws: As ``signInWithPasskey(with:style:captchaToken:)``.
    @discardableResult
    public func verifyPasskeyAuthentication(challengeId: UUID, credentialResponse: AuthJSON) async throws -> AuthSession
    {
        try await signIn(.passkey("authentication", challengeId, credentialResponse))
    }

    /// Fetches the signed-in user's passkeys, oldest first.
    ///
    /// - Throws: `passkey_disabled`.
    public func listPasskeys() async throws -> [AuthPasskey] {
        try await read(AuthRequest("GET", "/passkeys/")) { json throws(WireProblem) in try AuthPasskey.list(json: json)
        }
    }

    /// Renames a passkey.
    ///
    /// - Parameter friendlyName: 1 to 120 bytes.
    /// - Throws: `refused` with status 404 for an unknown id; `validation_failed`.
    @discardableResult
    public func renamePasskey(id: UUID, friendlyName: String) async throws -> AuthPasskey {
        let request = AuthRequest("PATCH", Self.path(id), body: ["friendly_name": .string(friendlyName)])
        return try await read(request) { json throws(WireProblem) in try AuthPasskey(json: json) }
    }

    /// Deletes a passkey from the account, but not from the password manager (``signalPasskeys(to:)``). Keeps the
    /// sessions that it opened.
    ///
    /// - Throws: `refused` with status 404 for an unknown id; `insufficient_aal`; `fresh_sign_in_required`.
    public func deletePasskey(id: UUID) async throws {
        let request = AuthRequest("DELETE", Self.path(id))
        try await asUser { token, _ in _ = try await self.caller.send(request, bearer: token) }
    }

    /// Tells password managers the account's passkeys and name. Call it after ``deletePasskey(id:)`` and a change of
    /// address.
    ///
    /// - Throws: As ``getPasskeyRegistrationOptions(style:)``.
    public func signalPasskeys(to authenticator: any PasskeyAuthenticator) async throws {
        let options = try await getPasskeyRegistrationOptions()
        await authenticator.signal(
            .accepted(
                relyingPartyID: options.relyingPartyID, userHandle: options.userHandle,
                credentialIDs: options.excludedCredentials))
        await authenticator.signal(
            .renamed(
                relyingPartyID: options.relyingPartyID, userHandle: options.userHandle, userName: options.userName))
    }

    private static func path(_ passkey: UUID) -> String { "/passkeys/" + passkey.uuidString.lowercased() }
}

extension PasskeyAuthenticator {
    /// Tells password managers to forget a refused passkey. Returns false, without telling them, if the server may have
    /// it.
    @discardableResult
    package func forget(_ credential: AuthJSON, at relyingPartyID: String, after error: any Error) async -> Bool {
        guard case AuthClientError.refused(let refusal) = error, refusal.leavesCredentialUnknown,
            let id = credential["id"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { return false }
        await signal(.unknown(relyingPartyID: relyingPartyID, credentialID: id))
        return true
    }
}

extension AuthRefusal {
    /// Whether the server certainly lacks the refused passkey. A repeated request may find its challenge used by the
    /// first, whose response was lost.
    var leavesCredentialUnknown: Bool {
        (400..<500).contains(status) && status != 429 && code != .webauthnCredentialExists
            && code != .webauthnChallengeNotFound
    }
}

extension AuthRequest {
    static func passkey(_ ceremony: String, _ challenge: UUID, _ answer: AuthJSON) -> AuthRequest {
        AuthRequest(
            "POST", "/passkeys/\(ceremony)/verify",
            body: ["challenge_id": .string(challenge.uuidString.lowercased()), "credential": answer])
    }
}
