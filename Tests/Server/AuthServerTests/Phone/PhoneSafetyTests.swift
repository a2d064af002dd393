import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// A number belongs to the person who reads its messages.
@Suite("Strangers and a number's owner")
struct PhoneSafetyTests {
    @Test("The same sign-up sent twice keeps its password and sends one message", arguments: TestDatabase.all)
    func twice(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            for _ in 0..<2 { #expect(try await server.signUpByPhone().status == 200) }
            let texts = try await server.deliveredMails()
            #expect(texts.count == 1)
            let code = try #require(texts.first?.content.code).reveal()
            #expect(try await server.verifyText(code).status == 200)
            #expect(try await server.signInByPhone().status == 200)
        }
    }

    @Test("A stranger's password for a number does not survive its owner's code", arguments: TestDatabase.all)
    func strangersSignUp(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            _ = try await server.signUpByPhone("the stranger's password")
            server.passInterval()
            _ = try await server.askForCode()
            let owner = try await server.verifyText(try await server.textedCode())
            #expect(owner.status == 200)
            let thief = try await server.signInByPhone("the stranger's password")
            #expect(thief.status == 403 && thief.code == "credential_set_aside", "\(thief)")
        }
    }

    @Test("Of two sign-ups with other passwords neither password opens the account", arguments: TestDatabase.all)
    func competing(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            _ = try await server.signUpByPhone("the first password")
            server.passInterval()
            _ = try await server.signUpByPhone("the second password")
            #expect(try await server.verifyText(try await server.textedCode()).status == 200)
            for password in ["the first password", "the second password"] {
                #expect(try await server.signInByPhone(password).code == "credential_set_aside")
            }
        }
    }

    @Test("A set-aside password works again with the code that its use sent", arguments: TestDatabase.all)
    func restored(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            _ = try await server.signUpByPhone()
            server.passInterval()
            _ = try await server.askForCode()
            _ = try await server.verifyText(try await server.textedCode())
            #expect(try await server.signInByPhone().code == "credential_set_aside")
            let json: AuthJSON = [
                "type": "sms", "token": .string(try await server.textedCode()), "phone": .string(TestServer.number),
                "password": .string(TestServer.password),
            ]
            #expect(try await server.post("/verify", json).status == 200)
            #expect(try await server.signInByPhone().status == 200)
        }
    }

    @Test("A sign-up with a taken number looks like one with a free number", arguments: TestDatabase.all)
    func enumeration(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            _ = try await server.phoned()
            server.passInterval()
            let taken = try await server.signUpByPhone("another password 9")
            let free = try await server.signUpByPhone("another password 9", "15551239999")
            #expect(try await server.deliveredMails().count == 1)
            #expect(taken.status == 200 && free.status == 200)
            let (left, right) = (taken.json.objectValue ?? [:], free.json.objectValue ?? [:])
            #expect(Set(left.keys.map(Array.init)) == Set(right.keys.map(Array.init)))
            #expect(left["role"] == right["role"] && left["identities"]?.arrayValue?.count == 1)
            #expect(try await server.signInByPhone("another password 9").code == "invalid_credentials")
        }
    }

    @Test("A number that an administrator confirmed keeps password and session", arguments: TestDatabase.all)
    func adminConfirmed(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let made = try await server.admin(
                .post, "/users",
                json: [
                    "phone": .string(TestServer.number), "password": .string(TestServer.password),
                    "phone_confirm": true, "email": "ada@example.com", "email_confirm": true,
                ])
            #expect(made.status == 200)
            let before = try #require(TestSession(try await server.signInByPhone()))
            _ = try await server.askForCode()
            #expect(try await server.verifyText(try await server.textedCode()).status == 200)
            #expect(try await server.refresh(before.refreshToken).status == 200)
            #expect(try await server.signInByPhone().status == 200)
        }
    }

    @Test("A stranger's number does not stay with an address that its owner proves", arguments: TestDatabase.all)
    func strangersNumber(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            try await server.unproven()
            let stranger = try await server.low()
            #expect(try await server.change(stranger, ["phone": .string(TestServer.number)]).status == 200)
            let code = try await server.textedCode()
            #expect(try await server.verifyText(code, type: "phone_change").status == 200)
            server.passInterval()
            #expect(try await server.post("/otp", ["email": "ada@example.com"]).status == 200)
            let owner = try await server.verify("email", code: try await server.deliveredMail().code)
            #expect(owner.status == 200 && owner["user"]?["phone"] == "", "\(owner)")
            #expect(owner["user"]?["app_metadata"]?["providers"] == ["email"])
            #expect(try await server.askForCode(TestServer.number, ["create_user": false]).status == 200)
            #expect(try await server.deliveredMails().isEmpty)
            #expect(try await server.refresh(stranger.refreshToken).status == 400)
        }
    }

    @Test("A test number's code confirms no other number", arguments: TestDatabase.all)
    func testNumber(_ kind: TestDatabase) async throws {
        let rules = TextRules.test { $0.testCodes = [PhoneNumber("15550001111")!: Secret("123456")] }
        try await TestServer.phoning(on: kind, rules: rules) { server in
            _ = try await server.askForCode("15550001111")
            _ = try await server.deliveredMails()
            let thief = try #require(TestSession(try await server.verifyText("123456", "15550001111")))
            #expect(try await server.change(thief, ["phone": .string(TestServer.number)]).status == 200)
            server.passInterval()
            let resent = try await server.post("/resend", ["type": "phone_change", "phone": "15550001111"])
            #expect(resent.status == 200)
            _ = try await server.deliveredMails()
            #expect(try await server.verifyText("123456", type: "phone_change").code == "otp_expired")
        }
    }

    @Test("A user without a proven address adds a number and loses nothing", arguments: TestDatabase.all)
    func addsNumber(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            try await server.unproven()
            let session = try await server.low()
            #expect(try await server.change(session, ["phone": .string(TestServer.number)]).status == 200)
            let code = try await server.textedCode()
            #expect(try await server.verifyText(code, type: "phone_change").status == 200)
            #expect(try await server.signIn().status == 200)
            #expect(try await server.refresh(session.refreshToken).status == 200)
        }
    }

    @Test("A number in the place of an email address signs no one in")
    func wrongMember() async throws {
        try await TestServer.phoning { server in
            _ = try await server.signUpByPhone()
            _ = try await server.verifyText(try await server.textedCode())
            #expect(try await server.signIn(TestServer.number).code == "invalid_credentials")
            let swapped: AuthJSON = ["phone": "ada@example.com", "password": .string(TestServer.password)]
            #expect(try await server.post("/token?grant_type=password", swapped).code == "validation_failed")
        }
    }

    @Test("Unlinking the email address keeps the password of a user with a number", arguments: TestDatabase.all)
    func unlinks(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            try await server.confirmed()
            let session = try await server.low()
            #expect(try await server.change(session, ["phone": .string(TestServer.number)]).status == 200)
            let code = try await server.textedCode()
            let changed = try await server.verifyText(code, type: "phone_change")
            let identities = changed["user"]?["identities"]?.arrayValue ?? []
            let email = try #require(identities.first { $0["provider"] == "email" }?["identity_id"]?.stringValue)
            let removed = try await server.send(
                .delete, "/auth/v1/user/identities/\(email)", bearer: session.accessToken)
            #expect(removed.status == 200, "\(removed)")
            #expect(try await server.signInByPhone().status == 200)
        }
    }

    @Test("A change of address and one of the number do not end each other", arguments: TestDatabase.all)
    func both(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let session = try await server.phoned()
            let asked = try await server.change(session, ["phone": "491701234567", "email": "ada@example.com"])
            #expect(asked.status == 200, "\(asked)")
            let mails = try await server.deliveredMails()
            func code(_ address: String) throws -> String {
                try #require(mails.first { $0.content.recipient.text == address }?.content.code).reveal()
            }
            let phone = try await server.verifyText(try code("491701234567"), "491701234567", type: "phone_change")
            #expect(phone.status == 200, "\(phone)")
            let email = try await server.verify("email_change", code: try code("ada@example.com"))
            #expect(email["user"]?["email"] == "ada@example.com", "\(email)")
            #expect(email["user"]?["phone"] == "491701234567")
        }
    }

    @Test("A void code is not sent", arguments: TestDatabase.all)
    func void(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let session = try await server.phoned()
            _ = try await server.change(session, ["phone": "491701234567"])
            #expect(try await server.send(.post, "/auth/v1/logout", bearer: session.accessToken).status == 204)
            #expect(try await server.deliveredMails().isEmpty)
        }
    }

    @Test("An email address that a user with a number adds sets nothing aside", arguments: TestDatabase.all)
    func addsEmail(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            _ = try await server.signUpByPhone()
            let session = try #require(TestSession(try await server.verifyText(try await server.textedCode())))
            #expect(try await server.change(session, ["email": "ada@example.com"]).status == 200)
            let mail = try await server.deliveredMail()
            let changed = try await server.verify("email_change", code: mail.code)
            #expect(changed["user"]?["email"] == "ada@example.com", "\(changed)")
            #expect(changed["user"]?["phone"] == "15551230001")
            #expect(try await server.signInByPhone().status == 200)
            #expect(try await server.signIn().status == 200)
            #expect(try await server.refresh(session.refreshToken).status == 200)
        }
    }

    @Test("Strangers' wrong codes and requests do not void the owner's code", arguments: TestDatabase.all)
    func strangersRequests(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind, limits: AuthRates()) { server in
            _ = try await server.phoned()
            server.passInterval()
            _ = try await server.askForCode()
            let code = try await server.textedCode()
            for _ in 0..<4 { _ = try await server.verifyText(TestServer.wrong(code)) }
            server.passInterval()
            _ = try await server.askForCode()
            #expect(try await server.verifyText(code).status == 200)
        }
    }
}
