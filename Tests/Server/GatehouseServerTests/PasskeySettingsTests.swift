import AccountDomain
import AuthServer
import GatehouseServer
import TestSupport
import Testing
import WebAuthn

@Suite("Settings of passkeys")
struct PasskeySettingsTests {
    private static let right = [
        "GOTRUE_PASSKEY_ENABLED": "true", "GOTRUE_WEBAUTHN_RP_ID": "example.org",
        "GOTRUE_WEBAUTHN_RP_ORIGINS": "https://app.example.org, https://login.example.org:8443",
    ]

    private func auth(_ more: [String: String]) throws -> AuthSettings {
        try GivenValues.settings(Self.right.merging(more) { $1 }).auth
    }

    @Test("Passkeys are off unless a setting says otherwise")
    func off() throws {
        let auth = try GivenValues.settings([:]).auth
        #expect(auth.passkeys == nil && auth.identity == nil)
    }

    @Test("Supabase's names configure passkeys and their domain")
    func names() throws {
        let auth = try auth([
            "GOTRUE_WEBAUTHN_RP_DISPLAY_NAME": "Example App", "GOTRUE_PASSKEY_MAX_PASSKEYS_PER_USER": "3",
            "GOTRUE_WEBAUTHN_CHALLENGE_EXPIRY_DURATION": "2s",
        ])
        let (rules, identity) = (try #require(auth.passkeys), try #require(auth.identity))
        #expect(rules.maximum == 3 && rules.challengeLifetime == .seconds(2))
        #expect(!rules.countsAsTwoFactors && !rules.allowsSignUp)
        #expect(identity.party.id == "example.org" && identity.party.name == "Example App")
        #expect(
            identity.party.origins.map(\.text) == ["https://app.example.org", "https://login.example.org:8443"])
    }

    @Test("WebAuthn factors without a domain are off, and stop no start; passkeys without one do")
    func noDomain() throws {
        let keys = ["GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED": "true", "GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED": "true"]
        #expect(try GivenValues.settings(keys).factors.enrolling == [.totp])
        #expect(try GivenValues.settings(keys).factors.verifying == [.totp])
        let settings = try GivenValues.settings(keys.merging(Self.right) { $1 })
        #expect(settings.factors.enrolling == [.totp, .webAuthn] && settings.factors.verifying == [.totp, .webAuthn])
        let problems = GivenValues.problems(["GOTRUE_PASSKEY_ENABLED": "true"])
        #expect(problems.map(\.name) == ["GOTRUE_PASSKEY_ENABLED"])
    }

    @Test("Without a name, authenticators show the app's name or the domain")
    func name() throws {
        #expect(try auth([:]).identity?.party.name == "example.org")
        #expect(try auth(["GATEHOUSE_ACCOUNT_PAGES_NAME": "Box Score"]).identity?.party.name == "Box Score")
    }

    @Test(
        "Authenticator apps show the app's name, or the site's host without a port",
        arguments: [
            (["GOTRUE_SITE_URL": "https://app.example.org"], "app.example.org"),
            (["GOTRUE_SITE_URL": "http://localhost:3000/app"], "localhost"),
            (["GOTRUE_SITE_URL": "boxscore://callback"], "api.example.org"),
            (["GOTRUE_SMTP_SENDER_NAME": "Box: Score"], "Box Score"),
            (["GOTRUE_SMTP_SENDER_NAME": "No reply", "GATEHOUSE_ACCOUNT_PAGES_NAME": "Box Score"], "Box Score"),
        ] as [([String: String], String)])
    func issuer(changes: [String: String], name: String) throws {
        #expect(try GivenValues.settings(changes).factors.issuer == name)
    }

    @Test("Apps need no origin of their own")
    func apps() throws {
        let print = Array(repeating: "AB", count: 32).joined(separator: ":")
        let identity = try #require(
            try auth([
                "GOTRUE_WEBAUTHN_RP_ORIGINS": "", "GATEHOUSE_APPLE_APP_IDS": "A1B2C3D4E5.org.example.app",
                "GATEHOUSE_ANDROID_APPS": "org.example.app=\(print)",
            ]).identity)
        let origins = identity.party.origins.map(\.text)
        #expect(origins.first == "https://example.org")
        #expect(origins.last?.hasPrefix("android:apk-key-hash:q6urq6") == true)
        #expect(identity.apps.apple == ["A1B2C3D4E5.org.example.app"])
    }

    @Test("Origins of other domains are allowed as related ones alone")
    func related() throws {
        let identity = try auth(["GATEHOUSE_WEBAUTHN_RELATED_ORIGINS": "https://example.com"]).identity
        #expect(identity?.party.origins.last?.text == "https://example.com")
    }

    @Test(
        "A value that cannot work is refused at the start",
        arguments: [
            ("GOTRUE_WEBAUTHN_RP_ID", "127.0.0.1"), ("GOTRUE_WEBAUTHN_RP_ID", "https://example.org"),
            ("GOTRUE_WEBAUTHN_RP_ID", "example.org:443"),
            ("GOTRUE_WEBAUTHN_RP_ORIGINS", "https://app.example.com"),
            ("GOTRUE_WEBAUTHN_RP_ORIGINS", "https://app.example.org/"),
            ("GOTRUE_WEBAUTHN_RP_ORIGINS", "http://app.example.org"),
            ("GOTRUE_WEBAUTHN_CHALLENGE_EXPIRY_DURATION", "2h"),
            ("GOTRUE_WEBAUTHN_CHALLENGE_EXPIRY_DURATION", "300"), ("GOTRUE_PASSKEY_MAX_PASSKEYS_PER_USER", "0"),
            ("GATEHOUSE_WEBAUTHN_RELATED_ORIGINS", "android:apk-key-hash:x"),
            ("GATEHOUSE_APPLE_APP_IDS", "org.example.app"), ("GATEHOUSE_ANDROID_APPS", "org.example.app=AB"),
        ])
    func refused(name: String, value: String) {
        #expect(GivenValues.problems(Self.right.merging([name: value]) { $1 }).contains { $0.name == name })
    }

    @Test("Passkeys without a domain are refused, and so is a part of one")
    func missing() {
        let names = GivenValues.problems(["GOTRUE_PASSKEY_ENABLED": "true"]).map(\.name)
        #expect(names == ["GOTRUE_PASSKEY_ENABLED"])
        let alone = ["GOTRUE_PASSKEY_ENABLED": "true", "GOTRUE_WEBAUTHN_RP_ID": "example.org"]
        #expect(GivenValues.problems(alone).map(\.name) == ["GATEHOUSE_WEBAUTHN_RP_ORIGINS"])
        for name in ["GOTRUE_WEBAUTHN_RP_ORIGINS", "GATEHOUSE_APPLE_APP_IDS"] {
            let value = name.hasSuffix("IDS") ? "A1B2C3D4E5.org.example.app" : "https://example.org"
            #expect(GivenValues.problems([name: value]).map(\.name) == [name])
        }
    }
}
