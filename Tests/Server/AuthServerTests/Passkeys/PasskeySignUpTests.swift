import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import SoftAuthenticator
import TestSupport
import Testing

@Suite("Sign-up with a passkey")
struct PasskeySignUpTests {
    private static func emailChange(_ code: String, _ email: String = "ada@example.com") -> AuthJSON {
        ["type": "email_change", "token": .string(code), "email": .string(email)]
    }

    @Test("An account begins with a passkey, and a mailed code gives it its address later", arguments: TestDatabase.all)
    func whole(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind, change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            let answer = try await client.signUp(["email": "ada@example.com", "data": ["name": "Ada"]])
            let session = try #require(TestSession(answer))
            #expect(answer["user"]?["email"]?.stringValue ?? "" == "")
            #expect(answer["user"]?["new_email"] == "ada@example.com")
            #expect(answer["user"]?["user_metadata"]?["name"] == "Ada")
            #expect(client.device.credentials.first?.userName == "ada@example.com")
            let mail = try await server.deliveredMail()
            let proven = try await server.send(
                .post, "/auth/v1/verify", bearer: session.accessToken, json: Self.emailChange(mail.code))
            #expect(proven.status == 200)
            let again = try await client.signIn()
            #expect(again["user"]?["email"] == "ada@example.com")
            #expect(again["user"]?["id"]?.stringValue == session.userID)
            #expect(try await server.signIn().status == 400)
        }
    }

    @Test("Nothing is stored before the ceremony is verified")
    func nothing() async throws {
        try await TestServer.mailing(change: PasskeyClient.settings()) { server in
            let client = PasskeyClient(server)
            let begun = try await client.post("/signup/options", ["email": "ada@example.com"])
            let wrong: AuthJSON = [
                "challenge_id": begun["challenge_id"] ?? .null, "credential": [:], "email": "ada@example.com",
            ]
            #expect(try await client.post("/signup/verify", wrong).code == "webauthn_verification_failed")
            let users = try await server.send(.get, "/auth/v1/admin/users", bearer: TestServer.secretKey)
            #expect(users["users"] == [])
        }
    }

    @Test("A taken address gets the same answer and stays with its owner, who gets a mail", arguments: TestDatabase.all)
    func taken(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind, change: PasskeyClient.settings()) { server in
            try await server.confirmed()
            var shapes: [[[String]]] = []
            func shape(_ user: AuthJSON?) -> [String] { (user?.objectValue?.keys.map { $0 } ?? []).sorted() }
            for email in ["ada@example.com", "new@example.com"] {
                var client = PasskeyClient(server)
                let answer = try await client.signUp(["email": .string(email)])
                #expect(answer.status == 200)
                #expect(answer["user"]?["new_email"]?.stringValue == email)
                let session = try #require(TestSession(answer))
                let early = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
                let mail = try await server.deliveredMail().mail
                let late = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
                shapes.append([shape(answer["user"]), shape(early.json), shape(late.json)])
                let export = try await server.send(.get, "/auth/v1/user/export", bearer: session.accessToken)
                #expect(export["mails"] == [])
                #expect(export["audit_log"]?.arrayValue?.count == 3)
                #expect(mail.content.kind == (email == "ada@example.com" ? .accountExists : .emailChangeNew))
            }
            #expect(shapes[0] == shapes[1] && shapes[0].allSatisfy { $0.contains("email_change_sent_at") })
            #expect(try await server.signIn()["user"]?["email"] == "ada@example.com")
        }
    }

    @Test("With automatic confirmation the account has its address at once, unless another has it")
    func confirmed() async throws {
        try await TestServer.with(change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            let answer = try await client.signUp(["email": "ada@example.com"])
            #expect(answer["user"]?["email"] == "ada@example.com")
            #expect(try await client.signIn().status == 200)
            var other = PasskeyClient(server)
            #expect(try await other.signUp(["email": "ada@example.com"]).code == "user_already_exists")
        }
    }

    @Test("An account needs no address, and its only passkey stays")
    func addressless() async throws {
        try await TestServer.with(change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            let session = try #require(TestSession(try await client.signUp()))
            let list = try await server.send(.get, "/auth/v1/passkeys", bearer: session.accessToken)
            let id = try #require(list.json.arrayValue?.first?["id"]?.stringValue)
            let removed = try await server.send(.delete, "/auth/v1/passkeys/\(id)", bearer: session.accessToken)
            #expect(removed.status == 422 && removed.code == "single_identity_not_deletable")
        }
    }

    @Test("The address is that of the options")
    func bound() async throws {
        try await TestServer.with(change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            let begun = try await client.post("/signup/options", ["email": "ada@example.com"])
            let credential = try client.device.create(
                #require(begun["options"]), origin: PasskeyClient.origin)
            var answer = try #require(PasskeyClient.answer(begun, credential).objectValue)
            answer["email"] = "bob@example.com"
            #expect(try await client.post("/signup/verify", .object(answer)).code == "webauthn_challenge_not_found")
        }
    }

    @Test("Options without an address take any with the passkey, as Apple's sheet returns it, and only once")
    func later() async throws {
        try await TestServer.mailing(change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            let begun = try await client.post("/signup/options", [:])
            let credential = try client.device.create(#require(begun["options"]), origin: PasskeyClient.origin)
            var answer = try #require(PasskeyClient.answer(begun, credential).objectValue)
            answer["email"] = "ada@example.com"
            let session = try #require(TestSession(try await client.post("/signup/verify", .object(answer))))
            let mail = try await server.deliveredMail()
            #expect(mail.mail.content.kind == .emailChangeNew)
            #expect(try await client.post("/signup/verify", .object(answer)).code == "webauthn_challenge_not_found")
            let proven = try await server.send(
                .post, "/auth/v1/verify", bearer: session.accessToken, json: Self.emailChange(mail.code))
            #expect(proven.status == 200)
            #expect(try await client.signIn()["user"]?["email"] == "ada@example.com")
        }
    }

    @Test("An address that the options did not name costs another sign-up", arguments: [true, false])
    func unnamed(isNamed: Bool) async throws {
        try await TestServer.with(limits: AuthRates(), change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            for number in 1...15 {
                let email: AuthJSON = .string("ada\(number)@example.com")
                let begun = try await client.post("/signup/options", isNamed ? ["email": email] : [:])
                let credential = try client.device.create(#require(begun["options"]), origin: PasskeyClient.origin)
                var answer = try #require(PasskeyClient.answer(begun, credential).objectValue)
                answer["email"] = email
                #expect(try await client.post("/signup/verify", .object(answer)).status == 200)
            }
            #expect(try await client.post("/signup/options", [:]).status == (isNamed ? 200 : 429))
        }
    }

    @Test("A challenge of a sign-up is good for nothing else")
    func purposes() async throws {
        try await TestServer.with(change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            let ada = try await server.signUp()
            let begun = try await client.post("/signup/options", [:])
            let credential = try client.device.create(
                #require(begun["options"]), origin: PasskeyClient.origin)
            let answer = PasskeyClient.answer(begun, credential)
            for path in ["/registration/verify", "/authentication/verify"] {
                let refused = try await client.post(path, bearer: ada.accessToken, answer)
                #expect(refused.code == "webauthn_challenge_not_found")
            }
        }
    }

    @Test("It exists only by setting, and while sign-ups are open")
    func off() async throws {
        try await TestServer.with(change: PasskeyClient.settings { $0.allowsSignUp = false }) { server in
            let answer = try await PasskeyClient(server).post("/signup/options", [:])
            #expect(answer.status == 404)
            let settings = try await server.send(.get, "/auth/v1/settings")
            #expect(settings["passkeys_enabled"] == true && settings["passkey_signup_enabled"] == false)
        }
        try await TestServer.with(change: PasskeyClient.settings()) { server in
            let settings = try await server.send(.get, "/auth/v1/settings")
            #expect(settings["passkey_signup_enabled"] == true)
        }
        try await TestServer.with { settings in
            PasskeyClient.settings()(&settings)
            settings.allowsSignUp = false
        } _: { server in
            let answer = try await PasskeyClient(server).post("/signup/options", [:])
            #expect(answer.code == "signup_disabled")
            #expect(try await server.send(.get, "/auth/v1/settings")["passkey_signup_enabled"] == false)
        }
    }

    @Test("The limit of sign-ups counts")
    func limited() async throws {
        try await TestServer.with(limits: AuthRates(), change: PasskeyClient.settings()) { server in
            let client = PasskeyClient(server)
            var statuses: [Int] = []
            for _ in 0..<31 { statuses.append(try await client.post("/signup/options", [:]).status) }
            #expect(statuses == Array(repeating: 200, count: 30) + [429])
        }
    }
}
