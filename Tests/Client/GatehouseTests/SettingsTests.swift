import Foundation
import Gatehouse
import GatehouseWire
import TestSupport
import Testing

@Suite("What the server offers")
struct SettingsTests {
    private func settings(_ json: AuthJSON) async throws -> AuthServerSettings {
        let answers = ScriptedAnswers([ScriptedAnswers.json(json)])
        let settings = try await answers.client().settings()
        #expect(answers.requests == ["GET /settings"] && answers.bearers == ["key"])
        return settings
    }

    @Test("Providers are listed by name, unknown ones too")
    func providers() async throws {
        let settings = try await settings([
            "external": [
                "google": true, "apple": true, "github": false, "provider_of_tomorrow": true, "email": true,
                "phone": false, "anonymous_users": true,
            ],
            "disable_signup": true, "mailer_autoconfirm": false, "sms_provider": "", "tomorrow": [1],
        ])
        #expect(
            settings
                == AuthServerSettings(
                    providers: [.apple, .google, "provider_of_tomorrow"], allowsEmail: true, allowsPhone: false,
                    allowsAnonymousSignIn: true, allowsSignUp: false, confirmsEmailAutomatically: false))
        #expect(settings.sendsMail == nil && settings.minimumPasswordLength == nil)
    }

    @Test("Second factors are offered unless the server says that it has none")
    func factors() async throws {
        for (json, apps, codes) in [
            (["external": [:]], true, true),
            (["external": [:], "mfa_totp_enabled": true, "mfa_recovery_codes_enabled": false], true, false),
            (["external": [:], "mfa_totp_enabled": false, "mfa_recovery_codes_enabled": true], false, true),
        ] as [(AuthJSON, Bool, Bool)] {
            let settings = try await settings(json)
            #expect(settings.allowsAuthenticatorApps == apps && settings.allowsRecoveryCodes == codes)
        }
    }

    @Test("Numbers are offered only by a server that says so")
    func phones() async throws {
        let none = try await settings(["external": [:], "sms_provider": ""])
        #expect(!none.allowsPhone && !none.confirmsPhoneAutomatically && !none.allowsPhoneFactors)
        #expect(none.smsProvider == nil && none.phoneCodeLength == nil)
        let all = try await settings([
            "external": ["phone": true], "phone_autoconfirm": true, "sms_provider": "twilio", "sms_otp_length": 8,
            "mfa_phone_enabled": true,
        ])
        #expect(all.allowsPhone && all.confirmsPhoneAutomatically && all.allowsPhoneFactors)
        #expect(all.smsProvider == "twilio" && all.phoneCodeLength == 8)
        #expect(all.providers.isEmpty)
    }

    @Test("Our server says what it sends and which passwords it takes")
    func ours() async throws {
        try await World.with { world in
            let settings = try await world.client.settings()
            var expected = AuthServerSettings(
                allowsAnonymousSignIn: settings.allowsAnonymousSignIn, sendsMail: false, minimumPasswordLength: 8,
                codeLength: 6)
            (expected.allowsRecoveryCodes, expected.phoneCodeLength, expected.hasOAuthServer) = (false, 6, false)
            #expect(settings == expected)
        }
    }

    @Test(
        "F14: The length of codes counts from 6 to 10, as Supabase allows", arguments: [5: nil, 6: 6, 10: 10, 11: nil])
    func codeLength(_ sent: Int, _ read: Int?) async throws {
        let settings = try await settings(["external": [:], "mailer_otp_length": .integer(Int64(sent))])
        #expect(settings.codeLength == read)
    }

    @Test(
        "A response of another server is no settings",
        arguments: [[:], ["external": true], ["external": []]] as [AuthJSON])
    func foreign(_ json: AuthJSON) async throws {
        let client = try ScriptedAnswers([ScriptedAnswers.json(json)]).client()
        await #expect(throws: AuthClientError.unexpectedAnswer("settings.external: expected an object")) {
            try await client.settings()
        }
    }
}

@Suite("Weak passwords")
struct WeakPasswordTests {
    @Test("The server's reasons, its message and its minimum reach the app")
    func reasons() async throws {
        try await World.with { world in
            let refusal = await self.refusal(of: "short", at: world)
            #expect(refusal?.weakPassword?.reasons == [.length])
            #expect(refusal?.weakPassword?.minimumLength == 8)
            #expect(refusal?.weakPassword?.message == "Password should be at least 8 characters.")
            let common = await self.refusal(of: "password", at: world)
            #expect(common?.weakPassword?.reasons == [.pwned])
            #expect(common?.weakPassword?.minimumLength == nil)
        }
    }

    private func refusal(of password: String, at world: World) async -> AuthRefusal? {
        let error = await #expect(throws: AuthClientError.self) {
            try await world.client.signUp(email: "ada@example.com", password: password)
        }
        return if case .refused(let refusal) = error { refusal } else { nil }
    }

    @Test(
        "The minimum is read from the message, if it is there",
        arguments: [
            ("Password should be at least 12 characters. Password should contain …", 12 as Int?),
            ("Password should be at least many characters.", nil), ("at least", nil), ("", nil),
            ("least 9 characters", 9),
        ])
    func minimum(_ message: String, _ length: Int?) {
        let refusal = AuthRefusal(
            status: 422, code: .weakPassword, message: message, weakPasswordReasons: ["length", "tomorrow"])
        #expect(refusal.weakPassword?.minimumLength == length)
        #expect(refusal.weakPassword?.reasons.last?.rawValue == "tomorrow")
        #expect(AuthRefusal(status: 422, code: .emailExists, message: message).weakPassword == nil)
    }
}
