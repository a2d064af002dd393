public import Foundation
import GatehouseWire

extension GatehouseClient {
    /// Emails a code and a link for signing in. Pass the code to
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
    ///   - redirectTo: The link's target, sent byte for byte. Only this device can redeem the link.
    ///   - shouldCreateUser: Whether to create an account for an unknown address.
    ///   - data: A new account's metadata.
    /// - Throws: `over_email_send_rate_limit`; `email_provider_disabled`; `otp_disabled`, from hosted Supabase only.
    ///   With `redirectTo` also `storeUnavailable` or `storeFailed`; nothing was sent.
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

    /// Redeems an emailed code, in digits of any script. The new session replaces the current one, except after an
    /// email change if only the current one has the second factor. The event `passwordRecovery` follows
    /// ``EmailCodeType/recovery``.
    ///
    /// - Returns: ``SessionOrUser/pending`` after the first of an email change's two codes.
    /// - Throws: `otp_expired`; `storeUnavailable` or `storeFailed` if the session cannot be stored.
    @discardableResult
    public func verifyOTP(
        email: String, token: String, type: EmailCodeType, redirectTo: URL? = nil, captchaToken: String? = nil
    ) async throws -> SessionOrUser {
        try await verify(
            type.rawValue, ["email": .string(email), "token": .string(token.withASCIIDigits)], redirectTo, captchaToken)
    }

    /// Redeems an emailed code together with the password just typed, for a sign-up or after `credential_set_aside`. If
    /// the account's waiting or set-aside password equals it, it becomes the account's password. Hosted Supabase
    /// ignores it.
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

    /// Redeems the code emailed after `credential_set_aside`, and restores the passkey.
    ///
    /// - Parameter ticket: The error's ``AuthClientError/setAsideTicket``. If it has expired (`otp_expired`), sign in
    ///   with the passkey again.
    /// - Throws: As ``verifyOTP(email:token:type:redirectTo:captchaToken:)``.
    @discardableResult
    public func verifyOTP(token: String, restoring ticket: AuthSetAsideTicket) async throws -> SessionOrUser {
        let members: [String: AuthJSON?] = [
            "token": .string(token.withASCIIDigits), "set_aside_ticket": .string(ticket.text),
        ]
        return try await verify(EmailCodeType.email.rawValue, members, nil, nil)
    }

    /// Redeems a texted code, in digits of any script. The new session replaces the current one, except after a change
    /// of number if only the current one has the second factor.
    ///
    /// - Parameter phone: For ``PhoneCodeType/phoneChange``, the new number.
    /// - Throws: As ``verifyOTP(email:token:type:redirectTo:captchaToken:)``.
    @discardableResult
    public func verifyOTP(
        phone: String, token: String, type: PhoneCodeType, captchaToken: String? = nil
    ) async throws -> SessionOrUser {
        try await verify(
            type.rawValue, ["phone": .string(phone), "token": .string(token.withASCIIDigits)], nil, captchaToken)
    }

    /// Redeems a texted code together with the password just typed; see
    /// ``verifyOTP(email:token:type:password:captchaToken:)``.
    ///
    /// - Throws: As ``verifyOTP(email:token:type:redirectTo:captchaToken:)``.
    @discardableResult
    public func verifyOTP(
        phone: String, token: String, type: PhoneCodeType, password: String, captchaToken: String? = nil
    ) async throws -> SessionOrUser {
        let members: [String: AuthJSON?] = [
            "phone": .string(phone), "token": .string(token.withASCIIDigits), "password": .string(password),
        ]
        return try await verify(type.rawValue, members, nil, captchaToken)
    }

    /// Redeems an emailed link's token hash.
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
        if [EmailCodeType.emailChange.rawValue, PhoneCodeType.phoneChange.rawValue].contains(type), old != nil {
            // The token names the code's account, because several may change to one address or number.
            return try await respond(to: request, of: try await session)
        }
        let response = try await respond(
            to: request, bearer: await tokenOfOwner(members, old),
            then: type == EmailCodeType.recovery.rawValue ? .passwordRecovery : nil)
        if let session = response.session { retire(old, for: session) }
        return response
    }

    /// With it, the first proof of the address or number sets nothing aside.
    private func tokenOfOwner(_ members: [String: AuthJSON?], _ old: AuthSession?) async -> String? {
        let email = (members["email"] ?? nil)?.stringValue?.lowercased()
        let phone = (members["phone"] ?? nil)?.stringValue?.utf8.filter { $0 != UInt8(ascii: "+") }
        let owns = email != nil && old?.user.email == email
        guard owns || phone.map({ old?.user.phone?.utf8.elementsEqual($0) == true }) == true else { return nil }
        // Ignored: the code signs in without it.
        return try? await session.accessToken
    }

    /// Emails a password reset if the address has an account, which the response does not reveal.
    ///
    /// - Parameter redirectTo: The link's target. Pass the resulting URL to ``session(from:)``; the event
    ///   `passwordRecovery` follows.
    /// - Throws: `over_email_send_rate_limit`, `email_provider_disabled`. With `redirectTo` also `storeUnavailable` or
    ///   `storeFailed`; nothing was sent.
    public func resetPasswordForEmail(
        _ email: String, redirectTo: URL? = nil, captchaToken: String? = nil
    ) async throws {
        var request = AuthRequest(
            "POST", "/recover", query: [("redirect_to", redirectTo?.absoluteString)],
            body: ["email": .string(email), "gotrue_meta_security": captcha(captchaToken)])
        try await begin(.recovery, when: redirectTo, in: &request)
        _ = try await caller.send(request)
    }

    /// Resends a pending email. The response does not reveal whether there is one.
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
