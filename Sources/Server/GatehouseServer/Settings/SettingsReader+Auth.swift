import AccountDomain
import AuthServer
import Foundation
import GatehouseWire
import JSONWebTokens

extension SettingsReader {
    mutating func auth(isRequired: Bool) -> AuthSettings {
        if isRequired, given[.externalURL] == nil {
            refuse(.externalURL, "is missing: expected a web address such as https://api.example.org/auth/v1")
        }
        let policy = PasswordPolicy(
            minimumLength: number(.passwordMinimumLength),
            requiredCharacters: text(.passwordRequiredCharacters) ?? "", refusesCommon: flag(.passwordRefuseCommon),
            forbiddenWords: forbiddenWords())
        var auth = AuthSettings(
            externalURL: webAddress(.externalURL) ?? "", passwordPolicy: policy, version: ProgramVersion.text)
        if let issuer = text(.jwtIssuer) { auth.issuer = issuer }
        auth.accessTokenLifetime = .seconds(number(.jwtLifetime))
        auth.tokenRoom = TokenRoom(tokenBytes: number(.tokenMaximum))
        auth.allowsSignUp = !flag(.disableSignUp)
        auth.allowsAnonymousSignIn = flag(.anonymousEnabled)
        auth.allowsEmail = flag(.emailEnabled)
        auth.confirmsAutomatically = flag(.autoConfirm)
        auth.mail = mailRules()
        auth.allowsPhone = flag(.phoneEnabled)
        auth.passwordAnswerTime = duration(.passwordAnswerTime) ?? .zero
        if auth.passwordAnswerTime > .seconds(5) { refuse(.passwordAnswerTime, "expected at most 5s") }
        (auth.requiresCurrentPassword, auth.keysRequiredFrom) = (flag(.requireCurrentPassword), date(.keysRequiredFrom))
        auth.redirects = redirects(externalURL: auth.externalURL)
        auth.texts = textRules()
        auth.allowsImplicitFlow = flag(.implicitFlow)
        auth.allowsPlainProofKeys = flag(.plainProofKeys)
        auth.allowsManualLinking = flag(.manualLinking)
        auth.adminRoles = list(.jwtAdminRoles)
        auth.passkeys = passkeyRules()
        // Without an identity, WebAuthn factors are off: Supabase's configurations enable them alone.
        // ``UnusedSettings`` reports it.
        auth.identity = relyingParty(neededBy: flag(.passkeysEnabled) ? .passkeysEnabled : nil)
        auth.apiKeys.publishable = apiKeys(.publishableKeys, prefix: "sb_publishable_")
        auth.apiKeys.secret = apiKeys(.secretKeys, prefix: "sb_secret_")
        auth.apiKeys.areRequired = flag(.requireAPIKey)
        if auth.apiKeys.areRequired, auth.apiKeys.publishable.isEmpty, auth.apiKeys.secret.isEmpty {
            refuse(.requireAPIKey, "needs keys in \(Setting.publishableKeys.environmentName)")
        }
        return auth
    }

    /// The start of the day in UTC.
    private mutating func date(_ setting: Setting) -> Instant? {
        guard let given = text(setting) else { return nil }
        let date = given.utf8.count == 10 ? Instant(given + "T00:00:00Z") : nil
        if date == nil { refuse(setting, "expected a date such as 2027-01-31") }
        return date
    }

    /// nil disables mail.
    private mutating func mailRules() -> MailRules? {
        var mail = MailRules()
        mail.codeLifetime = .seconds(number(.mailCodeLifetime))
        mail.invitationLifetime = duration(.invitationLifetime) ?? mail.invitationLifetime
        mail.interval = duration(.mailInterval) ?? .zero
        mail.confirmsBothAddresses = flag(.secureEmailChange)
        mail.opensLinksAtOnce = flag(.mailedLinksOpenAtOnce)
        mail.requiresReauthentication = flag(.requireReauthentication)
        mail.notices = Set(Setting.notices.filter { flag($0.setting) }.map(\.kind))
        let hook = HookSettings.all.first { $0.name == .sendEmail }
        let hasHook = hook.map { flag($0.enabled) } ?? false
        return text(.mailFolder) == nil && text(.smtpHost) == nil && !hasHook ? nil : mail
    }

    /// The configured words, and parts of the URLs and of the app's scheme.
    private func forbiddenWords() -> [String] {
        let hosts = [Setting.siteURL, .externalURL].compactMap { text($0).flatMap(URL.init(string:))?.host }
        // Top-level domains do not name the app.
        let labels = hosts.flatMap { $0.split(separator: ".").dropLast().map(String.init) }
        return list(.passwordForbiddenWords) + hosts + labels + [text(.appScheme)].compactMap(\.self)
    }

    mutating func tokens() -> TokenSettings {
        var tokens = TokenSettings()
        tokens.sharedSecret = sharedSecret()
        tokens.imported = importedKeys()
        let hasImported = given.has(.jwtKeys)
        switch choice(.jwtAlgorithm, ["ES256": SigningAlgorithm.es256, "HS256": .hs256]) {
        case .hs256:
            if !given.has(.jwtSecret) { refuse(.jwtAlgorithm, "HS256 needs \(Setting.jwtSecret.environmentName)") }
            if hasImported { refuse(.jwtAlgorithm, "is decided by the keys of jwt_keys: leave it out") }
            tokens.signsWithSharedSecret = true
        case .es256:
            if hasImported { refuse(.jwtAlgorithm, "is decided by the keys of jwt_keys: leave it out") }
        default:
            tokens.signsWithSharedSecret = given[.jwtSecret] != nil && !hasImported
        }
        return tokens
    }

    mutating func remoteIssuer() -> RemoteIssuerSettings? {
        for setting in [Setting.jwksURL, .jwtIssuer, .issuerSecretKey] where !given.has(setting) {
            refuse(setting, "is missing: a standalone gateway needs an issuer")
        }
        let issuer = webAddress(.jwtIssuer)
        guard let keysURL = webAddress(.jwksURL), let issuer, let key = given[.issuerSecretKey]?.text else {
            return nil
        }
        for (setting, url) in [(Setting.jwksURL, keysURL), (.jwtIssuer, issuer)] where !OutgoingURL.isAllowed(url) {
            refuse(setting, "expected https; http is for loopback addresses only")
        }
        return RemoteIssuerSettings(keysURL: keysURL, issuer: issuer, secretKey: Secret(key))
    }
}
