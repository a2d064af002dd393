public import Foundation

// A new account that begins with a passkey and never needs a password. An extension to the API of Supabase Auth.
extension GatehouseClient {
    /// Creates an account with a passkey instead of a password, and signs in.
    ///
    /// The account has its address once the emailed code confirms it: ``verifyOTP(email:token:type:redirectTo:captchaToken:)``
    /// with `emailChange`. Until then the address is the user's `newEmail`. With automatic confirmation the account has it at
    /// once. The response does not reveal whether the address has an account; if it has, its owner gets an email and keeps
    /// it.
    ///
    /// ```swift
    /// try await client.signUpWithPasskey(email: email, with: authenticator)
    /// ```
    ///
    /// - Parameters:
    ///   - email: nil for an account without an address.
    ///   - data: The account's metadata, from which its profile takes name and picture.
    ///   - redirectTo: The target of the email's link, sent byte for byte.
    /// - Throws: ``AuthClientError``: `cancelled`, `passkeyExists` or `passkeyFailed` of the authenticator. Codes:
    ///   `signup_disabled`; `email_provider_disabled`; `webauthn_challenge_expired` if the user took too long;
    ///   `user_already_exists` with automatic confirmation alone; `passkey_disabled`. After a refusal, password managers are
    ///   told to forget the passkey. After any other error the account may exist: to be able to repeat the call, use its
    ///   halves. The previous session stays active.
    @discardableResult
    public func signUpWithPasskey(
        email: String? = nil, data: AuthJSONObject? = nil, redirectTo: URL? = nil,
        with authenticator: any PasskeyAuthenticator, captchaToken: String? = nil
    ) async throws -> AuthSession {
        let signUp = try await passkeySignUp(
            email: email, data: data, with: authenticator, captchaToken: captchaToken)
        return try await self.signUp(
            with: signUp, redirectTo: redirectTo, telling: authenticator, captchaToken: captchaToken)
    }

    /// The first half of ``signUpWithPasskey(email:data:redirectTo:with:captchaToken:)``: creates the passkey.
    ///
    /// - Throws: As the whole.
    public func passkeySignUp(
        email: String? = nil, data: AuthJSONObject? = nil, with authenticator: any PasskeyAuthenticator,
        captchaToken: String? = nil
    ) async throws -> PasskeySignUp {
        let options = try await getPasskeySignUpOptions(email: email, data: data, captchaToken: captchaToken)
        let credential = try await authenticator.create(options, style: .sheet)
        return PasskeySignUp(
            challengeID: options.challengeID, credential: credential, relyingPartyID: options.relyingPartyID,
            email: email, data: data ?? [:])
    }

    /// The same with the system's sheet for a new account, which asks for name and address itself
    /// (`PasskeyAuthenticator.hasAccountSheet`). The name is in the metadata as `first_name` and `full_name`.
    ///
    /// ```swift
    /// do {
    ///     let signUp = try await client.passkeySignUp(inSheetOf: authenticator)
    ///     try await client.signUp(with: signUp, telling: authenticator)
    /// } catch PasskeyAccountProblem.unavailable {
    ///     try await client.signUpWithPasskey(email: email, with: authenticator)
    /// }
    /// ```
    ///
    /// - Throws: ``PasskeyAccountProblem``; otherwise as the whole.
    public func passkeySignUp(
        inSheetOf authenticator: any PasskeyAuthenticator, captchaToken: String? = nil
    ) async throws -> PasskeySignUp {
        let options = try await getPasskeySignUpOptions(captchaToken: captchaToken)
        let account = try await authenticator.createAccount(options)
        var data: AuthJSONObject = [:]
        data["first_name"] = account.name?.given.json
        data["full_name"] = account.name.map { .string($0.full) }
        return PasskeySignUp(
            challengeID: options.challengeID, credential: account.credential, relyingPartyID: options.relyingPartyID,
            email: account.email, data: data)
    }

    /// The second half of ``signUpWithPasskey(email:data:redirectTo:with:captchaToken:)``: creates the account.
    ///
    /// After a lost response, call it again with ``PasskeySignUp/mayBeStored``. If the account exists, this signs in to it,
    /// for which the system asks for the passkey.
    ///
    /// - Parameter captchaToken: For that sign-in, if the server requires a captcha.
    /// - Throws: As the whole; after a lost response also as ``signInWithPasskey(with:style:captchaToken:)``. Password managers
    ///   then keep the passkey, because the first attempt may still be on its way.
    @discardableResult
    public func signUp(
        with signUp: PasskeySignUp, redirectTo: URL? = nil, telling authenticator: any PasskeyAuthenticator,
        captchaToken: String? = nil
    ) async throws -> AuthSession {
        do {
            return try await create(signUp, redirectTo: redirectTo)
        } catch AuthClientError.refused(let refusal) where signUp.mayBeStored && refusal.isAboutChallenge {
            return try await signIn(asOwnerOf: signUp, with: authenticator, captchaToken)
        } catch {
            if !signUp.mayBeStored {
                await authenticator.forget(signUp.credential, at: signUp.relyingPartyID, after: error)
            }
            throw error
        }
    }

    /// Requests what an authenticator needs to create the passkey of a new account. Needs no session.
    ///
    /// - Parameter email: nil if the authenticator asks for it.
    /// - Throws: As ``signUpWithPasskey(email:data:redirectTo:with:captchaToken:)``, apart from the authenticator.
    public func getPasskeySignUpOptions(
        email: String? = nil, data: AuthJSONObject? = nil, captchaToken: String? = nil
    ) async throws -> AuthPasskeyRegistrationOptions {
        let body: [String: AuthJSON?] = [
            "email": email.json, "data": data.map(AuthJSON.object), "gotrue_meta_security": captcha(captchaToken),
        ]
        let reply = try await caller.send(AuthRequest("POST", "/passkeys/signup/options", body: body))
        return try AuthCaller.read(reply) { json throws(WireProblem) in try AuthPasskeyRegistrationOptions(json: json) }
    }

    private func create(_ signUp: PasskeySignUp, redirectTo: URL?) async throws -> AuthSession {
        var request = AuthRequest(
            "POST", "/passkeys/signup/verify", query: [("redirect_to", redirectTo?.absoluteString)],
            body: [
                "challenge_id": .string(signUp.challengeID.uuidString.lowercased()), "credential": signUp.credential,
                "email": signUp.email.json, "data": signUp.data.isEmpty ? nil : .object(signUp.data),
            ])
        let flow = try await begin(.emailChange, when: signUp.email == nil ? nil : redirectTo, in: &request)
        do {
            let session = try await signIn(request)
            // No mail brings a code.
            if let flow, session.user.newEmail == nil { await forget(flow) }
            return session
        } catch AuthClientError.refused(let refusal) {
            if let flow { await forget(flow) }
            throw AuthClientError.refused(refusal)
        }
    }

    /// Signs in with the passkey of an account that may exist, and with no other passkey.
    private func signIn(
        asOwnerOf signUp: PasskeySignUp, with authenticator: any PasskeyAuthenticator, _ captchaToken: String?
    ) async throws -> AuthSession {
        var options = try await getPasskeyAuthenticationOptions(captchaToken: captchaToken)
        options.allowOnly(signUp.credential["id"] ?? .null)
        // The passkey may be on another device.
        let answer = try await authenticator.get(options, style: .sheet)
        return try await verifyPasskeyAuthentication(challengeId: options.challengeID, credentialResponse: answer)
    }
}

extension AuthRefusal {
    /// Whether the challenge of a repeated sign-up may have been used by the attempt whose response was lost.
    fileprivate var isAboutChallenge: Bool {
        code == .webauthnChallengeNotFound || code == .webauthnChallengeExpired || code == .webauthnCredentialExists
    }
}

extension AuthPasskeyAuthenticationOptions {
    fileprivate mutating func allowOnly(_ id: AuthJSON) {
        var members = options.objectValue ?? [:]
        members["allowCredentials"] = [["type": "public-key", "id": id]]
        options = .object(members)
        allowedCredentials = [id.stringValue.flatMap { Base64URL.decode($0) }].compactMap(\.self)
    }
}
