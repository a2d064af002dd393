import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Two accounts that change to one address")
struct AddressChangeOwnerTests {
    private struct Changer {
        let session: TestSession
        /// Of the email to the new address.
        let code: String
        let path: String
    }

    /// An account that changes to `new@example.com`.
    private func changer(_ email: String, _ server: TestServer, confirmsOld: Bool = true) async throws -> Changer {
        try await server.confirmed(email)
        let session = try #require(TestSession(try await server.signIn(email)))
        let asked = try await server.send(
            .put, "/auth/v1/user", bearer: session.accessToken, json: ["email": "new@example.com"])
        #expect(asked["new_email"] == "new@example.com")
        let mails = try await server.deliveredMails()
        let old = try #require(mails.first { $0.content.recipient.text == email })
        let new = try #require(mails.first { $0.content.recipient.text == "new@example.com" })
        if confirmsOld {
            let code = try #require(old.content.code).reveal()
            #expect(try await server.verify("email_change", code: code, email: email).status == 200)
        }
        let path = (new.link ?? "").replacing(server.settings.externalURL, with: "/auth/v1")
        server.clock.advance(by: .seconds(1))
        return Changer(session: session, code: try #require(new.content.code).reveal(), path: path)
    }

    private func verify(_ code: String, _ server: TestServer, by bearer: String? = nil) async throws -> TestAnswer {
        let json: AuthJSON = ["type": "email_change", "token": .string(code), "email": "new@example.com"]
        return try await server.send(.post, "/auth/v1/verify", bearer: bearer, json: json)
    }

    @Test("A typed code confirms only the change of the account whose token comes with it", arguments: TestDatabase.all)
    func bearer(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let owner = try await changer("ada@example.com", server)
            let stranger = try await changer("eve@example.com", server)
            for code in [owner.code, stranger.code] { #expect(try await verify(code, server).status == 403) }
            let token = owner.session.accessToken
            #expect(try await verify(stranger.code, server, by: token).status == 403)
            let changed = try await verify(owner.code, server, by: token)
            #expect(changed["user"]?["email"] == "new@example.com")
            #expect(changed["user"]?["id"] == .string(owner.session.userID))
            let other = try await server.send(.get, "/auth/v1/user", bearer: stranger.session.accessToken)
            #expect(other["email"] == "eve@example.com")
        }
    }

    @Test("Wrong codes for another's change do not hide who else waits", arguments: TestDatabase.all)
    func guessed(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let owner = try await changer("ada@example.com", server)
            for _ in 0..<5 { _ = try await verify(TestServer.wrong(owner.code), server) }
            let stranger = try await changer("eve@example.com", server)
            #expect(try await verify(stranger.code, server).status == 403)
        }
    }

    @Test("Without a token the code of the only account that changes to the address counts")
    func alone() async throws {
        try await TestServer.mailing { server in
            let owner = try await changer("ada@example.com", server)
            let key = try await server.send(
                .post, "/auth/v1/verify", bearer: "not.a.token",
                json: ["type": "email_change", "token": .string(owner.code), "email": "new@example.com"])
            #expect(key["user"]?["email"] == "new@example.com")
        }
    }

    @Test("The page of a link takes the code of its own mail", arguments: TestDatabase.all)
    func page(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let owner = try await changer("ada@example.com", server, confirmsOld: false)
            let stranger = try await changer("eve@example.com", server, confirmsOld: false)
            func press(_ code: String) async throws -> TestAnswer {
                try await server.send(
                    .post, "/auth/v1/verify/page", headers: [.contentType: "application/x-www-form-urlencoded"],
                    raw: MailedLinkTests.form(owner.path, code: code))
            }
            #expect(try await press(stranger.code).headers[.location] == nil)
            #expect(try await press(owner.code).headers[.location]?.contains("message=") == true)
        }
    }
}
