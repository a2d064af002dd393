import GatehouseWire
import HTTPServing
import MailTemplates

/// Adds a provider's captcha to a form, with its answer as a field.
package struct CaptchaWidget: Sendable {
    package enum Provider: String, CaseIterable, Sendable { case hcaptcha, turnstile }

    let provider: Provider
    /// Public, unlike the secret that verifies answers.
    let siteKey: String

    /// - Returns: nil unless the key has 1 to 128 letters, digits, `-`, `_` and `.`.
    package init?(_ provider: Provider, siteKey: String) {
        guard (1...128).contains(siteKey.utf8.count), siteKey.utf8.allSatisfy(\.isUnreserved) else { return nil }
        (self.provider, self.siteKey) = (provider, siteKey)
    }

    var className: String {
        switch provider {
        case .hcaptcha: "h-captcha"
        case .turnstile: "cf-turnstile"
        }
    }

    var size: String { provider == .turnstile ? "flexible" : "normal" }

    var field: String { className + "-response" }

    /// Not hCaptcha's other script, which adds a second field for code written for reCAPTCHA.
    func script(in language: MailLanguage) -> String {
        switch provider {
        case .hcaptcha: "https://js.hcaptcha.com/1/api.js?recaptchacompat=off&hl=\(language.rawValue)"
        case .turnstile: "https://challenges.cloudflare.com/turnstile/v0/api.js"
        }
    }

    /// As the provider's documentation requires.
    func allow(in policy: inout ContentPolicy) {
        switch provider {
        case .hcaptcha:
            let origins = ["https://hcaptcha.com", "https://*.hcaptcha.com"]
            policy.scripts += origins
            policy.styles += origins
            policy.frames += origins
            policy.connections += origins
        case .turnstile:
            policy.scripts.append("https://challenges.cloudflare.com")
            policy.frames.append("https://challenges.cloudflare.com")
        }
    }
}

/// The page's own style sheets, pictures and forms are always allowed.
struct ContentPolicy {
    var scripts: [String] = []
    var pictures = ["'self'"]
    var styles = ["'self'"]
    var frames: [String] = []
    var connections: [String] = []

    var text: String {
        var parts = [
            "default-src 'none'", "style-src \(styles.joined(separator: " "))",
            "img-src \(pictures.joined(separator: " "))", "form-action 'self'",
            "base-uri 'none'", "frame-ancestors 'none'",
        ]
        for (name, sources) in [("script-src", scripts), ("frame-src", frames), ("connect-src", connections)]
        where !sources.isEmpty {
            parts.append("\(name) \(sources.joined(separator: " "))")
        }
        return parts.joined(separator: "; ")
    }
}

extension Visit {
    /// nil if no form needs a captcha.
    var captcha: CaptchaWidget? { pages.settings.captcha }

    func solved(_ body: AuthJSONObject) -> AuthJSONObject {
        guard let answer = captcha.flatMap({ fields[$0.field] }) else { return body }
        var body = body
        body["gotrue_meta_security"] = ["captcha_token": .string(answer)]
        return body
    }
}
