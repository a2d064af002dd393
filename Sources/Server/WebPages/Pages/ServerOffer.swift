import GatehouseWire
import HTTPServing
import HTTPTypes

/// The sign-in methods that the server offers.
struct ServerOffer {
    let providers: [String]
    let hasEmail: Bool
    let hasMail: Bool
    let allowsSignUp: Bool
    let hasPasskeys: Bool
    /// Whether users may add authenticator apps, security keys, and recovery codes. Supabase Auth does not say so.
    let hasApps, hasKeys, hasRecoveryCodes: Bool
    let passwordLength: Int

    init(settings: AnyJSON) {
        let external = settings["external"]?.objectValue ?? [:]
        let others: [String] = ["email", "phone", "anonymous_users"]
        providers = external.filter { $0.value.boolValue == true && !others.contains($0.key) }.map(\.key).sorted(by: <)
        hasEmail = external["email"]?.boolValue ?? false
        // Supabase Auth always sends mail and does not say so.
        hasMail = hasEmail && settings["mailer_enabled"]?.boolValue ?? true
        hasPasskeys = settings["passkeys_enabled"]?.boolValue ?? false
        hasApps = settings["mfa_totp_enabled"]?.boolValue ?? true
        hasKeys = settings["mfa_web_authn_enabled"]?.boolValue ?? false
        hasRecoveryCodes = settings["mfa_recovery_codes_enabled"]?.boolValue ?? true
        allowsSignUp = settings["disable_signup"]?.boolValue == false
        passwordLength = Int(settings["password_min_length"]?.intValue ?? 8)
    }

    /// The name of a provider as its users know it.
    static func name(_ provider: String) -> String {
        switch provider {
        case "apple": "Apple"
        case "google": "Google"
        case "github": "GitHub"
        case "gitlab": "GitLab"
        case "linkedin", "linkedin_oidc": "LinkedIn"
        default: provider.prefix(1).uppercased() + provider.dropFirst()
        }
    }

    /// Whether the style sheet has a symbol for the provider.
    static func symbol(_ provider: String) -> String? {
        let known: [String] = ["apple", "google"]
        return known.contains(provider) ? provider : nil
    }
}

extension Visit {
    /// - Throws: ``CallRefusal``, ``CallFailed``.
    mutating func offer() async throws -> ServerOffer { ServerOffer(settings: try await call(.get, "/settings")) }

    /// The name of a sign-in method.
    func methodName(_ provider: String) -> String {
        provider == "email" ? say("Email and Password") : ServerOffer.name(provider).shown
    }

    // Fields that several forms have.
    func emailField(_ value: String? = nil, label: String? = nil) -> Field {
        Field(
            kind: .email, name: "email", label: label ?? say("Email"), value: value ?? "", autocomplete: "username",
            maximumLength: 254)
    }

    func passwordField(_ label: String, name: String = "password", isNew: Bool, minimum: Int? = nil) -> Field {
        Field(
            kind: .password, name: name, label: label, autocomplete: isNew ? "new-password" : "current-password",
            minimumLength: minimum, maximumLength: 256)
    }

    var codeField: Field {
        Field(kind: .code, name: "code", label: say("Code"), autocomplete: "one-time-code", maximumLength: 16)
    }

    /// The code of the form: its letters and digits in ASCII, whatever the script of the digits and the marks between
    /// them. Mails and apps show codes in groups.
    var typedCode: String {
        let scalars = (fields["code"] ?? "").cut(to: 256).unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
            if scalar.properties.numericType == .decimal, let digit = scalar.properties.numericValue {
                return Unicode.Scalar(UInt8(ascii: "0") + UInt8(digit))
            }
            // Full-width letters, as Japanese keyboards write them.
            let narrow = (0xFF21...0xFF5A).contains(scalar.value) ? scalar.value - 0xFEE0 : scalar.value
            return Unicode.Scalar(narrow).flatMap { $0.isASCII && $0.properties.isAlphabetic ? $0 : nil }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
