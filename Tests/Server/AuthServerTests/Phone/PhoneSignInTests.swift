import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Sign-up and sign-in by phone")
struct PhoneSignInTests {
    @Test("A sign-up with a number waits for its code, then signs in with the password", arguments: TestDatabase.all)
    func signUp(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let asked = try await server.signUpByPhone()
            #expect(asked.status == 200 && asked["phone"] == "15551230001" && asked["email"] == "", "\(asked)")
            #expect(asked["phone_confirmed_at"] == nil && asked["access_token"] == nil)
            #expect(asked["identities"]?.arrayValue?.first?["provider"] == "phone")
            #expect(asked["app_metadata"] == ["provider": "phone", "providers": ["phone"]])
            #expect(try await server.signInByPhone().code == "phone_not_confirmed")
            let code = try await server.textedCode()
            #expect(try await server.verifyText(TestServer.wrong(code)).code == "otp_expired")
            let session = try await server.verifyText(code)
            #expect(session.status == 200 && session["user"]?["id"] == asked["id"], "\(session)")
            #expect(session["user"]?["phone_confirmed_at"]?.stringValue != nil)
            #expect(try await server.verifyText(code).code == "otp_expired")
            let again = try await server.signInByPhone()
            #expect(again.status == 200 && again["user"]?["id"] == asked["id"])
            #expect(try await server.signInByPhone("another password 9").code == "invalid_credentials")
        }
    }

    @Test("A code signs a new number up, and a known one in", arguments: TestDatabase.all)
    func oneTimeCode(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let first = try await server.phoned()
            server.passInterval()
            #expect(try await server.askForCode("+1 555 123 0001", ["create_user": false]).status == 200)
            let again = try await server.verifyText(try await server.textedCode())
            #expect(again["user"]?["id"]?.stringValue == first.userID)
            let methods = try await server.send(.get, "/auth/v1/user", bearer: first.accessToken)
            #expect(methods["phone"] == "15551230001")
        }
    }

    @Test("Without create_user an unknown number gets no message and the same response")
    func unknown() async throws {
        try await TestServer.phoning { server in
            let answer = try await server.askForCode(TestServer.number, ["create_user": false])
            #expect(answer.status == 200 && answer.text == "{}")
            #expect(try await server.deliveredMails().isEmpty)
            #expect(try await server.verifyText("123456").code == "otp_expired")
        }
    }

    @Test("A code ends after its lifetime, after five wrong ones, and with the next sign-in")
    func codeEnds() async throws {
        try await TestServer.phoning { server in
            _ = try await server.askForCode()
            let late = try await server.textedCode()
            server.clock.advance(by: .seconds(301))
            #expect(try await server.verifyText(late).code == "otp_expired")
            _ = try await server.askForCode()
            let guessed = try await server.textedCode()
            for _ in 0..<5 { _ = try await server.verifyText(TestServer.wrong(guessed)) }
            #expect(try await server.verifyText(guessed).code == "otp_expired")
            server.passInterval()
            _ = try await server.askForCode()
            #expect(try await server.verifyText(try await server.textedCode()).status == 200)
        }
    }

    @Test("An emailed code's type, or a link, does not use up a texted code")
    func otherTypes() async throws {
        try await TestServer.phoning { server in
            _ = try await server.askForCode()
            let code = try await server.textedCode()
            for type in ["signup", "email", "recovery", "magiclink", "phone_change", "email_change"] {
                let refused = try await server.verifyText(code, type: type)
                #expect(refused.code == "otp_expired", "\(type): \(refused)")
            }
            let both: AuthJSON = [
                "type": "sms", "token": .string(code), "phone": .string(TestServer.number), "email": "ada@example.com",
            ]
            #expect(try await server.post("/verify", both).code == "validation_failed")
            #expect(try await server.verifyText(code).status == 200)
        }
    }

    @Test(
        "Malformed requests name what is wrong and send nothing",
        arguments: [
            ("/signup", ["phone": "12", "password": "correct horse battery", "email": "a@example.com"]),
            ("/signup", ["phone": "0049", "password": "correct horse battery"]),
            ("/signup", ["phone": "15551230001", "password": "correct horse battery", "channel": "pigeon"]),
            ("/signup", ["phone": "15551230001", "password": "correct horse battery", "channel": "whatsapp"]),
            (
                "/signup",
                [
                    "phone": "15551230001", "password": "correct horse battery",
                    "code_challenge": .string(MailedLinkTests.challenge), "code_challenge_method": "s256",
                ]
            ),
            ("/otp", ["phone": "letters"]), ("/otp", ["phone": "15551230001", "channel": "pigeon"]),
            ("/resend", ["type": "sms"]), ("/resend", ["type": "sms", "phone": "+"]),
            ("/verify", ["type": "sms", "phone": "abc", "token": "123456"]),
        ] as [(String, AuthJSON)])
    func malformed(_ path: String, _ json: AuthJSON) async throws {
        try await TestServer.phoning { server in
            let answer = try await server.post(path, json)
            #expect(answer.status == 400 && answer.code == "validation_failed", "\(answer)")
            #expect(try await server.deliveredMails().isEmpty)
        }
    }

    @Test("With phone sign-in off, each route says so")
    func off() async throws {
        try await TestServer.mailing { server in
            #expect(try await server.signUpByPhone().code == "phone_provider_disabled")
            #expect(try await server.signInByPhone().code == "phone_provider_disabled")
            #expect(try await server.askForCode().code == "phone_provider_disabled")
            let resent = try await server.post("/resend", ["type": "sms", "phone": "15551230001"])
            #expect(resent.code == "phone_provider_disabled")
            #expect(try await server.send(.get, "/auth/v1/settings")["external"]?["phone"] == false)
        }
    }

    @Test("The settings tell clients about phones")
    func settings() async throws {
        try await TestServer.phoning(rules: .test { $0.provider = "twilio" }) { server in
            let settings = try await server.send(.get, "/auth/v1/settings")
            #expect(settings["external"]?["phone"] == true && settings["phone_autoconfirm"] == false)
            #expect(settings["sms_provider"] == "twilio" && settings["mfa_phone_enabled"] == true)
        }
    }

    @Test("Automatic confirmation signs up without a message, and tells that a number is taken")
    func automatic() async throws {
        try await TestServer.phoning(rules: .test { $0.confirmsAutomatically = true }) { server in
            let session = try await server.signUpByPhone()
            #expect(session["user"]?["phone_confirmed_at"]?.stringValue != nil, "\(session)")
            #expect(try await server.signUpByPhone().code == "user_already_exists")
            #expect(try await server.deliveredMails().isEmpty)
        }
    }

    @Test("A test number's fixed code signs in until it ends, without a message", arguments: TestDatabase.all)
    func testNumber(_ kind: TestDatabase) async throws {
        for (end, isFixed) in [("2100-01-01T00:00:00Z", true), ("2001-01-01T00:00:00Z", false)] {
            let rules = TextRules.test { rules in
                rules.testCodes = [PhoneNumber("15550001111")!: Secret("123456")]
                rules.testCodesEnd = Instant(end)
            }
            try await TestServer.phoning(on: kind, rules: rules) { server in
                try await fixedCode(server, isFixed: isFixed)
            }
        }
    }

    private func fixedCode(_ server: TestServer, isFixed: Bool) async throws {
        let asked = try await server.askForCode("15550001111")
        #expect(asked.status == 200)
        let texts = try await server.deliveredMails()
        #expect(texts.isEmpty == isFixed)
        let session = try await server.verifyText("123456", "15550001111")
        #expect((session.status == 200) == isFixed)
        let other = try await server.verifyText("123456", TestServer.number)
        #expect(other.code == "otp_expired")
    }

    @Test("A sign-up's message is repeated after the interval; a confirmed number gets none")
    func resend() async throws {
        try await TestServer.phoning { server in
            _ = try await server.signUpByPhone()
            let first = try await server.textedCode()
            let resend: AuthJSON = ["type": "sms", "phone": .string(TestServer.number)]
            let early = try await server.post("/resend", resend)
            #expect(early.status == 429 && early.code == "over_sms_send_rate_limit")
            #expect(early.headers[.retryAfter] == "60")
            server.passInterval()
            #expect(try await server.post("/resend", resend).status == 200)
            let second = try await server.textedCode()
            #expect(first != second)
            // Either works: messages overtake each other.
            #expect(try await server.verifyText(first).status == 200)
            server.passInterval()
            #expect(try await server.post("/resend", resend).status == 200)
            #expect(try await server.deliveredMails().isEmpty)
            #expect(try await server.signInByPhone().status == 200)
        }
    }
}
