import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("An administrator's change of the address of a user with a second factor")
struct AdminAddressTests {
    private func mailedCode(_ server: TestServer, _ path: String, to email: String) async throws -> String {
        server.passInterval()
        #expect(try await server.post(path, ["email": .string(email)]).status == 200)
        let mails = try await server.deliveredMails().filter { $0.content.recipient.text == email }
        return try #require(mails.compactMap(\.content.code).last).reveal()
    }

    /// Confirmed, and proven if requested, before an app was added.
    private func owner(_ server: TestServer, isProven: Bool) async throws -> TestSession {
        if isProven { try await server.confirmed() } else { try await server.unproven() }
        return try await server.low()
    }

    private func stored(_ id: String, _ server: TestServer) async throws -> User {
        let user = try #require(UserID(id))
        return try #require(try await server.accounts.admin.account(user)).user
    }

    /// An emailed code for the new address gives a low session and takes nothing.
    private func expectKept(_ id: String, _ server: TestServer) async throws {
        for (path, type) in [("/recover", "recovery"), ("/magiclink", "magiclink")] {
            let code = try await mailedCode(server, path, to: "new@example.com")
            let session = try #require(
                TestSession(try await server.verify(type, code: code, email: "new@example.com")))
            #expect(session.userID == id)
            let json: AuthJSON = ["password": "the thief's password 9"]
            let refused = try await server.send(.put, "/auth/v1/user", bearer: session.accessToken, json: json)
            #expect(refused.code == "insufficient_aal", "\(refused)")
        }
        #expect(try await stored(id, server).hasSecondFactor)
        #expect(try await server.signIn("new@example.com").status == 200)
    }

    @Test("A mailed code for the new address leaves password and factor", arguments: TestDatabase.all)
    func changed(_ kind: TestDatabase) async throws {
        for isProven in [false, true] {
            try await TestServer.mailing(on: kind) { server in
                let first = try await owner(server, isProven: isProven)
                let before = try await stored(first.userID, server).times.emailProvenAt
                #expect((before != nil) == isProven)
                _ = try await server.raised(first, by: try await server.enroll(first))
                let changed = try await server.admin(
                    .put, "/users/\(first.userID)", json: ["email": "new@example.com"])
                #expect(changed["email"] == "new@example.com", "\(changed)")
                let proven = try await stored(first.userID, server).times.emailProvenAt
                #expect(proven == server.clock.now)
                try await expectKept(first.userID, server)
            }
        }
    }

    @Test("Generated links that change the address leave them, too", arguments: TestDatabase.all)
    func generated(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let first = try await owner(server, isProven: true)
            _ = try await server.raised(first, by: try await server.enroll(first))
            for type in ["email_change_current", "email_change_new"] {
                let made = try await server.admin(
                    .post, "/generate_link",
                    json: ["type": .string(type), "email": "ada@example.com", "new_email": "new@example.com"])
                let hash = try #require(made["hashed_token"])
                _ = try await server.post("/verify", ["type": "email_change", "token_hash": hash])
            }
            #expect(try await stored(first.userID, server).email == "new@example.com")
            try await expectKept(first.userID, server)
        }
    }

    @Test("An administrator's new address is proven once the account is confirmed", arguments: TestDatabase.all)
    func withoutFactor(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let first = try await owner(server, isProven: true)
            _ = try await server.admin(.put, "/users/\(first.userID)", json: ["email": "new@example.com"])
            #expect(try await stored(first.userID, server).times.emailProvenAt == server.clock.now)
            let code = try await mailedCode(server, "/recover", to: "new@example.com")
            #expect(try await server.verify("recovery", code: code, email: "new@example.com").status == 200)
            #expect(try await server.signIn("new@example.com").status == 200)
        }
    }
}
