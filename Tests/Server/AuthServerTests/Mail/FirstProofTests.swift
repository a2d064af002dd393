import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("First proof of a confirmed address")
struct FirstProofTests {
    /// Confirmed without a proof; the session is its creator's.
    private func withStranger(
        on kind: TestDatabase, _ test: (TestServer, _ strangersToken: String) async throws -> Void
    ) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await server.unproven()
            let session = try #require(TestSession(try await server.signIn()))
            try await test(server, session.accessToken)
        }
    }

    private func mailedCode(_ server: TestServer, _ path: String) async throws -> String {
        server.passInterval()
        #expect(try await server.post(path, ["email": "ada@example.com"]).status == 200)
        return try await server.deliveredMail().code
    }

    @Test("Who made the account without a proof is out when its address is proven", arguments: TestDatabase.all)
    func stranger(_ kind: TestDatabase) async throws {
        for (path, type) in [("/magiclink", "magiclink"), ("/recover", "recovery")] {
            try await withStranger(on: kind) { server, stranger in
                let session = try #require(
                    TestSession(try await server.verify(type, code: try await mailedCode(server, path))))
                #expect(try await server.signIn().code == "credential_set_aside")
                #expect(try await server.send(.get, "/auth/v1/user", bearer: stranger).status == 403)
                #expect(try await server.send(.get, "/auth/v1/user", bearer: session.accessToken).status == 200)
            }
        }
    }

    @Test("A later code leaves password and sessions alone", arguments: TestDatabase.all)
    func later(_ kind: TestDatabase) async throws {
        try await withStranger(on: kind) { server, _ in
            let first = try #require(
                TestSession(try await server.verify("magiclink", code: try await mailedCode(server, "/magiclink"))))
            let json: AuthJSON = ["password": "the owner's password 9"]
            let changed = try await server.send(.put, "/auth/v1/user", bearer: first.accessToken, json: json)
            #expect(changed.status == 200)
            let code = try await mailedCode(server, "/magiclink")
            #expect(try await server.verify("magiclink", code: code).status == 200)
            #expect(try await server.signIn(password: "the owner's password 9").status == 200)
            #expect(try await server.send(.get, "/auth/v1/user", bearer: first.accessToken).status == 200)
        }
    }

    @Test("An unconfirmed account that was in use is emptied by the first proof, too", arguments: TestDatabase.all)
    func unconfirmed(_ kind: TestDatabase) async throws {
        for hasToken in [false, true] {
            try await TestServer.mailing(on: kind) { server in
                let anonymous = try #require(TestSession(try await server.post("/signup", [:])))
                _ = try await server.admin(.put, "/users/\(anonymous.userID)", json: ["email": "ada@example.com"])
                let code = try await mailedCode(server, "/otp")
                let json: AuthJSON = ["type": "email", "token": .string(code), "email": "ada@example.com"]
                let session = try await server.send(
                    .post, "/auth/v1/verify", bearer: hasToken ? anonymous.accessToken : nil, json: json)
                #expect(session["user"]?["id"] == .string(anonymous.userID))
                // The session that presents the code stays.
                let status = hasToken ? 200 : 403
                let user = try await server.send(.get, "/auth/v1/user", bearer: anonymous.accessToken)
                #expect(user.status == status)
            }
        }
    }

    private func user(of answer: TestAnswer, _ server: TestServer) async throws -> User {
        let session = try #require(TestSession(answer))
        let id = try #require(UserID(session.userID))
        let account = try await server.accounts.admin.account(id)
        return try #require(account).user
    }

    @Test("A link of an administrator, not mailed, neither proves nor takes anything", arguments: TestDatabase.all)
    func generated(_ kind: TestDatabase) async throws {
        for type in ["magiclink", "recovery"] {
            try await withStranger(on: kind) { server, token in
                let made = try await server.admin(
                    .post, "/generate_link", json: ["type": .string(type), "email": "ada@example.com"])
                let hash = try #require(made["hashed_token"])
                let session = try await server.post("/verify", ["type": .string(type), "token_hash": hash])
                let user = try await user(of: session, server)
                #expect(user.times.emailProvenAt == nil)
                #expect(try await server.signIn().status == 200)
                #expect(try await server.send(.get, "/auth/v1/user", bearer: token).status == 200)
            }
        }
    }

    @Test("An invitation proves the address, however the administrator sent it", arguments: TestDatabase.all)
    func invited(_ kind: TestDatabase) async throws {
        for isMailed in [true, false] {
            try await TestServer.mailing(on: kind) { server in
                let path = isMailed ? "/invite" : "/admin/generate_link"
                let answer = try await server.send(
                    .post, "/auth/v1" + path, bearer: TestServer.secretKey,
                    json: ["type": "invite", "email": "ada@example.com"])
                let mailed = try await server.deliveredMails().first?.content.code?.reveal()
                let code = try #require(mailed ?? answer["email_otp"]?.stringValue)
                let user = try await user(of: try await server.verify("invite", code: code), server)
                #expect(user.times.emailConfirmedAt != nil && user.times.emailProvenAt != nil)
            }
        }
    }

    @Test("A change of address by an administrator's links does not prove the address", arguments: TestDatabase.all)
    func generatedChange(_ kind: TestDatabase) async throws {
        try await withStranger(on: kind) { server, _ in
            var session: TestAnswer?
            for type in ["email_change_current", "email_change_new"] {
                let made = try await server.admin(
                    .post, "/generate_link",
                    json: ["type": .string(type), "email": "ada@example.com", "new_email": "new@example.com"])
                let hash = try #require(made["hashed_token"])
                session = try await server.post("/verify", ["type": "email_change", "token_hash": hash])
            }
            let changed = try #require(session)
            #expect(changed["user"]?["email"] == "new@example.com")
            let user = try await user(of: changed, server)
            #expect(user.times.emailProvenAt == nil)
        }
    }

    @Test("Opening a link takes nothing from the account, also if that spends links", arguments: TestDatabase.all)
    func opened(_ kind: TestDatabase) async throws {
        for hasKey in [true, false] {
            try await TestServer.mailing(on: kind) { settings in
                settings.mail?.opensLinksAtOnce = true
                settings.allowsImplicitFlow = true
            } _: { server in
                try await server.unproven()
                let token = try #require(TestSession(try await server.signIn())).accessToken
                var json: AuthJSONObject = ["email": "ada@example.com"]
                if hasKey {
                    json["code_challenge"] = .string(MailedLinkTests.challenge)
                    json["code_challenge_method"] = "s256"
                }
                #expect(try await server.post("/recover", .object(json)).status == 200)
                let (code, path, _) = try await server.deliveredMail()
                // The redirect has a code for the client with the verifier.
                #expect(try await server.send(.get, path).status == (hasKey ? 303 : 200))
                #expect(try await server.signIn().status == 200)
                #expect(try await server.send(.get, "/auth/v1/user", bearer: token).status == 200)
                #expect(try await server.verify("recovery", code: code).status == 200)
                #expect(try await server.signIn().code == "credential_set_aside")
                server.passInterval()
                #expect(try await server.post("/recover", .object(json)).status == 200)
                #expect(try await server.send(.get, try await server.deliveredMail().path).status == 303)
            }
        }
    }

    @Test("An administrator's change of address voids a change that waits", arguments: TestDatabase.all)
    func changedByAdministrator(_ kind: TestDatabase) async throws {
        try await withStranger(on: kind) { server, thief in
            let asked = try await server.send(
                .put, "/auth/v1/user", bearer: thief, json: ["email": "thief@example.com"])
            #expect(asked.status == 200)
            let mails = try await server.deliveredMails()
            let old = try #require(mails.first { $0.content.recipient.text == "ada@example.com" }?.content.code)
            let new = try #require(mails.first { $0.content.recipient.text == "thief@example.com" }?.content.code)
            let half = try await server.verify("email_change", code: new.reveal(), email: "thief@example.com")
            #expect(half.status == 200)
            let id = try #require(asked["id"]?.stringValue)
            let saved = try await server.admin(.put, "/users/\(id)", json: ["email": "safe@example.com"])
            #expect(saved["email"] == "safe@example.com" && saved["new_email"] == nil)
            #expect(try await server.verify("email_change", code: old.reveal()).status == 403)
            let user = try await server.admin(.get, "/users/\(id)")
            #expect(user["email"] == "safe@example.com")
        }
    }
}
