import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("POST /token")
struct TokenRouteTests {
    @Test("D1: The right password gives a session, whatever the case of the address", arguments: TestDatabase.all)
    func password(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let first = try await server.signUp("Ada@Example.com")
            let answer = try await server.signIn("ADA@example.COM")
            #expect(answer.status == 200)
            #expect(answer["weak_password"] == .null)
            #expect(TestSession(answer)?.userID == first.userID)
            #expect(answer["expires_in"] == 3_600)
            #expect(answer["expires_at"] == .integer(server.clock.now.seconds + 3_600))
        }
    }

    @Test("D10: An unknown account and a wrong password get the same response")
    func same() async throws {
        try await TestServer.with { server in
            _ = try await server.signUp()
            let wrong = try await server.signIn(password: "wrong password")
            let unknown = try await server.signIn("grace@example.com")
            #expect(wrong.status == 400)
            #expect(wrong.code == "invalid_credentials")
            #expect(wrong.bytes == unknown.bytes)
            #expect(wrong.headers[.contentType] == unknown.headers[.contentType])
        }
    }

    @Test("D12: A bcrypt hash is accepted and replaced at the sign-in")
    func upgrade() async throws {
        try await TestServer.with { server in
            let hash = "$2b$04$rgH83ttgEQuXqhmsU8FG8uKMmLSwkWOFteV16ENi0RGmAZdkfTjsW"
            let made = try await server.admin(
                .post, "/users",
                json: ["email": "ada@example.com", "password_hash": .string(hash), "email_confirm": true])
            let id = try #require(made["id"]?.stringValue.flatMap { UserID($0) })
            let before = try await server.accounts.admin.account(id)?.user.passwordHash?.reveal()
            #expect(before == hash)
            #expect(try await server.signIn(password: "imported secret").status == 200)
            // After the response, which therefore takes no longer.
            await server.auth.finishUpgrades()
            let after = try await server.accounts.admin.account(id)?.user.passwordHash?.reveal()
            #expect(after?.hasPrefix("$argon2id$") == true)
            #expect(try await server.signIn(password: "imported secret").status == 200)
        }
    }

    @Test("A password is accepted in every Unicode form, and is the same one in each", arguments: TestDatabase.all)
    func unicodeForms(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (composed, decomposed) = ("P\u{E4}ssw\u{F6}rter 1", "Pa\u{308}sswo\u{308}rter\u{A0}1")
            let session = try await server.signUp(password: decomposed)
            #expect(try await server.signIn(password: composed).status == 200)
            #expect(try await server.signIn(password: decomposed).status == 200)
            let same = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken, json: ["password": .string(composed)])
            #expect(same.code == "same_password")
        }
    }

    @Test("A hash of a decomposed password, as imports bring it, is replaced at the sign-in")
    func importedForm() async throws {
        try await TestServer.with { server in
            let decomposed = "pa\u{30A}ssword\u{1F511}"
            let hash = "$2b$04$abcdefghijklmnopqrstuuX12tsgUCnjXaYtYx0XZ3uUVKONaX39u"
            let made = try await server.admin(
                .post, "/users",
                json: ["email": "ada@example.com", "password_hash": .string(hash), "email_confirm": true])
            #expect(made.status == 200)
            #expect(try await server.signIn(password: "p\u{E5}ssword\u{1F511}").status == 400)
            #expect(try await server.signIn(password: decomposed).status == 200)
            await server.auth.finishUpgrades()
            #expect(try await server.signIn(password: "p\u{E5}ssword\u{1F511}").status == 200)
        }
    }

    @Test("D6: A refresh rotates, a repeat gives the same, an old token later ends the session")
    func refresh() async throws {
        try await TestServer.with { server in
            let first = try await server.signUp()
            let second = try #require(TestSession(try await server.refresh(first.refreshToken)))
            let repeated = try #require(TestSession(try await server.refresh(first.refreshToken)))
            #expect(repeated.refreshToken == second.refreshToken)
            let third = try #require(TestSession(try await server.refresh(second.refreshToken)))
            server.clock.advance(by: .seconds(11))
            let reused = try await server.refresh(first.refreshToken)
            #expect(reused.status == 400)
            #expect(reused.code == "refresh_token_already_used")
            #expect(try await server.refresh(third.refreshToken).code == "refresh_token_not_found")
            let user = try await server.send(.get, "/auth/v1/user", bearer: third.accessToken)
            #expect(user.code == "session_not_found")
        }
    }

    @Test(
        "Malformed tokens are recognized by their form alone",
        arguments: [
            ("", 400, "validation_failed"), ("short", 400, "validation_failed"),
            ("abcdefghijkl", 400, "refresh_token_not_found"), ("ABCDEFGHIJKL", 400, "validation_failed"),
            (String(repeating: "A", count: 60), 400, "validation_failed"),
            (String(repeating: "x", count: 5_000), 400, "validation_failed"),
        ])
    func malformed(_ token: String, _ status: Int, _ code: String) async throws {
        try await TestServer.with { server in
            let answer = try await server.refresh(token)
            #expect(answer.status == status)
            #expect(answer.code == code)
        }
    }

    @Test(
        "An unknown grant is refused", arguments: ["", "?grant_type=", "?grant_type=Password", "?x=password"])
    func grants(_ query: String) async throws {
        try await TestServer.with { server in
            let answer = try await server.send(.post, "/auth/v1/token\(query)", json: [:])
            #expect(answer.status == 400)
            #expect(answer.code == "invalid_credentials")
        }
    }

    @Test("A concurrent password change and sign-in with the old password have one possible order")
    func race() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            async let signIn = server.signIn()
            async let change = server.send(
                .put, "/auth/v1/user", bearer: session.accessToken, json: ["password": "another good one"])
            let (signedIn, changed) = try await (signIn, change)
            #expect(changed.status == 200)
            if let other = TestSession(signedIn) {
                // The change ended the earlier sign-in's session.
                #expect(try await server.refresh(other.refreshToken).code == "refresh_token_not_found")
            }
            #expect(try await server.signIn().code == "invalid_credentials")
        }
    }
}
