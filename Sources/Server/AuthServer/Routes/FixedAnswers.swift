import AccountDomain
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

struct FixedAnswers: Sendable {
    let health: [UInt8]
    let settings: [UInt8]
    let openIDConfiguration: [UInt8]

    init(_ settings: AuthSettings, providers: [String], factors: FactorRules) {
        health =
            Array(
                AuthJSON.object([
                    // Clients recognize the protocol by this name.
                    "name": "GoTrue", "version": .string(settings.version), "server": "Gatehouse",
                    "description": "Gatehouse: accounts for Swift apps. Speaks the Supabase Auth protocol.",
                ]).text.utf8)
        self.settings = Self.features(settings, providers, factors)
        let document = OAuthMetadata.document(
            issuer: settings.issuer, base: settings.oauth == nil ? settings.issuer : settings.externalURL,
            settings.oauth, plainProofKeys: settings.allowsPlainProofKeys)
        openIDConfiguration = Array(AuthJSON.object(document).text.utf8)
    }

    /// `/settings` lists each as on or off.
    static let providers = [
        "apple", "azure", "bitbucket", "discord", "facebook", "figma", "fly", "github", "gitlab", "google", "kakao",
        "keycloak", "linkedin", "linkedin_oidc", "notion", "slack", "slack_oidc", "snapchat", "spotify", "twitch",
        "twitter", "workos", "zoom",
    ]

    /// - Parameter name: Case-insensitive.
    static func knows(_ name: String) -> Bool { (providers + unlisted).contains(name.lowercased()) }

    /// Not in `/settings`.
    private static let unlisted = ["x", "vercel_marketplace"]

    private static func features(
        _ settings: AuthSettings, _ active: [String], _ factors: FactorRules
    ) -> [UInt8] {
        var external = AuthJSONObject(
            Dictionary(uniqueKeysWithValues: providers.map { ($0, AuthJSON.bool(active.contains($0))) }))
        // The protocol's clients read only the names that they know; ours offer these as well.
        for name in active { external[name] = true }
        external["anonymous_users"] = .bool(settings.allowsAnonymousSignIn)
        external["email"] = .bool(settings.allowsEmail)
        external["phone"] = .bool(settings.allowsPhone)
        let members: AuthJSONObject = [
            "external": .object(external), "disable_signup": .bool(!settings.allowsSignUp),
            "mailer_autoconfirm": .bool(settings.confirmsAutomatically),
            "phone_autoconfirm": .bool(settings.texts?.confirmsAutomatically == true),
            "sms_provider": .string(settings.texts?.provider ?? ""), "saml_enabled": false,
            "saml_private_key_next_configured": false,
            "passkeys_enabled": .bool(settings.passkeys != nil),
            // Extensions that tell an app's screens what to offer.
            "passkey_signup_enabled": .bool(settings.allowsSignUp && settings.passkeys?.allowsSignUp == true),
            "mailer_enabled": .bool(settings.mail != nil),
            "mailer_otp_length": .integer(Int64(MintedToken.digits)),
            "password_min_length": .integer(Int64(settings.passwordPolicy.minimumLength)),
            "mfa_totp_enabled": .bool(factors.enrolling.contains(.totp)),
            "sms_otp_length": .integer(Int64(MintedToken.digits)),
            "mfa_phone_enabled": .bool(factors.enrolling.contains(.phone)),
            "sms_whatsapp_enabled": .bool(settings.texts?.sendsWhatsApp == true),
            "mfa_web_authn_enabled": .bool(factors.enrolling.contains(.webAuthn)),
            "mfa_recovery_codes_enabled": .bool(factors.enrolling.contains(.recoveryCodes)),
            "oauth_server_enabled": .bool(settings.oauth != nil),
        ]
        return Array(AuthJSON.object(members).text.utf8)
    }
}

extension AuthServer {
    func health(_ request: Request, _ context: ServerContext) -> Response { Answer.json(fixed.health) }

    func showSettings(_ request: Request, _ context: ServerContext) -> Response { Answer.json(fixed.settings) }

    func jsonWebKeySet(_ request: Request, _ context: ServerContext) -> Response { cacheable(keys.document) }

    func openIDConfiguration(_ request: Request, _ context: ServerContext) -> Response {
        cacheable(fixed.openIDConfiguration)
    }

    private func cacheable(_ bytes: [UInt8]) -> Response {
        var response = Answer.json(bytes)
        response.headers.append(HTTPField(name: .cacheControl, value: "public, max-age=600"))
        return response
    }
}
