import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Change of number")
struct PhoneChangeTests {
    private static let other = "491701234567"

    @Test("A new number takes effect with its code", arguments: TestDatabase.all)
    func changes(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let session = try await server.phoned()
            let asked = try await server.change(session, ["phone": "+49 170 1234567"])
            #expect(asked.status == 200 && asked["new_phone"] == "491701234567", "\(asked)")
            #expect(asked["phone"] == "15551230001")
            let code = try await server.textedCode(to: Self.other)
            #expect(try await server.verifyText(code, type: "phone_change").code == "otp_expired")
            let changed = try await server.verifyText(code, Self.other, type: "phone_change")
            #expect(changed.status == 200 && changed["user"]?["phone"] == "491701234567", "\(changed)")
            #expect(changed["user"]?["new_phone"] == nil)
            let identity = changed["user"]?["identities"]?.arrayValue?.first
            #expect(identity?["identity_data"]?["phone_verified"] == true)
            server.passInterval()
            _ = try await server.askForCode(TestServer.number, ["create_user": false])
            #expect(try await server.deliveredMails().isEmpty)
        }
    }

    @Test("A user with an email address adds a number, and signs in with either", arguments: TestDatabase.all)
    func adds(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            try await server.confirmed()
            let session = try await server.low()
            #expect(try await server.change(session, ["phone": .string(Self.other)]).status == 200)
            let code = try await server.textedCode(to: Self.other)
            let changed = try await server.verifyText(code, Self.other, type: "phone_change")
            #expect(changed["user"]?["app_metadata"]?["providers"] == ["email", "phone"], "\(changed)")
            #expect(try await server.signInByPhone(TestServer.password, Self.other).status == 200)
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("Another account's number is refused before a message", arguments: TestDatabase.all)
    func taken(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            _ = try await server.phoned()
            let other = try await server.phoned(Self.other)
            let refused = try await server.change(other, ["phone": .string(TestServer.number)])
            #expect(refused.status == 422 && refused.code == "phone_exists", "\(refused)")
            #expect(try await server.deliveredMails().isEmpty)
        }
    }

    @Test("A sign-up's unproven number goes to the account that proves it", arguments: TestDatabase.all)
    func abandoned(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let signedUp = try await server.signUpByPhone("a stranger's 7 words", Self.other)
            let stranger = try #require(signedUp["id"]?.stringValue)
            let strangers = try await server.textedCode(to: Self.other)
            let owner = try await server.phoned()
            server.passInterval()
            let asked = try await server.change(owner, ["phone": .string(Self.other)])
            #expect(asked.status == 200 && asked["new_phone"]?.stringValue == Self.other, "\(asked)")
            // The request alone takes nothing.
            #expect(try await server.admin(.get, "/users/\(stranger)")["phone"]?.stringValue == Self.other)
            let code = try await server.textedCode(to: Self.other)
            let changed = try await server.verifyText(code, Self.other, type: "phone_change")
            #expect(changed["user"]?["id"]?.stringValue == owner.userID, "\(changed)")
            #expect(changed["user"]?["phone"]?.stringValue == Self.other)
            let left = try await server.admin(.get, "/users/\(stranger)")
            #expect(left.status == 200 && left["phone"]?.stringValue ?? "" == "", "\(left)")
            #expect(left["identities"]?.arrayValue ?? [] == [])
            #expect(try await server.verifyText(strangers, Self.other).code == "otp_expired")
            let moved = try await server.admin(.get, "/audit?query=action:address_moved")
            #expect(moved.json.arrayValue?.count == 1, "\(moved)")
        }
    }

    @Test("An email account loses only the number that it has not confirmed", arguments: TestDatabase.all)
    func keepsEmail(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            try await server.confirmed()
            let email = try await server.low()
            let given = try await server.admin(
                .put, "/users/\(email.userID)", json: ["phone": .string(Self.other)])
            #expect(given.status == 200 && given["phone_confirmed_at"] == nil, "\(given)")
            let owner = try await server.phoned()
            _ = try await server.change(owner, ["phone": .string(Self.other)])
            let code = try await server.textedCode(to: Self.other)
            #expect(try await server.verifyText(code, Self.other, type: "phone_change").status == 200)
            let left = try await server.send(.get, "/auth/v1/user", bearer: email.accessToken)
            #expect(left["email"] == "ada@example.com" && left["phone"]?.stringValue ?? "" == "", "\(left)")
            #expect(left["app_metadata"]?["providers"] == ["email"])
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("A number confirmed before the change's code stays with its account", arguments: TestDatabase.all)
    func confirmedMeanwhile(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let changer = try await server.phoned()
            _ = try await server.change(changer, ["phone": .string(Self.other)])
            let code = try await server.textedCode(to: Self.other)
            server.passInterval()
            let owner = try await server.phoned(Self.other)
            #expect(try await server.verifyText(code, Self.other, type: "phone_change").code == "otp_expired")
            let user = try await server.send(.get, "/auth/v1/user", bearer: owner.accessToken)
            #expect(user["phone"]?.stringValue == Self.other, "\(user)")
        }
    }

    @Test("A change ends with the session that began it", arguments: TestDatabase.all)
    func ends(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let thief = try await server.phoned()
            server.passInterval()
            let owner = try await server.phoned()
            _ = try await server.change(thief, ["phone": .string(Self.other)])
            let code = try await server.textedCode(to: Self.other)
            #expect(
                try await server.send(.post, "/auth/v1/logout?scope=others", bearer: owner.accessToken).status == 204)
            #expect(try await server.verifyText(code, Self.other, type: "phone_change").code == "otp_expired")
            let user = try await server.send(.get, "/auth/v1/user", bearer: owner.accessToken)
            #expect(user["new_phone"] == nil && user["phone"] == "15551230001")
        }
    }

    @Test("Without the second factor a session changes no number", arguments: TestDatabase.all)
    func needsFactor(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let first = try await server.phoned()
            _ = try await server.raised(first, by: try await server.enroll(first))
            server.passInterval()
            let low = try await server.phoned()
            let refused = try await server.change(low, ["phone": .string(Self.other)])
            #expect(refused.status == 401 && refused.code == "insufficient_aal", "\(refused)")
        }
    }

    @Test("The pending change's code is repeated to the new number only", arguments: TestDatabase.all)
    func repeated(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let session = try await server.phoned()
            _ = try await server.change(session, ["phone": .string(Self.other)])
            _ = try await server.deliveredMails()
            for number in [TestServer.number, Self.other] {
                server.passInterval()
                let asked = try await server.post("/resend", ["type": "phone_change", "phone": .string(number)])
                #expect(asked.status == 200)
                #expect(try await server.textedCode(to: Self.other).utf8.count == 6)
            }
        }
    }

    @Test("Two accounts that change to one number each confirm only their own change", arguments: TestDatabase.all)
    func rivals(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let (owner, stranger) = (try await server.phoned(), try await server.phoned("15551230002"))
            _ = try await server.change(stranger, ["phone": .string(Self.other)])
            _ = try await server.deliveredMails()
            // A provider that checks codes by number cannot tell two accounts apart.
            let number = Recipient.phone(try #require(PhoneNumber(Self.other)))
            let waited = try await server.accounts.codes.waits(
                for: [.phoneChange], sentTo: number, at: server.clock.now)
            #expect(waited)
            server.passInterval()
            _ = try await server.change(owner, ["phone": .string(Self.other)])
            let waits = try await server.accounts.codes.waits(
                for: [.phoneChange], sentTo: number, at: server.clock.now)
            #expect(!waits)
            let code = try await server.textedCode(to: Self.other)
            let wrong = try await server.verifyText(
                code, Self.other, type: "phone_change", bearer: stranger.accessToken)
            #expect(wrong.code == "otp_expired")
            let changed = try await server.verifyText(code, Self.other, type: "phone_change")
            #expect(changed["user"]?["id"]?.stringValue == owner.userID, "\(changed)")
        }
    }

    @Test("A texted code replaces the current password of an account without an email address")
    func reauthentication() async throws {
        try await TestServer.phoning(rules: .test { $0.requiresReauthentication = true }) { server in
            let session = try await server.phoned()
            server.clock.advance(by: .seconds(86_500))
            let fresh = try #require(TestSession(try await server.refresh(session.refreshToken)))
            let refused = try await server.change(fresh, ["password": "a new password 12"])
            #expect(refused.code == "reauthentication_needed", "\(refused)")
            #expect(try await server.send(.get, "/auth/v1/reauthenticate", bearer: fresh.accessToken).status == 200)
            let code = try await server.textedCode()
            let changed = try await server.change(fresh, ["password": "a new password 12", "nonce": .string(code)])
            #expect(changed.status == 200, "\(changed)")
            #expect(try await server.signInByPhone("a new password 12").status == 200)
        }
    }

    @Test("An anonymous user becomes permanent with a number", arguments: TestDatabase.all)
    func anonymous(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let guest = try #require(TestSession(try await server.post("/signup", [:])))
            #expect(try await server.change(guest, ["phone": .string(Self.other)]).status == 200)
            let code = try await server.textedCode(to: Self.other)
            let changed = try await server.verifyText(code, Self.other, type: "phone_change")
            #expect(changed["user"]?["is_anonymous"] == false, "\(changed)")
            #expect(changed["user"]?["id"]?.stringValue == guest.userID)
        }
    }
}
