import GatehouseWire

struct ServerOffer {
    let providers: [String]
    let hasEmail: Bool
    let hasPhone: Bool
    let hasMail: Bool
    let allowsSignUp: Bool
    let hasPasskeys: Bool
    /// With an email address.
    let allowsPasskeySignUp: Bool
    /// Supabase Auth does not report these.
    let hasApps, hasKeys, hasRecoveryCodes, hasPhoneFactors: Bool
    /// Other apps and agents may act for users.
    let hasClients: Bool
    let passwordLength: Int

    init(settings: AuthJSON) {
        let external = settings["external"]?.objectValue ?? [:]
        let others: [String] = ["email", "phone", "anonymous_users"]
        providers = external.filter { $0.value.boolValue == true && !others.contains($0.key) }.map(\.key).sorted(by: <)
        hasEmail = external["email"]?.boolValue ?? false
        hasPhone = external["phone"]?.boolValue ?? false
        // Supabase Auth always sends mail and does not report it.
        hasMail = hasEmail && settings["mailer_enabled"]?.boolValue ?? true
        hasPasskeys = settings["passkeys_enabled"]?.boolValue ?? false
        hasApps = settings["mfa_totp_enabled"]?.boolValue ?? true
        hasKeys = settings["mfa_web_authn_enabled"]?.boolValue ?? false
        hasPhoneFactors = settings["mfa_phone_enabled"]?.boolValue ?? false
        hasRecoveryCodes = settings["mfa_recovery_codes_enabled"]?.boolValue ?? true
        hasClients = settings["oauth_server_enabled"]?.boolValue ?? false
        allowsSignUp = settings["disable_signup"]?.boolValue == false
        let confirms = settings["mailer_autoconfirm"]?.boolValue ?? false
        allowsPasskeySignUp =
            hasPasskeys && hasEmail && (hasMail || confirms) && settings["passkey_signup_enabled"]?.boolValue ?? false
        passwordLength = Int(settings["password_min_length"]?.intValue ?? 8)
    }

    /// nil if the style sheet has none.
    static func symbol(_ provider: String) -> String? {
        let known: [String] = ["apple", "google"]
        return known.contains(provider) ? provider : nil
    }
}
