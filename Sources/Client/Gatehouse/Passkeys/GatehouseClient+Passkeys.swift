public import Foundation

// Passkeys, with the names of supabase-swift. `get…Options` and `verify…` are for an authenticator that the app drives.
extension GatehouseClient {
    /// Signs in with a passkey, which names its account itself.
    ///
    /// ```swift
    /// do {
    ///     try await client.signInWithPasskey(with: authenticator)
    /// } catch AuthClientError.cancelled, AuthClientError.noPasskey {
    ///     return
    /// }
    /// ```
    ///
    /// - Throws: ``AuthClientError``: `cancelled`, `noPasskey` or `passkeyFailed` of the authenticator. Codes:
    ///   `webauthn_verification_failed` for a passkey that the server does not know or a wrong signature;
    ///   `webauthn_challenge_expired` if the user took too long; `passkey_disabled`; `user_banned`;
    ///   `email_not_confirmed`; `credential_set_aside`, with a ``AuthClientError/setAsideTicket`` for
    ///   ``verifyOTP(token:restoring:)``. The previous session stays active.
    @discardableResult
    public func signInWithPasskey(
        with authenticator: any PasskeyAuthenticator, style: PasskeyRequestStyle = .sheet, captchaToken: String? = nil
    ) async throws -> AuthSession {
        try await signIn(
            with: try await passkeyAssertion(with: authenticator, style: style, captchaToken: captchaToken))
    }

    /// The first half of ``signInWithPasskey(with:style:captchaToken:)``: lets the user choose a passkey.
    ///
    /// A request in the keyboard's bar may wait for minutes without the user's notice; the sign-in begins when this
    /// returns.
    ///
    /// - Throws: As the whole.
    public func passkeyAssertion(
        with authenticator: any PasskeyAuthenticator, style: PasskeyRequestStyle = .sheet, captchaToken: String? = nil
    ) async throws -> PasskeyAssertion {
        let options = try await getPasskeyAuthenticationOptions(captchaToken: captchaToken)
        let answer = try await authenticator.get(options, style: style)
        return PasskeyAssertion(challengeID: options.challengeID, credential: answer)
    }

    /// The second half of ``signInWithPasskey(with:style:captchaToken:)``: signs in with the chosen passkey.
    ///
    /// - Throws: As the whole.
    @discardableResult
    public func signIn(with assertion: PasskeyAssertion) async throws -> AuthSession {
        try await verifyPasskeyAuthentication(
            challengeId: assertion.challengeID, credentialResponse: assertion.credential)
    }

    /// Creates a passkey for the signed-in user. If the server refuses it, password managers are told to forget it; if the
    /// response is lost, they are told which passkeys the account has.
    ///
    /// ```swift
    /// let passkey = try await client.registerPasskey(with: authenticator)
    /// try await client.renamePasskey(id: passkey.id, friendlyName: "My phone")
    /// ```
    ///
    /// - Throws: ``AuthClientError``: `signedOut` without a session; `cancelled`, `passkeyExists` or `passkeyFailed` of
    ///   the authenticator. Codes: `too_many_passkeys`; `insufficient_aal` if the account has a second factor and the
    ///   session is `aal1`; `webauthn_challenge_expired` if the user took too long; `passkey_disabled`.
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
            // Ignored: without an answer, the next registration or deletion tells them.
            if !isForgotten { try? await signalPasskeys(to: authenticator) }
            throw error
        }
    }

    /// Requests what an authenticator needs to create a passkey for the signed-in user.
    ///
    /// - Parameter style: With ``PasskeyCreationStyle/automatic``, the server accepts a passkey that was created without
    ///   a gesture.
    /// - Throws: As ``registerPasskey(with:style:)``, apart from the authenticator.
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

    /// Stores a passkey that an authenticator has created. The challenge works once.
    ///
    /// - Throws: As ``registerPasskey(with:style:)``, apart from the authenticator.
    @discardableResult
    public func verifyPasskeyRegistration(challengeId: UUID, credentialResponse: AuthJSON) async throws -> AuthPasskey {
        let request = AuthRequest.passkey("registration", challengeId, credentialResponse)
        return try await read(request) { json throws(WireProblem) in try AuthPasskey(json: json) }
    }

    /// Requests what an authenticator needs to sign in. Needs no session.
    ///
    /// - Throws: ``AuthClientError``. Codes: `passkey_disabled`; `over_request_rate_limit`; `captcha_failed`.
    public func getPasskeyAuthenticationOptions(
        captchaToken: String? = nil
    ) async throws -> AuthPasskeyAuthenticationOptions {
        let body = captcha(captchaToken).map { ["gotrue_meta_security": $0 as AuthJSON?] }
        let reply = try await caller.send(AuthRequest("POST", "/passkeys/authentication/options", body: body))
        return try AuthCaller.read(reply) { json throws(WireProblem) in
            try AuthPasskeyAuthenticationOptions(json: json)
        }
    }

    /// Signs in with the answer of an authenticator. The challenge works once.
    ///
    /// - Throws: As ``signInWithPasskey(with:style:captchaToken:)``, apart from the authenticator.
    @discardableResult
    public func verifyPasskeyAuthentication(challengeId: UUID, credentialResponse: AuthJSON) async throws -> AuthSession
    {
        try await signIn(.passkey("authentication", challengeId, credentialResponse))
    }

    /// Fetches the passkeys of the signed-in user, the oldest first.
    ///
    /// - Throws: ``AuthClientError``: `signedOut` without a session. Codes: `passkey_disabled`.
    public func listPasskeys() async throws -> [AuthPasskey] {
        try await read(AuthRequest("GET", "/passkeys/")) { json throws(WireProblem) in try AuthPasskey.list(json: json)
        }
    }

    /// Renames a passkey.
    ///
    /// - Parameter friendlyName: At most 120 bytes.
    /// - Throws: ``AuthClientError``: `signedOut` without a session; `refused` with status 404 if the user has no such
    ///   passkey. Codes: `validation_failed` for an empty or long name.
    @discardableResult
    public func renamePasskey(id: UUID, friendlyName: String) async throws -> AuthPasskey {
        let request = AuthRequest("PATCH", Self.path(id), body: ["friendly_name": .string(friendlyName)])
        return try await read(request) { json throws(WireProblem) in try AuthPasskey(json: json) }
    }

    /// Deletes a passkey from the account. Sessions that it opened stay. The key itself remains in the password manager,
    /// see ``signalPasskeys(to:)``.
    ///
    /// - Throws: ``AuthClientError``: `signedOut` without a session; `refused` with status 404 if the user has no such
    ///   passkey. Codes: `insufficient_aal` if the account has a second factor and the session is `aal1`;
    ///   `fresh_sign_in_required` if the server requires a recent proof.
    public func deletePasskey(id: UUID) async throws {
        let request = AuthRequest("DELETE", Self.path(id))
        try await asUser { token, _ in _ = try await self.caller.send(request, bearer: token) }
    }

    /// Tells password managers which passkeys the account has and its present name, so that they offer no deleted key.
    /// Call it after ``deletePasskey(id:)`` and after a change of the address. Needs a session that may create passkeys.
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
    /// Tells password managers to forget a new passkey that the server refused.
    ///
    /// - Returns: false if the server may have the passkey, so that they were told nothing.
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
    /// Whether the server certainly does not know the passkey that it refused. A repeated request may find its challenge
    /// used by the first one, whose response was lost.
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
