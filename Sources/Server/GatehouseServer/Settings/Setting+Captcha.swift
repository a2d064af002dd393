import AuthServer
package import GatehouseWire
import IdentityProviders
import WebPages

package struct CaptchaSettings: Sendable {
    package let url: String
    package let secret: Secret

    package init(url: String, secret: Secret) { (self.url, self.secret) = (url, secret) }
}

extension Setting {
    package static let captchaEnabled = Setting(
        "security_captcha_enabled", .gotrue, .flag(false),
        "Requires a captcha (`gotrue_meta_security.captcha_token`) for sign-up, recovery, and sign-in "
            + "with a password or emailed code, except from administrators.")
    package static let captchaProvider = Setting(
        "security_captcha_provider", .gotrue, .text("hcaptcha"),
        "`hcaptcha` or `turnstile`.")
    package static let captchaSecret = Setting(
        "security_captcha_secret", .gotrue, .secret,
        "The provider's secret key.")
    package static let captchaSiteKey = Setting(
        "security_captcha_site_key", .none, .text(),
        "The provider's public site key, for the account pages and the console.")
    package static let captchaURL = Setting(
        "security_captcha_url", .none, .text(),
        "URL of a stand-in, for tests. `outgoing_loopback` allows this machine.")

    static let captcha: [Setting] = [
        captchaEnabled, captchaProvider, captchaSecret, captchaSiteKey, captchaURL,
    ]
}

extension SettingsReader {
    mutating func captcha(_ rule: OutgoingAddressRule) -> CaptchaSettings? {
        let provider = choice(
            .captchaProvider, ["hcaptcha": CaptchaProvider.hcaptcha, "turnstile": .turnstile])
        guard flag(.captchaEnabled) else { return nil }
        let url = text(.captchaURL) ?? provider?.url ?? ""
        if let given = text(.captchaURL) {
            let isAllowed = ProviderURL(given).map { url in
                // Ignored: the message names both parts of the rule.
                (try? rule.check(url)) != nil
            }
            if isAllowed != true {
                refuse(
                    .captchaURL, "expected https and a public address, or \(Setting.outgoingLoopback.environmentName)")
            }
        }
        guard let secret = required(.captchaSecret, "expected the secret key of the provider") else { return nil }
        return CaptchaSettings(url: url, secret: Secret(secret))
    }

    /// nil if no captcha is needed, or without a key.
    mutating func captchaWidget() -> CaptchaWidget? {
        guard flag(.captchaEnabled),
            let provider = choice(
                .captchaProvider, ["hcaptcha": CaptchaWidget.Provider.hcaptcha, "turnstile": .turnstile]),
            let key = text(.captchaSiteKey)
        else { return nil }
        let widget = CaptchaWidget(provider, siteKey: key)
        if widget == nil { refuse(.captchaSiteKey, "expected the public key that the provider gave") }
        return widget
    }
}
