import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPServing
import HTTPTypes
import JSONWebTokens
import SoftAuthenticator
import TestSupport
import Testing

@Suite("The hook for access tokens")
struct TokenHookTests {
    private static func mailed(_ settings: inout AuthSettings) {
        settings.mail = MailRules()
        settings.confirmsAutomatically = false
    }

    private func mailedCode(_ server: TestServer, _ path: String = "/magiclink") async throws -> (
        code: String, path: String
    ) {
        server.passInterval()
        #expect(try await server.post(path, ["email": "ada@example.com"]).status == 200)
        let (code, path, _) = try await server.deliveredMail()
        return (code, path)
    }

    @Test("A sign-up, a sign-in and an anonymous sign-in leave nothing behind if it fails", arguments: TestDatabase.all)
    func passwords(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind) { server in
            let ada = try await server.surviving {
                try await server.post(
                    "/signup", ["email": "ada@example.com", "password": .string(TestServer.password)])
            }
            let again = try await server.surviving { try await server.signIn() }
            #expect(again.userID == ada.userID)
            try await server.surviving { try await server.post("/signup", [:]) }
            let user = UserID(trusted: ada.userID)
            #expect(try await server.accounts.sessions.endedSessions(of: user, at: server.clock.now).isEmpty)
        }
    }

    @Test("A mailed code and a mailed link are good until it agrees", arguments: TestDatabase.all)
    func mails(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind, change: Self.mailed) { server in
            _ = try await server.post(
                "/signup", ["email": "ada@example.com", "password": .string(TestServer.password)])
            let first = try await server.deliveredMail().code
            try await server.surviving { try await server.verify("signup", code: first) }
            #expect(try await server.verify("signup", code: first).code == "otp_expired")
            let second = try await mailedCode(server)
            try await server.surviving { try await server.verify("magiclink", code: second.code) }
            let third = try await mailedCode(server, "/recover")
            let token = third.path.split(separator: "token=").last?.split(separator: "&").first.map(String.init) ?? ""
            try await server.surviving {
                try await server.post("/verify", ["type": "recovery", "token_hash": .string(token)])
            }
        }
    }

    @Test("A link with PKCE stays for its client until it agrees", arguments: TestDatabase.all)
    func links(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind, change: Self.mailed) { server in
            _ = try await server.post(
                "/signup",
                [
                    "email": "ada@example.com", "password": .string(TestServer.password),
                    "code_challenge": .string(MailedLinkTests.challenge), "code_challenge_method": "s256",
                ])
            let path = try await server.deliveredMail().path
            let pressed = try await server.send(
                .post, "/auth/v1/verify/page", headers: [.contentType: "application/x-www-form-urlencoded"],
                raw: MailedLinkTests.form(path))
            let code = pressed.headers[.location]?.split(separator: "code=").last.map(String.init)
            try await server.surviving { try await server.redeem(code) }
            #expect(try await server.redeem(code).code == "flow_state_not_found")
        }
    }

    @Test("Wrong codes count while it fails, and right ones do not", arguments: TestDatabase.all)
    func guesses(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind, limits: AuthRates(), change: Self.mailed) { server in
            _ = try await server.post(
                "/signup", ["email": "ada@example.com", "password": .string(TestServer.password)])
            let code = try await server.deliveredMail().code
            server.receiver.answers { _ in (500, [:]) }
            for _ in 0..<12 { #expect(try await server.verify("signup", code: code).code == "unexpected_failure") }
            for _ in 0..<5 {
                #expect(try await server.verify("signup", code: TestServer.wrong(code)).code == "otp_expired")
            }
            #expect(try await server.verify("signup", code: code).code == "otp_expired")
            let asked = server.receiver.calls.count
            server.agree()
            #expect(try await server.verify("signup", code: code).code == "otp_expired")
            #expect(server.receiver.calls.count == asked)
        }
    }

    @Test("A code of an app and a recovery code are good until it agrees", arguments: TestDatabase.all)
    func factors(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind, factors: .withCodes) { server in
            let first = try await server.signUp()
            let app = try await server.enroll(first)
            let challenge = try await server.challenge(app.factor, first)
            let code = server.code(of: app)
            let raised = try await server.surviving { try await server.answer(code, of: app, challenge, first) }
            #expect(raised.userID == first.userID)
            let path = "/auth/v1/factors/recovery-codes"
            let made = try await server.send(.post, path, bearer: raised.accessToken)
            let recovery = try #require(made["codes"]?.arrayValue?.first)
            let low = try await server.low()
            let again = try await server.surviving {
                try await server.send(.post, path + "/verify", bearer: low.accessToken, json: ["code": recovery])
            }
            #expect(try server.keys.verify(again.accessToken).claims.members["aal"] == "aal2")
            let left = try await server.send(.get, path, bearer: again.accessToken)
            #expect(left["remaining"] == 3)
        }
    }

    @Test("The same answer of a passkey works until it agrees, and then no more", arguments: TestDatabase.all)
    func passkeys(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind, change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            let begun = try await client.post("/signup/options", [:])
            let made = try client.device.create(#require(begun.json["options"]), origin: PasskeyClient.origin)
            let ada = try await server.surviving {
                try await client.post("/signup/verify", PasskeyClient.answer(begun, made))
            }
            let asked = try await client.post("/authentication/options")
            let answer = try client.get(asked)
            let again = try await server.surviving { try await client.post("/authentication/verify", answer) }
            #expect(again.userID == ada.userID)
            #expect(try await client.post("/authentication/verify", answer).code == "webauthn_challenge_not_found")
        }
    }

    @Test("Identities, link questions and codes of a browser survive it", arguments: TestDatabase.all)
    func providers(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind, providers: TestProviders()) { server in
            let google = try await server.googleCredential("existing", email: "c@example.com")
            try await server.surviving { try await server.idTokenGrant("google", google) }
            let apple = try await server.appleCredential(
                "existing", email: "e@example.com", nonce: IDTokenGrantTests.digest)
            try await server.surviving {
                server.clock.advance(by: .seconds(61))
                return try await server.idTokenGrant(
                    "apple", apple, adding: ["nonce": "12345", "authorization_code": .null])
            }
            let back = try await TestBrowser(server).signIn(
                server.authorizePath("google"), as: "existing", email: "c@example.com")
            try await server.surviving { try await server.redeem(back.query["code"]) }
            let ada = try await server.signUp("verified@example.com")
            let question = try await server.idTokenGrant("google", try await server.googleCredential())
            let ticket = question["link_ticket"] ?? .null
            let confirmed = try await server.surviving {
                try await server.post(
                    "/token?grant_type=link_confirmation",
                    ["link_ticket": ticket, "email": "verified@example.com", "password": .string(TestServer.password)])
            }
            #expect(confirmed.userID == ada.userID)
        }
    }

    @Test("The mailed code of a link question is good until it agrees", arguments: TestDatabase.all)
    func linkCodes(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind, providers: TestProviders(), change: { $0.mail = MailRules() }) { server in
            let email: AuthJSON = "verified@example.com"
            let stranger = try await server.signUp("verified@example.com", password: "the stranger's password")
            let question = try await server.idTokenGrant("google", try await server.googleCredential())
            let ticket = question["link_ticket"] ?? .null
            server.passInterval()
            #expect(try await server.post("/link/code", ["link_ticket": ticket]).status == 200)
            let code = AuthJSON.string(try await server.deliveredMail().code)
            let linked = try await server.surviving {
                try await server.post(
                    "/token?grant_type=link_confirmation", ["link_ticket": ticket, "email": email, "token": code])
            }
            #expect(linked.userID == stranger.userID)
        }
    }

    @Test("An address is recovered once it agrees, and a browser gets no tokens before", arguments: TestDatabase.all)
    func recovery(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind, providers: TestProviders(), change: { $0.allowsImplicitFlow = true }) {
            server in
            let stranger = try await server.signUp("verified@example.com")
            let question = try await server.idTokenGrant("google", try await server.googleCredential())
            let owner = try await server.surviving {
                try await server.post(
                    "/token?grant_type=link_recovery", ["link_ticket": question["link_ticket"] ?? .null])
            }
            #expect(owner.userID != stranger.userID)
            let before = try await server.traces()
            server.receiver.answers { _ in (500, [:]) }
            let start = "/auth/v1/authorize?provider=google"
            let back = try await TestBrowser(server).signIn(start, as: "existing", email: "c@example.com")
            #expect(back.query["error_code"] == "unexpected_failure")
            #expect(try await server.traces() == before)
            server.agree()
            let signedIn = try await TestBrowser(server).signIn(start, as: "existing", email: "c@example.com")
            let token = try #require(signedIn.fragment["access_token"])
            #expect(try server.keys.verify(token).claims.members["agreed"] == true)
        }
    }
}
