import AccountDomain
import AccountStore
import AuthServer
import DevStack
import GatehouseWire
import HTTPTypes
import IdentityProviders
import TestSupport
import Testing

@Suite("One account per person")
struct LinkQuestionTests {
    private func ask(_ server: TestServer, _ grant: String, _ body: AuthJSON, bearer: String? = nil) async throws
        -> TestAnswer
    {
        try await server.send(.post, "/auth/v1/token?grant_type=\(grant)", bearer: bearer, json: body)
    }

    /// Someone signs up with an address; its owner then signs in with Google.
    private func conflict(_ server: TestServer) async throws -> (TestSession, TestAnswer) {
        let ada = try await server.signUp("verified@example.com")
        return (ada, try await server.idTokenGrant("google", try await server.googleCredential()))
    }

    @Test("A question says whether the account has a passkey, whose sign-in answers it", arguments: TestDatabase.all)
    func passkey(_ kind: TestDatabase) async throws {
        let settings = PasskeyClient.settings()
        try await TestServer.with(on: kind, providers: TestProviders(), change: settings) { server in
            let (ada, without) = try await conflict(server)
            #expect(without.code == "identity_needs_confirmation" && without["can_use_passkey"] == nil)
            var client = PasskeyClient(server)
            #expect(try await client.register(ada).status == 200)
            let asked = try await server.idTokenGrant("google", try await server.googleCredential())
            #expect(asked["can_use_passkey"] == true && asked["sign_in_methods"] == ["password"])
            let owner = try #require(TestSession(try await client.signIn()))
            let linked = try await ask(
                server, "link_confirmation", ["link_ticket": asked["link_ticket"] ?? .null], bearer: owner.accessToken)
            #expect(linked["user"]?["id"]?.stringValue == ada.userID)
            #expect(linked["user"]?["identities"]?.arrayValue?.count == 2)
        }
    }

    @Test(
        "D8, pitfall 10: Pre-hijack. Nothing of an attacker's leads to the victim's account"
    )
    func preHijack() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let attacker = try await server.signUp(
                "verified@example.com", password: "the attacker knows", data: ["note": "planted"])
            _ = try await server.idTokenGrant(
                "apple", try await server.appleCredential("existing", email: "attacker@example.com"),
                adding: ["link_identity": true], bearer: attacker.accessToken)
            let asked = try await server.idTokenGrant("google", try await server.googleCredential())
            #expect(asked.status == 422)
            #expect(asked.code == "identity_needs_confirmation")
            #expect(asked["can_recover"] == true)
            let recovered = try await ask(server, "link_recovery", ["link_ticket": asked["link_ticket"] ?? .null])
            let victim = try #require(TestSession(recovered), "\(recovered)")
            #expect(victim.userID != attacker.userID)
            #expect(recovered["user"]?["user_metadata"]?["note"] == nil)
            #expect(recovered["user"]?["identities"]?.arrayValue?.count == 1)
            // Neither password, session, refresh token nor identity leads to the victim.
            let entered = [
                try await server.signIn("verified@example.com", password: "the attacker knows"),
                try await server.refresh(attacker.refreshToken),
            ]
            // The attacker keeps the own account, without the address.
            for answer in entered { #expect(answer["user"]?["id"]?.stringValue == attacker.userID, "\(answer)") }
            let left = try await server.send(.get, "/auth/v1/user", bearer: attacker.accessToken)
            #expect(left["email"] != "verified@example.com")
            let apple = try await server.idTokenGrant(
                "apple", try await server.appleCredential("existing", email: "attacker@example.com"))
            #expect(apple["user"]?["id"]?.stringValue != victim.userID)
            let me = try await server.send(.get, "/v1/auth/me", bearer: victim.accessToken)
            #expect(me["user"]?["email"] == "verified@example.com")
            let again = try await server.idTokenGrant("google", try await server.googleCredential())
            #expect(again["user"]?["id"]?.stringValue == victim.userID)
        }
    }

    @Test("D7: The question lists the sign-in methods of the account, in both error formats")
    func question() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let (_, asked) = try await conflict(server)
            #expect(asked.status == 422)
            #expect(asked["link_ticket"]?.stringValue?.utf8.count == 43)
            #expect(asked["link_ticket_expires_at"]?.intValue == server.clock.now.seconds + 600)
            #expect(asked["email"] == "verified@example.com")
            #expect(asked["provider"] == "google")
            #expect(asked["sign_in_methods"] == ["password"])
            let old = try await server.send(
                .post, "/auth/v1/token?grant_type=id_token",
                headers: [HTTPField.Name("x-supabase-api-version")!: "2023-01-01"],
                json: ["provider": "google", "id_token": try await server.googleCredential()["idToken"] ?? .null])
            #expect(old["error_code"] == "identity_needs_confirmation")
            #expect(old["can_recover"] == true)
        }
    }

    @Test("D7: The right password, or a session of the account, creates the link; the ticket is valid once")
    func confirm() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let (ada, asked) = try await conflict(server)
            let ticket = asked["link_ticket"] ?? .null
            let wrong = try await ask(
                server, "link_confirmation",
                ["link_ticket": ticket, "email": "verified@example.com", "password": "wrong password"])
            #expect(wrong.code == "invalid_credentials")
            let stranger = try await server.signUp("bob@example.com")
            let other = try await ask(
                server, "link_confirmation", ["link_ticket": ticket], bearer: stranger.accessToken)
            #expect(other.status == 403)
            #expect(other.code == "link_ticket_other_account")
            let linked = try await ask(
                server, "link_confirmation",
                ["link_ticket": ticket, "email": "verified@example.com", "password": .string(TestServer.password)])
            #expect(linked["user"]?["id"]?.stringValue == ada.userID, "\(linked)")
            #expect(linked["user"]?["identities"]?.arrayValue?.count == 2)
            let again = try await ask(server, "link_confirmation", ["link_ticket": ticket], bearer: ada.accessToken)
            #expect(again.status == 404)
            #expect(again.code == "link_ticket_not_found")
            #expect(
                try await server.idTokenGrant("google", try await server.googleCredential())["user"]?["id"]?.stringValue
                    == ada.userID)
        }
    }

    @Test("Where a fresh sign-in is asked for, an old session answers no question; a new one of the account does")
    func freshSignIn() async throws {
        try await TestServer.with(policy: SessionPolicy(freshSignIn: .seconds(600)), providers: TestProviders()) {
            server in
            let old = try await server.signUp("verified@example.com")
            server.clock.advance(by: .seconds(601))
            let asked = try await server.idTokenGrant("google", try await server.googleCredential())
            let answer: AuthJSON = ["link_ticket": asked["link_ticket"] ?? .null]
            let refused = try await ask(server, "link_confirmation", answer, bearer: old.accessToken)
            #expect(refused.status == 403 && refused.code == "fresh_sign_in_required")
            let fresh = try #require(TestSession(try await server.signIn("verified@example.com")))
            let linked = try await ask(server, "link_confirmation", answer, bearer: fresh.accessToken)
            #expect(linked["user"]?["id"]?.stringValue == old.userID)
        }
    }

    @Test("A user with a second factor links with it; neither the password nor a low session is enough")
    func secondFactor() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let first = try await server.signUp("verified@example.com")
            let high = try await server.raised(first, by: try await server.enroll(first))
            let asked = try await server.idTokenGrant("google", try await server.googleCredential())
            let ticket: AuthJSON = ["link_ticket": asked["link_ticket"] ?? .null]
            let password: AuthJSON = [
                "link_ticket": asked["link_ticket"] ?? .null, "email": "verified@example.com",
                "password": .string(TestServer.password),
            ]
            #expect(try await ask(server, "link_confirmation", password).code == "insufficient_aal")
            let low = try #require(TestSession(try await server.signIn("verified@example.com")))
            let refused = try await ask(server, "link_confirmation", ticket, bearer: low.accessToken)
            #expect(refused.code == "insufficient_aal")
            let linked = try await ask(server, "link_confirmation", ticket, bearer: high.accessToken)
            #expect(linked["user"]?["identities"]?.arrayValue?.count == 2, "\(linked)")
        }
    }

    @Test(
        "Both sides proven: an account with a second factor is asked, until a session that had it answers",
        arguments: TestDatabase.all)
    func secondFactorOfProven(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, providers: TestProviders()) { server in
            let first = try #require(
                TestSession(try await server.idTokenGrant("google", try await server.googleCredential())))
            let high = try await server.raised(first, by: try await server.enroll(first))
            let asked = try await server.idTokenGrant("apple", try await server.appleCredential())
            #expect(asked.code == "identity_needs_confirmation" && asked["can_recover"] == false, "\(asked)")
            let ticket: AuthJSON = ["link_ticket": asked["link_ticket"] ?? .null]
            #expect(try await ask(server, "link_recovery", ticket).code == "link_not_recoverable")
            let low = try #require(
                TestSession(try await server.idTokenGrant("google", try await server.googleCredential())))
            let refused = try await ask(server, "link_confirmation", ticket, bearer: low.accessToken)
            #expect(refused.code == "insufficient_aal", "\(refused)")
            let linked = try await ask(server, "link_confirmation", ticket, bearer: high.accessToken)
            #expect(linked["user"]?["id"] == .string(first.userID), "\(linked)")
            let apple = try await server.idTokenGrant("apple", try await server.appleCredential())
            #expect(apple["user"]?["id"] == .string(first.userID), "\(apple)")
        }
    }

    @Test("A ticket expires after ten minutes, with its own error; an empty one is refused before any lookup")
    func tickets() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let (ada, asked) = try await conflict(server)
            server.clock.advance(by: .seconds(600))
            let ticket = asked["link_ticket"] ?? .null
            let late = try await ask(server, "link_confirmation", ["link_ticket": ticket], bearer: ada.accessToken)
            #expect(late.code == "link_ticket_not_found")
            #expect(try await ask(server, "link_recovery", ["link_ticket": ticket]).code == "link_ticket_not_found")
            #expect(try await ask(server, "link_recovery", [:]).code == "validation_failed")
            #expect(try await ask(server, "link_confirmation", ["link_ticket": ticket]).code == "no_authorization")
        }
    }

    @Test("A proven address cannot be recovered; the question stays open")
    func notRecoverable() async throws {
        try await TestServer.with(providers: TestProviders(linking: .confirm)) { server in
            _ = try await server.idTokenGrant("google", try await server.googleCredential())
            let asked = try await server.idTokenGrant("apple", try await server.appleCredential())
            #expect(asked.code == "identity_needs_confirmation")
            #expect(asked["can_recover"] == false)
            #expect(asked["sign_in_methods"] == ["google"])
            let ticket = asked["link_ticket"] ?? .null
            #expect(try await ask(server, "link_recovery", ["link_ticket": ticket]).code == "link_not_recoverable")
            // The other provider proves the account.
            let owner = try #require(
                TestSession(try await server.idTokenGrant("google", try await server.googleCredential())))
            let linked = try await ask(server, "link_confirmation", ["link_ticket": ticket], bearer: owner.accessToken)
            #expect(linked["user"]?["id"]?.stringValue == owner.userID)
        }
    }

    @Test("D7: Both sides proven: linked without a question. A relay address gets its own account (pitfall 9)")
    func automatic() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let google = try await server.idTokenGrant("google", try await server.googleCredential())
            let apple = try await server.idTokenGrant("apple", try await server.appleCredential())
            #expect(apple["user"]?["id"] == google["user"]?["id"])
            let hidden = try await server.idTokenGrant("apple", try await server.appleCredential("hidden"))
            #expect(hidden.status == 200)
            #expect(hidden["user"]?["id"] != google["user"]?["id"])
            #expect(hidden["user"]?["email"]?.stringValue?.hasSuffix("@privaterelay.appleid.com") == true)
        }
    }

    @Test("In a browser the question waits behind the code, for the client that began")
    func inBrowser() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let ada = try await server.signUp("verified@example.com")
            let back = try await TestBrowser(server).signIn(server.authorizePath("google"), as: "verified")
            #expect(back.fragment.isEmpty)
            let code = try #require(back.query["code"])
            let wrong = String(repeating: "w", count: 43)
            #expect(try await server.redeem(code, verifier: wrong).code == "bad_code_verifier")
            let asked = try await server.redeem(code)
            #expect(asked.status == 422)
            #expect(asked.code == "identity_needs_confirmation")
            #expect(try await server.redeem(code).code == "flow_state_not_found")
            let linked = try await ask(
                server, "link_confirmation", ["link_ticket": asked["link_ticket"] ?? .null], bearer: ada.accessToken)
            #expect(linked["user"]?["id"]?.stringValue == ada.userID)
        }
    }

    @Test("In the implicit flow it is an error with the ticket in the fragment")
    func implicit() async throws {
        try await TestServer.with(providers: TestProviders(), change: { $0.allowsImplicitFlow = true }) { server in
            _ = try await server.signUp("verified@example.com")
            let back = try await TestBrowser(server).signIn("/auth/v1/authorize?provider=google", as: "verified")
            #expect(back.query["error_code"] == "identity_needs_confirmation")
            #expect(back.query["error"] == "access_denied")
            #expect(back.query["link_ticket"] == nil)
            #expect(back.fragment["link_ticket"]?.utf8.count == 43)
        }
    }
}
