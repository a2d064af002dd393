package import GatehouseWire

/// Rendering bounds and cleans text that users chose.
package struct MailValues: Sendable {
    package var appName: String
    package var siteURL: String
    /// The new one in the notice of a change.
    package var email: String
    /// The recipient's.
    package var sendingTo: String
    package var newEmail: String?
    package var oldEmail: String?
    /// In E.164 without the plus sign.
    package var phone: String?
    package var oldPhone: String?
    package var clientName: String?
    /// A connected client's scopes and resources: names, and the operator's words for own scopes.
    package var access: [(name: String, text: String?)] = []
    package var appsURL: String?
    package var reportURL: String?
    package var confirmationURL: String?
    package var token: String?
    package var tokenHash: String?
    package var redirectTo: String?
    /// Of link and code.
    package var lifetime: Duration?
    /// Built-in emails omit it: a stranger may have signed up with this address, and could advertise with a name.
    package var data = AuthJSONObject()
    package var provider: String?
    /// As on the wire.
    package var factorType: String?
    package var removalTime: Instant?
    /// The product that stores a passkey.
    package var authenticator: String?
    package var device: String?
    package var time: Instant?

    package init(appName: String, siteURL: String, email: String) {
        (self.appName, self.siteURL, self.email, sendingTo) = (appName, siteURL, email, email)
    }
}

extension MailValues {
    func text(_ variable: MailVariable, in language: MailLanguage) -> MailText? {
        let text: String? =
            switch variable {
            case .appName: appName
            case .siteURL: siteURL
            case .email: email
            case .sendingTo: sendingTo
            case .newEmail: newEmail
            case .oldEmail: oldEmail
            case .phone: phone.map { "+" + $0 }
            case .oldPhone: oldPhone.map { "+" + $0 }
            case .clientName: clientName.map(Self.unlinked)
            case .access: access.map { language.words(for: $0) }.joined(separator: " · ")
            case .appsURL: appsURL
            case .reportURL: reportURL
            case .confirmationURL: confirmationURL
            case .token: token
            case .tokenHash: tokenHash
            case .redirectTo: redirectTo
            case .lifetime: lifetime.map { language.words(for: $0) }
            case .provider: provider
            case .factorType: factorType
            case .removalTime: removalTime.map { language.words(for: $0) }
            case .authenticator: authenticator
            case .device: device
            case .time: time.map { language.words(for: $0) }
            case .data: nil
            }
        guard let text, !text.isEmpty else { return nil }
        return MailText(text, limit: variable.limit)
    }

    /// A client chooses its name: mail programs must not link one such as `agent.example`. The word joiner (U+2060) has
    /// no width.
    private static func unlinked(_ name: String) -> String {
        name.map { ".:/@".contains($0) ? "\($0)\u{2060}" : "\($0)" }.joined()
    }

    func check(for kind: MailTemplateKind) throws(MailRenderingError) {
        let urls: [(MailVariable, String?)] = [
            (.siteURL, siteURL), (.confirmationURL, confirmationURL), (.redirectTo, redirectTo), (.appsURL, appsURL),
            (.reportURL, reportURL),
        ]
        for (variable, url) in urls where (url?.utf8.count ?? 0) > variable.limit {
            throw .tooLong(variable)
        }
        for variable in MailVariable.allCases
        where kind.required.contains(variable) && text(variable, in: .english) == nil {
            throw .missing(variable)
        }
    }

    static func sample(_ kind: MailTemplateKind) -> MailValues {
        var values = MailValues(
            appName: "Example", siteURL: "https://app.example.org", email: "ana@example.org")
        if kind == .emailChangeNew || kind == .emailChangeCurrent { values.newEmail = "ana@example.com" }
        if kind == .emailChangeNew { values.sendingTo = "ana@example.com" }
        if kind == .emailChanged { (values.email, values.oldEmail) = ("ana@example.com", "ana@example.org") }
        if kind == .phoneChanged { (values.phone, values.oldPhone) = ("491701234567", "15551230001") }
        if kind == .appConnected {
            (values.clientName, values.appsURL) = ("Research Agent", "https://api.example.org/account/apps")
            values.access = [("email", nil), ("offline_access", nil), ("notes", "Read your notes")]
        }
        if kind == .newDevice { values.reportURL = "https://api.example.org/account/unknown-device?token=5f2a" }
        if kind.variables.contains(.confirmationURL) {
            values.confirmationURL = "https://api.example.org/auth/v1/verify?token=pkce_5f2a&type=signup"
            values.redirectTo = "https://app.example.org/welcome"
        }
        if kind.variables.contains(.token) {
            (values.token, values.tokenHash, values.lifetime) = ("042917", "pkce_5f2a", .seconds(3_600))
        }
        if kind.variables.contains(.provider) { values.provider = "Google" }
        if kind.variables.contains(.factorType) { values.factorType = "totp" }
        if kind.variables.contains(.removalTime) { values.removalTime = Instant(seconds: 1_770_368_130) }
        if kind.variables.contains(.authenticator) { values.authenticator = "Apple Passwords" }
        if kind.isNotice { (values.device, values.time) = ("iPhone", Instant(seconds: 1_770_108_930)) }
        return values
    }
}

/// The caller must refuse these values earlier.
package enum MailRenderingError: Error, Equatable, Sendable {
    case missing(MailVariable)
    /// A URL beyond its limit.
    case tooLong(MailVariable)
}
