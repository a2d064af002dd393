public import Foundation
import GatehouseWire

extension GatehouseClient {
    /// Sends a code and a link to an email address. The user signs in by passing the code to
    /// ``verifyOTP(email:token:type:redirectTo:captchaToken:)``.
    ///
    /// ```swift
    /// try await client.signInWithOTP(email: email)
    /// // The user reads the code in the mail.
    /// let response = try await client.verifyOTP(email: email, token: code, type: .email)
    /// let session = response.session
    /// ```
    ///
    /// - Parameters:
    ///   - redirectTo: The target of the mail's link, sent byte for byte. Its code is valid on this device only.
    ///   - shouldCreateUser: Whether to create an account for an unknown address.
    ///   - data: The metadata of a new account.
    /// - Throws: ``AuthClientError``. Codes: `over_email_send_rate_limit`; `email_provider_disabled` if the server sends
    ///   no mail; from hosted Supabase `otp_disabled` for an unknown address without `shouldCreateUser`. With
    ///   `redirectTo` also `storeUnavailable` or `storeFailed`; nothing was sent then.
    public func signInWithOTP(
        email: String, redirectTo: URL? = nil, shouldCreateUser: Bool = true, data: AuthJSONObject? = nil,
        captchaToken: String? = nil
    ) async throws {
        var request = AuthRequest(
            "POST", "/otp", query: [("redirect_to", redirectTo?.absoluteString)],
            body: [
                "email": .string(email), "create_user": .bool(shouldCreateUser), "data": data.map(AuthJSON.object),
                "gotrue_meta_security": captcha(captchaToken),
            ])
        try await begin(.signIn, when: redirectTo, in: &request)
        _ = try await caller.send(request)
    }

    /// Redeems a code from a mail; its digits may be of any script. The event `passwordRecovery` follows a code of type
    /// ``EmailCodeType/recovery``. If the user is signed in already, the new session takes the place of the current one,
    /// which ends; after an email change, the current session stays if only that one had the second factor.
    ///
    /// - Returns: ``SessionOrUser/pending`` after the first of two codes of an email change.
    /// - Throws: ``AuthClientError``, with the code `otp_expired` for a wrong, used or expired code; `storeUnavailable`
    ///   or `storeFailed` if the session cannot be stored. The previous session stays active.
    @discardableResult
    public func verifyOTP(
        email: String, token: String, type: EmailCodeType, redirectTo: URL? = nil, captchaToken: String? = nil
    ) async throws -> SessionOrUser {
        try await verify(
            type.rawValue, ["email": .string(email), "token": .string(token.withASCIIDigits)], redirectTo, captchaToken)
    }

    /// Redeems a code from a mail together with a password that the user has just typed: that of a sign-up, or one that a
    /// sign-in refused with `credential_set_aside`. If it is the account's waiting or set-aside password, it becomes the
    /// account's password; otherwise the code has the same effect as without it. Hosted Supabase ignores it.
    ///
    /// ```swift
    /// do {
    ///     try await client.signIn(email: email, password: password)
    /// } catch let error as AuthClientError where error.code == .credentialSetAside {
    ///     // The user reads the code in the mail.
    ///     try await client.verifyOTP(email: email, token: code, type: .email, password: password)
    /// }
    /// ```
    ///
    /// - Throws: As ``verifyOTP(email:token:type:redirectTo:captchaToken:)``.
    @discardableResult
    public func verifyOTP(
        email: String, token: String, type: EmailCodeType, password: String, captchaToken: String? = nil
    ) async throws -> SessionOrUser {
        let members: [String: AuthJSON?] = [
            "email": .string(email), "token": .string(token.withASCIIDigits), "password": .string(password),
        ]
        return try await verify(type.rawValue, members, nil, captchaToken)
    }

    /// Redeems the code that the server mailed when a sign-in with a passkey was refused with `credential_set_aside`, and
    /// restores the passkey.
    ///
    /// - Parameter ticket: ``AuthClientError/setAsideTicket`` of that refusal.
    /// - Throws: As ``verifyOTP(email:token:type:redirectTo:captchaToken:)``. An expired ticket is refused with
    ///   `otp_expired`: sign in with the passkey again.
    @discardableResult
    public func verifyOTP(token: String, restoring ticket: AuthSetAsideTicket) async throws -> SessionOrUser {
        let members: [String: AuthJSON?] = [
            "token": .string(token.withASCIIDigits), "set_aside_ticket": .string(ticket.text),
        ]
        return try await verify(EmailCodeType.email.rawValue, members, nil, nil)
    }

    /// Redeems a code from a text message.
    ///
    /// - Throws: As ``verifyOTP(email:token:type:redirectTo:captchaToken:)``.
    @discardableResult
    public func verifyOTP(
        phone: String, token: String, type: PhoneCodeType, captchaToken: String? = nil
    ) async throws -> SessionOrUser {
        try await verify(
            type.rawValue, ["phone": .string(phone), "token": .string(token.withASCIIDigits)], nil, captchaToken)
    }

    /// Redeems the token hash in the link of a mail.
    ///
    /// - Throws: As ``verifyOTP(email:token:type:redirectTo:captchaToken:)``.
    @discardableResult
    public func verifyOTP(tokenHash: String, type: EmailCodeType) async throws -> SessionOrUser {
        try await verify(type.rawValue, ["token_hash": .string(tokenHash)], nil, nil)
    }

    private func verify(
        _ type: String, _ members: [String: AuthJSON?], _ redirectTo: URL?, _ captchaToken: String?
    ) async throws -> SessionOrUser {
        var body = members
        body["type"] = .string(type)
        body["gotrue_meta_security"] = captcha(captchaToken)
        let request = AuthRequest(
            "POST", "/verify", query: [("redirect_to", redirectTo?.absoluteString)], body: body)
        let old = await currentSession
        if type == EmailCodeType.emailChange.rawValue, old != nil {
            // Several accounts may change to one address: the token names the account that this code is for.
            return try await respond(to: request, of: try await session)
        }
        let response = try await respond(
            to: request, bearer: await tokenOfOwner(members["email"] ?? nil, old),
            then: type == EmailCodeType.recovery.rawValue ? .passwordRecovery : nil)
        if let session = response.session { retire(old, for: session) }
        return response
    }

    /// The access token of a session whose account has the address. With it, the first proof of the address sets nothing
    /// aside.
    private func tokenOfOwner(_ email: AuthJSON?, _ old: AuthSession?) async -> String? {
        guard let email = email?.stringValue, old?.user.email == email.lowercased() else { return nil }
        // Ignored: the code signs in without it.
        return try? await session.accessToken
    }

    /// Sends a mail for a password reset if the address has an account. The response does not reveal whether it has.
    ///
    /// - Parameter redirectTo: The target of the mail's link. Pass the resulting URL to ``session(from:)``; the event
    ///   `passwordRecovery` follows.
    /// - Throws: ``AuthClientError``. Codes: `over_email_send_rate_limit`; `email_provider_disabled` if the server
    ///   sends no mail. With `redirectTo` also `storeUnavailable` or `storeFailed`; nothing was sent then.
    public func resetPasswordForEmail(
        _ email: String, redirectTo: URL? = nil, captchaToken: String? = nil
    ) async throws {
        var request = AuthRequest(
            "POST", "/recover", query: [("redirect_to", redirectTo?.absoluteString)],
            body: ["email": .string(email), "gotrue_meta_security": captcha(captchaToken)])
        try await begin(.recovery, when: redirectTo, in: &request)
        _ = try await caller.send(request)
    }

    /// Sends a mail again if one is pending. The response does not reveal whether one is.
    ///
    /// - Throws: As ``resetPasswordForEmail(_:redirectTo:captchaToken:)``.
    public func resend(
        email: String, type: EmailResendType, emailRedirectTo: URL? = nil, captchaToken: String? = nil
    ) async throws {
        var request = AuthRequest(
            "POST", "/resend", query: [("redirect_to", emailRedirectTo?.absoluteString)],
            body: [
                "type": .string(type.rawValue), "email": .string(email),
                "gotrue_meta_security": captcha(captchaToken),
            ])
        try await begin(type == .signup ? .signIn : .emailChange, when: emailRedirectTo, in: &request)
        _ = try await caller.send(request)
    }
}
