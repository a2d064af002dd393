import GatehouseWire

extension GatehouseClient {
    /// Creates an account with a telephone number, and texts a code unless the server confirms automatically. Pass the
    /// code to ``verifyOTP(phone:token:type:captchaToken:)`` with ``PhoneCodeType/sms``.
    ///
    /// - Parameters:
    ///   - phone: In E.164 format, such as `+491701234567`; see `CallingCode.number(typed:region:)`.
    ///   - password: 8 characters to 1,024 bytes.
    ///   - data: The account's metadata.
    /// - Throws: `user_already_exists`; `weak_password`, with ``AuthRefusal/weakPasswordReasons``; `signup_disabled`;
    ///   `phone_provider_disabled`; `sms_send_failed`; `over_sms_send_rate_limit`, with ``AuthRefusal/retryAfter``.
    @discardableResult
    public func signUp(
        phone: String, password: String, channel: PhoneChannel = .sms, data: AuthJSONObject? = nil,
        captchaToken: String? = nil
    ) async throws -> SessionOrUser {
        try await respond(
            to: AuthRequest(
                "POST", "/signup",
                body: [
                    "phone": .string(phone), "password": .string(password), "channel": .string(channel.rawValue),
                    "data": data.map(AuthJSON.object), "gotrue_meta_security": captcha(captchaToken),
                ]))
    }

    /// Signs in with a telephone number and a password.
    ///
    /// - Throws: `invalid_credentials`; only for the correct password `phone_not_confirmed`, `user_banned`, and
    ///   `credential_set_aside`, after which use ``verifyOTP(phone:token:type:password:captchaToken:)``;
    ///   `phone_provider_disabled`; `over_request_rate_limit`, with ``AuthRefusal/retryAfter``.
    @discardableResult
    public func signIn(phone: String, password: String, captchaToken: String? = nil) async throws -> AuthSession {
        try await signIn(
            AuthRequest(
                "POST", "/token", query: [("grant_type", "password")],
                body: [
                    "phone": .string(phone), "password": .string(password),
                    "gotrue_meta_security": captcha(captchaToken),
                ]))
    }

    /// Texts a code for signing in. Pass it to ``verifyOTP(phone:token:type:captchaToken:)``.
    ///
    /// ```swift
    /// try await client.signInWithOTP(phone: "+491701234567")
    /// try await client.verifyOTP(phone: "+491701234567", token: code, type: .sms)
    /// ```
    ///
    /// - Parameters:
    ///   - phone: In E.164 format.
    ///   - shouldCreateUser: Whether to create an account for an unknown number.
    ///   - data: A new account's metadata.
    /// - Throws: `over_sms_send_rate_limit`, with ``AuthRefusal/retryAfter``; `sms_send_failed`;
    ///   `phone_provider_disabled`; `signup_disabled`. After `offline`, a message may have been sent.
    @discardableResult
    public func signInWithOTP(
        phone: String, channel: PhoneChannel = .sms, shouldCreateUser: Bool = true, data: AuthJSONObject? = nil,
        captchaToken: String? = nil
    ) async throws -> SentMessage {
        try await sent(
            AuthRequest(
                "POST", "/otp",
                body: [
                    "phone": .string(phone), "create_user": .bool(shouldCreateUser),
                    "channel": .string(channel.rawValue), "data": data.map(AuthJSON.object),
                    "gotrue_meta_security": captcha(captchaToken),
                ]))
    }

    /// Texts a pending code again. The response does not reveal whether there is one.
    ///
    /// - Parameter phone: For ``PhoneCodeType/phoneChange``, the current number.
    /// - Throws: As ``signInWithOTP(phone:channel:shouldCreateUser:data:captchaToken:)``.
    @discardableResult
    public func resend(
        phone: String, type: PhoneCodeType, captchaToken: String? = nil
    ) async throws -> SentMessage {
        try await sent(
            AuthRequest(
                "POST", "/resend",
                body: [
                    "type": .string(type.rawValue), "phone": .string(phone),
                    "gotrue_meta_security": captcha(captchaToken),
                ]))
    }

    private func sent(_ request: AuthRequest) async throws -> SentMessage {
        let reply = try await caller.send(request)
        // Ignored: the message was sent, only its id is unknown.
        return SentMessage(messageID: (try? JSONReader.read(reply.body))?["message_id"]?.stringValue)
    }
}

/// How a code reaches a telephone.
public enum PhoneChannel: String, Hashable, Sendable {
    /// A text message.
    case sms
    /// A WhatsApp message, if the server's provider sends them.
    case whatsapp
}

/// A text message that the server has sent.
public struct SentMessage: Hashable, Sendable {
    /// The provider's id of the message; nil if unknown, and whenever the server does not reveal accounts.
    public let messageID: String?
}
