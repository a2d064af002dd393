import AccountDomain
import AuthServer
package import GatehouseServer
import GatehouseWire
import IdentityProviders
import SMTP

/// Valid but probably unintended, for `doctor`, `check-config` and the log of `serve`.
package struct SettingsChecks {
    private let given: GivenSettings
    private let settings: ServerSettings

    package init(_ given: GivenSettings, _ settings: ServerSettings) {
        (self.given, self.settings) = (given, settings)
    }

    package var all: [Finding] { [externalURL, callers, signUp, mail].compactMap(\.self) + texts }

    /// Recommendations of `doctor`. The defaults match Supabase Auth's.
    package var recommendations: [Finding] {
        guard settings.secrets != nil else { return [] }
        return [freshSignIn, captcha].compactMap(\.self)
    }

    private var freshSignIn: Finding? {
        guard given[.freshSignIn] == nil else { return nil }
        return
            .warning(
                "fresh sign-in", "a stolen access token is enough to change the password or delete the account",
                "set \(Setting.freshSignIn.environmentName)=\(Self.freshSignIn), unless one of your apps cannot ask for a sign-in"
            )
    }

    /// Recommended; `gatehouse dev --strict` uses it.
    static let freshSignIn = "10m"

    private var externalURL: Finding? {
        // Empty without the Auth API: tokens come from another issuer.
        guard let url = ProviderURL(settings.auth.externalURL), !url.isSecure, !url.isLoopback else { return nil }
        return .warning(
            "external_url", "\(settings.auth.externalURL) is http: passwords and tokens are sent unencrypted",
            "use a proxy with TLS and set its https URL as \(Setting.externalURL.environmentName)")
    }

    /// Rate limits probably see only a proxy's address. This program does not speak TLS, so an https URL implies a
    /// proxy.
    private var callers: Finding? {
        guard settings.rates != nil, settings.auth.externalURL.hasPrefix("https://"), given[.trustedProxies] == nil,
            given[.rateHeader] == nil
        else { return nil }
        let network = settings.listen.isLoopback ? "127.0.0.0/8,::1/128" : "the proxy's network, such as 10.0.0.0/8"
        return .warning(
            "callers",
            "the proxy in front of \(settings.listen) is not trusted: all clients share one rate limit, and ten wrong "
                + "passwords lock out every user",
            "\(Setting.trustedProxies.environmentName)=\(network), if the proxy sets "
                + "\(Setting.proxyHeader.defaultText ?? "a header")")
    }

    /// A new user can never sign in: addresses must be confirmed, but no emails are sent.
    private var signUp: Finding? {
        let auth = settings.auth
        guard settings.parts.contains(.auth), auth.allowsEmail, auth.allowsSignUp, auth.mail == nil,
            !auth.confirmsAutomatically
        else { return nil }
        return .warning(
            "sign-up",
            "new users cannot sign in: their email must be confirmed, and no mail server is configured",
            "set \(Setting.smtpHost.environmentName) to a mail server; or confirm emails automatically with "
                + "\(Setting.autoConfirm.environmentName)=true; or let administrators create accounts with "
                + "\(Setting.disableSignUp.environmentName)=true")
    }

    private var texts: [Finding] {
        guard let rules = settings.auth.texts else { return [] }
        var findings: [Finding] = []
        if settings.auth.allowsPhone, rules.confirmsAutomatically {
            findings.append(
                .warning(
                    "phone",
                    "new numbers are confirmed without a code: anyone can sign up with another person's number",
                    "\(Setting.smsAutoConfirm.environmentName)=false"))
        }
        if !rules.testCodes.isEmpty, rules.testCodesEnd == nil {
            findings.append(
                .warning(
                    "test numbers", "\(rules.testCodes.count) numbers have fixed codes that never end",
                    "set \(Setting.smsTestCodesEnd.environmentName), or remove \(Setting.smsTestCodes.environmentName)")
            )
        }
        if given[.smsProvider] != nil, rules.prefixes == nil {
            findings.append(
                .warning(
                    "countries", "text messages go to every country: fraudsters earn from expensive ones",
                    "list the countries of your users in \(Setting.smsCountries.environmentName)"))
        }
        if !sendsTexts, !settings.factors.enrolling.union(settings.factors.verifying).isDisjoint(with: [.phone]) {
            findings.append(
                .warning(
                    "phone factors", "no codes are sent, so users cannot confirm a number as second factor",
                    "set \(Setting.smsProvider.environmentName), or turn off \(Setting.enrollPhone.environmentName)"))
        }
        return findings
    }

    private var sendsTexts: Bool {
        settings.texts != nil || settings.hooks.hooks[.sendSMS] != nil || settings.mailFolder != nil
    }

    private var captcha: Finding? {
        guard given[.smsProvider] != nil, settings.auth.allowsPhone, settings.captcha == nil else { return nil }
        return .warning(
            "captcha", "programs can request text messages, which cost money",
            "set \(Setting.captchaEnabled.environmentName)=true, and show the captcha in your app")
    }

    private var mail: Finding? {
        guard let server = settings.mail?.server, server.security == .off, !server.isLoopback else { return nil }
        return .warning(
            "mail", "emails, with their links and codes, are sent to \(server.host) unencrypted",
            "\(Setting.smtpTLS.environmentName)=starttls, unless the network itself is protected")
    }
}
