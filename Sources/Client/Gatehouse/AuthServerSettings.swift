/// The auth server's public settings, from `GET /settings`.
public struct AuthServerSettings: Hashable, Sendable {
    /// The enabled providers by name, including unknown ones, without email, telephone and anonymous sign-in.
    public var providers: [AuthProvider]
    /// Whether users can sign in with an email address.
    public var allowsEmail: Bool
    /// Whether users can sign in with a telephone number.
    public var allowsPhone: Bool
    /// Whether a sign-up with a telephone number signs in immediately, without a message.
    public var confirmsPhoneAutomatically = false
    /// The service that sends text messages, such as `twilio`; nil without one.
    public var smsProvider: String?
    /// The digits of a texted code, 6 to 10; nil if unknown.
    public var phoneCodeLength: Int?
    /// Whether ``GatehouseClient/signInAnonymously(data:captchaToken:)`` works.
    public var allowsAnonymousSignIn: Bool
    /// Whether new accounts can be created.
    public var allowsSignUp: Bool
    /// Whether sign-up signs in immediately, without email.
    public var confirmsEmailAutomatically: Bool
    /// Whether the server can send email; nil if unknown. Hosted Supabase can.
    public var sendsMail: Bool?
    /// A new password's minimum length; nil if unknown.
    public var minimumPasswordLength: Int?
    /// The digits of an emailed code, 6 to 10; nil if unknown, as with hosted Supabase.
    public var codeLength: Int?

    /// Whether users can sign in with passkeys.
    public var allowsPasskeys = false
    /// Whether sign-up with a passkey works
    /// (``GatehouseClient/signUpWithPasskey(email:data:redirectTo:with:captchaToken:)``).
    public var allowsPasskeySignUp = false
    /// Whether users can add authenticator apps; true if unknown.
    public var allowsAuthenticatorApps = true
    /// Whether users can add telephone numbers as second factors; false if unknown.
    public var allowsPhoneFactors = false
    /// Whether users can create recovery codes; true if unknown.
    public var allowsRecoveryCodes = true
    /// Whether apps and agents can request access to accounts; nil if unknown, as with hosted Supabase.
    public var hasOAuthServer: Bool?

    /// For tests and previews.
    public init(
        providers: [AuthProvider] = [], allowsEmail: Bool = true, allowsPhone: Bool = false,
        allowsAnonymousSignIn: Bool = false, allowsSignUp: Bool = true, confirmsEmailAutomatically: Bool = true,
        sendsMail: Bool? = nil, minimumPasswordLength: Int? = nil, codeLength: Int? = nil
    ) {
        self.providers = providers
        self.allowsEmail = allowsEmail
        self.allowsPhone = allowsPhone
        self.allowsAnonymousSignIn = allowsAnonymousSignIn
        self.allowsSignUp = allowsSignUp
        self.confirmsEmailAutomatically = confirmsEmailAutomatically
        self.sendsMail = sendsMail
        self.minimumPasswordLength = minimumPasswordLength
        self.codeLength = codeLength
    }
}

extension AuthServerSettings {
    /// Members of `external` that are not providers.
    private static let others = ["email", "phone", "anonymous_users"]
    /// The member with the length of codes, which Supabase limits.
    private static func codeLength(_ name: String, _ members: WireMembers) -> Int? {
        members.number(name).flatMap { Int(exactly: $0) }.flatMap { (6...10).contains($0) ? $0 : nil }
    }

    /// Absent members are false.
    init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "settings")
        guard let external = members["external"]?.objectValue else {
            throw WireProblem("settings.external: expected an object")
        }
        let enabled = external.compactMap { name, value in value.boolValue == true ? name : nil }
        let providers = enabled.filter { name in !Self.others.contains { $0 == name } }.sorted()
        self.init(
            providers: providers.map { AuthProvider(rawValue: $0) },
            allowsEmail: enabled.contains("email"), allowsPhone: enabled.contains("phone"),
            allowsAnonymousSignIn: enabled.contains("anonymous_users"), allowsSignUp: !members.bool("disable_signup"),
            confirmsEmailAutomatically: members.bool("mailer_autoconfirm"),
            sendsMail: members["mailer_enabled"]?.boolValue,
            minimumPasswordLength: members.number("password_min_length").flatMap { Int(exactly: $0) },
            codeLength: Self.codeLength("mailer_otp_length", members))
        confirmsPhoneAutomatically = members.bool("phone_autoconfirm")
        smsProvider = members.text("sms_provider")
        phoneCodeLength = Self.codeLength("sms_otp_length", members)
        allowsPhoneFactors = members.bool("mfa_phone_enabled")
        allowsPasskeys = members.bool("passkeys_enabled")
        allowsPasskeySignUp = members.bool("passkey_signup_enabled")
        allowsAuthenticatorApps = members["mfa_totp_enabled"]?.boolValue ?? true
        allowsRecoveryCodes = members["mfa_recovery_codes_enabled"]?.boolValue ?? true
        hasOAuthServer = members["oauth_server_enabled"]?.boolValue
    }
}

extension GatehouseClient {
    /// Fetches the server's settings. They rarely change: an app can keep them while it runs.
    ///
    /// ```swift
    /// let settings = try await client.settings()
    /// showsGoogle = settings.providers.contains(.google)
    /// showsForgotPassword = settings.allowsEmail && settings.sendsMail != false
    /// ```
    ///
    /// - Throws: `offline` without a response, `unexpectedAnswer` for one that is not the server's.
    public func settings() async throws -> AuthServerSettings {
        let reply = try await caller.send(AuthRequest("GET", "/settings"))
        return try AuthCaller.read(reply) { json throws(WireProblem) in try AuthServerSettings(json: json) }
    }
}
