public import Foundation

extension AuthClient {
    /// Sends a code and a link to an address; whoever has it signs in with ``verifyOTP(email:token:type:redirectTo:captchaToken:)``.
    ///
    /// - Parameter shouldCreateUser: Whether an unknown address makes an account.
    public func signInWithOTP(
        email: String, redirectTo: URL? = nil, shouldCreateUser: Bool = true, data: JSONObject? = nil,
        captchaToken: String? = nil
    ) async throws {
        var request = AuthRequest(
            "POST", "/otp", query: [("redirect_to", redirectTo?.absoluteString)],
            body: [
                "email": .string(email), "create_user": .bool(shouldCreateUser), "data": data.map(AnyJSON.object),
                "gotrue_meta_security": captcha(captchaToken),
            ])
        try await begin(.signIn, when: redirectTo, in: &request)
        _ = try await caller.send(request)
    }

    /// Redeems the code of a mail.
    ///
    /// - Throws: ``AuthClientError``, `otp_expired` for a wrong, used and old code alike.
    @discardableResult
    public func verifyOTP(
        email: String, token: String, type: EmailOTPType, redirectTo: URL? = nil, captchaToken: String? = nil
    ) async throws -> AuthResponse {
        try await verify(
            type.rawValue, ["email": .string(email), "token": .string(token)], redirectTo, captchaToken)
    }

    /// Redeems the code of a message to a phone.
    @discardableResult
    public func verifyOTP(
        phone: String, token: String, type: MobileOTPType, captchaToken: String? = nil
    ) async throws -> AuthResponse {
        try await verify(type.rawValue, ["phone": .string(phone), "token": .string(token)], nil, captchaToken)
    }

    /// Redeems the hash that a mail's link carries.
    @discardableResult
    public func verifyOTP(tokenHash: String, type: EmailOTPType) async throws -> AuthResponse {
        try await verify(type.rawValue, ["token_hash": .string(tokenHash)], nil, nil)
    }

    private func verify(
        _ type: String, _ members: [String: AnyJSON?], _ redirectTo: URL?, _ captchaToken: String?
    ) async throws -> AuthResponse {
        var body = members
        body["type"] = .string(type)
        body["gotrue_meta_security"] = captcha(captchaToken)
        let request = AuthRequest(
            "POST", "/verify", query: [("redirect_to", redirectTo?.absoluteString)], body: body)
        return try await respond(
            to: request, then: type == EmailOTPType.recovery.rawValue ? .passwordRecovery : nil)
    }

    /// Sends a mail for a new password, if the address has an account; the answer does not tell.
    ///
    /// - Parameter redirectTo: Where its link leads; what comes back goes to ``session(from:)``, and
    ///   `passwordRecovery` follows.
    public func resetPasswordForEmail(
        _ email: String, redirectTo: URL? = nil, captchaToken: String? = nil
    ) async throws {
        var request = AuthRequest(
            "POST", "/recover", query: [("redirect_to", redirectTo?.absoluteString)],
            body: ["email": .string(email), "gotrue_meta_security": captcha(captchaToken)])
        try await begin(.recovery, when: redirectTo, in: &request)
        _ = try await caller.send(request)
    }

    /// Sends a mail once more, if there is one to send; the answer does not tell.
    public func resend(
        email: String, type: ResendEmailType, emailRedirectTo: URL? = nil, captchaToken: String? = nil
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
