public import Foundation

// Not in Supabase Auth.
extension GatehouseClient {
    /// Creates an account with a passkey instead of a password, and signs in.
    ///
    /// The address is the user's `newEmail` until the emailed code confirms it
    /// (``verifyOTP(email:token:type:redirectTo:captchaToken:)`` with `emailChange`), unless the server confirms
    /// automatically. The response does not reveal whether the address has an account; if so, its owner gets an email.
    ///
    /// ```swift
    /// try await client.signUpWithPasskey(email: email, with: authenticator)
    /// ```
    ///
    /// - Parameters:
    ///   - email: nil for an account without an address.
    ///   - data: The account's metadata, from which its profile takes name and picture.
    ///   - redirectTo: The emailed link's target, sent byte for byte.
    /// - Throws: `cancelled`, `passkeyExists`, `passkeyFailed`, `signup_disabled`, `email_provider_disabled`,
    ///   `webauthn_challenge_expired`, `passkey_disabled`; `user_already_exists`, only with automatic confirmation.
    ///   After a refusal, password managers forget the passkey. After other errors the account may exist: to be able to
    ///   repeat the call, use its halves.
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

    /// As ``passkeySignUp(email:data:with:captchaToken:)``, in the system's sheet for new accounts, which asks for name
    /// and address (`PasskeyAuthenticator.hasAccountSheet`). The metadata contain the name as `first_name` and
    /// `full_name`.
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
    /// After a lost response, call it again with ``PasskeySignUp/mayBeStored``. If the account exists, this signs in to
    /// it, and the system asks for the passkey.
    ///
    /// - Parameter captchaToken: For that sign-in, if required.
    /// - Throws: As the whole; after a lost response also as ``signInWithPasskey(with:style:captchaToken:)``. Password
    ///   managers then keep the passkey, because the first attempt may still succeed.
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

    /// Requests the options for a new account's passkey. Needs no session.
    ///
    /// - Parameter email: nil if the authenticator asks for it.
    /// - Throws: As ``signUpWithPasskey(email:data:redirectTo:with:captchaToken:)``.
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
            // No email follows.
            if let flow, session.user.newEmail == nil { await forget(flow) }
            return session
        } catch AuthClientError.refused(let refusal) {
            if let flow { await forget(flow) }
            throw AuthClientError.refused(refusal)
        }
    }

    /// With this passkey only; the account may exist.
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
    /// Whether a lost attempt may have used the challenge.
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
