import AccountDomain
import AccountStore
import AuthServer
import DevStack
import GatehouseWire
import HTTPTypes
import IdentityProviders
import TestSupport
import Testing

@Suite("Linking and unlinking while signed in")
struct IdentityRouteTests {
    private func startLink(_ server: TestServer, _ bearer: String, provider: String = "google") async throws
        -> TestAnswer
    {
        try await server.send(
            .get,
            "/auth/v1/user/identities/authorize?provider=\(provider)&skip_http_redirect=true"
                + "&redirect_to=myapp%3A%2F%2Fcallback&\(AppKey.query)", bearer: bearer)
    }

    private func identities(_ server: TestServer, _ bearer: String) async throws -> [AuthJSON] {
        try await server.send(.get, "/auth/v1/user", bearer: bearer)["identities"]?.arrayValue ?? []
    }

    @Test("D7: A link through the browser is created when its code is exchanged, in a new session")
    func link() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let ada = try await server.signUp()
            let start = try await startLink(server, ada.accessToken)
            let back = try await TestBrowser(server).choose("verified", at: start["url"]?.stringValue ?? "")
            #expect(try await identities(server, ada.accessToken).count == 1)
            let answer = try await server.redeem(back.query["code"])
            #expect(answer["user"]?["id"]?.stringValue == ada.userID, "\(answer)")
            #expect(answer["user"]?["identities"]?.arrayValue?.count == 2)
            #expect(answer["user"]?["email"] == "ada@example.com")
        }
    }

    @Test("A lured user cannot link to a stranger's account: without the verifier the code creates no link")
    func ledAstray() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let attacker = try await server.signUp("attacker@example.com")
            let start = try await startLink(server, attacker.accessToken)
            let victim = try await TestBrowser(server).choose("verified", at: start["url"]?.stringValue ?? "")
            let other = String(repeating: "v", count: 43)
            #expect(try await server.redeem(victim.query["code"], verifier: other).code == "bad_code_verifier")
            #expect(try await identities(server, attacker.accessToken).count == 1)
            let own = try await server.idTokenGrant("google", try await server.googleCredential())
            #expect(own["user"]?["id"]?.stringValue != attacker.userID)
        }
    }

    @Test("After a sign-out, and for an identity of another user, no link is created")
    func refused() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let ada = try await server.signUp()
            let start = try await startLink(server, ada.accessToken)
            let back = try await TestBrowser(server).choose("verified", at: start["url"]?.stringValue ?? "")
            _ = try await server.send(.post, "/auth/v1/logout?scope=local", bearer: ada.accessToken)
            let late = try await server.redeem(back.query["code"])
            #expect(late.status == 403)
            #expect(late.code == "session_not_found")
            let again = try #require(TestSession(try await server.signIn()))
            let next = try await startLink(server, again.accessToken)
            let voided = try await TestBrowser(server).choose("verified", at: next["url"]?.stringValue ?? "")
            _ = try await server.send(.post, "/auth/v1/logout", bearer: again.accessToken)
            #expect(try await server.redeem(voided.query["code"]).code == "flow_state_not_found")
            _ = try await server.signIn(with: "google")
            let bob = try await server.signUp("bob@example.com")
            let taken = try await startLink(server, bob.accessToken)
            let refused = try await TestBrowser(server).choose("verified", at: taken["url"]?.stringValue ?? "")
            #expect(refused.query["error_code"] == "identity_already_exists")
            #expect(refused.query["error"] == "server_error")
        }
    }

    @Test("Unlinking: never the last one, its sessions end, and a new link needs a question")
    func unlink() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let google = try await server.signIn(with: "google")
            let session = try #require(TestSession(google))
            let id = google["user"]?["identities"]?.arrayValue?.first?["identity_id"]?.stringValue ?? ""
            func unlink(_ id: String, _ bearer: String? = session.accessToken) async throws -> TestAnswer {
                try await server.send(.delete, "/auth/v1/user/identities/\(id)", bearer: bearer)
            }
            #expect(try await unlink(id).code == "single_identity_not_deletable")
            #expect(try await unlink("abc").status == 404)
            #expect(try await unlink(id, nil).code == "no_authorization")
            let apple = try await server.signIn(with: "apple")
            #expect(try await unlink("00000000-0000-4000-8000-000000000000").code == "identity_not_found")
            let gone = try await unlink(id)
            #expect(gone.status == 200)
            #expect(gone.text == "{}")
            #expect(apple["user"]?["id"]?.stringValue == session.userID)
            let back = try await server.signIn(with: "google")
            #expect(back.code == "identity_needs_confirmation")
        }
    }

    @Test("No provider opens an administrator's account without a question", arguments: TestDatabase.all)
    func administrator(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, providers: TestProviders()) { server in
            let ada = try #require(TestSession(try await server.signIn(with: "google")))
            let promoted = try await server.send(
                .put, "/auth/v1/admin/users/\(ada.userID)", bearer: TestServer.secretKey,
                json: ["role": "service_role"])
            #expect(promoted.status == 200)
            let asked = try await server.signIn(with: "apple")
            #expect(asked.status == 422 && asked.code == "identity_needs_confirmation")
            let owner = try #require(TestSession(try await server.signIn(with: "google")))
            let linked = try await server.send(
                .post, "/auth/v1/token?grant_type=link_confirmation", bearer: owner.accessToken,
                json: ["link_ticket": asked["link_ticket"] ?? .null])
            #expect(linked.status == 200 && TestSession(linked)?.userID == ada.userID)
        }
    }

    @Test("A link can be undone within 30 days, completely; later it is an ordinary unlinking")
    func undo() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let first = try #require(TestSession(try await server.signIn(with: "google")))
            let apple = try await server.signIn(with: "apple")
            func undoable() async throws -> [AuthJSON] {
                try await server.send(.get, "/auth/v1/user/identities/undoable", bearer: first.accessToken)["links"]?
                    .arrayValue ?? []
            }
            let link = try #require(try await undoable().first)
            #expect(link["provider"] == "apple")
            #expect(link["rule"] == "proven_by_both")
            let path = "/auth/v1/user/identities/\(link["identity_id"]?.stringValue ?? "")/undo"
            let undone = try await server.send(.post, path, bearer: first.accessToken)
            #expect(undone["identities"]?.arrayValue?.count == 1, "\(undone)")
            #expect(try await undoable().isEmpty)
            #expect(try await server.refresh(TestSession(apple)?.refreshToken ?? "").status == 400)
            #expect(try await server.signIn(with: "apple")["user"]?["id"]?.stringValue != first.userID)
            #expect(try await server.send(.post, path, bearer: first.accessToken).code == "identity_not_found")
        }
    }

    @Test("Where a fresh sign-in is asked for, an old session links nothing: a link would open a new session")
    func freshSignIn() async throws {
        try await TestServer.with(policy: SessionPolicy(freshSignIn: .seconds(600)), providers: TestProviders()) {
            server in
            let ada = try await server.signUp()
            let guest = try #require(TestSession(try await server.send(.post, "/auth/v1/signup", json: [:])))
            func link(_ bearer: String, _ person: String) async throws -> TestAnswer {
                try await server.idTokenGrant(
                    "apple", try await server.appleCredential(person, email: "\(person)@example.org"),
                    adding: ["link_identity": true], bearer: bearer)
            }
            server.clock.advance(by: .seconds(599))
            let start = try await startLink(server, ada.accessToken)
            server.clock.advance(by: .seconds(2))
            let answers = [try await startLink(server, ada.accessToken), try await link(ada.accessToken, "existing")]
            for answer in answers { #expect(answer.status == 403 && answer.code == "fresh_sign_in_required") }
            #expect(try await identities(server, ada.accessToken).count == 1)
            // Begun while the sign-in was fresh.
            let back = try await TestBrowser(server).choose("verified", at: start["url"]?.stringValue ?? "")
            #expect(try await server.redeem(back.query["code"])["user"]?["id"]?.stringValue == ada.userID)
            #expect(try await link(guest.accessToken, "existing")["user"]?["id"]?.stringValue == guest.userID)
            let again = try #require(TestSession(try await server.signIn()))
            #expect(try await startLink(server, again.accessToken).status == 200)
        }
    }

    @Test("With manual linking off, none of its routes works", arguments: [true, false])
    func switchedOff(_ isOn: Bool) async throws {
        try await TestServer.with(providers: TestProviders(), change: { $0.allowsManualLinking = isOn }) { server in
            let ada = try await server.signUp()
            let started = try await startLink(server, ada.accessToken)
            #expect(started.status == (isOn ? 200 : 404))
            if !isOn { #expect(started.code == "manual_linking_disabled") }
            let id = try await identities(server, ada.accessToken).first?["identity_id"]?.stringValue ?? ""
            let unlinked = try await server.send(.delete, "/auth/v1/user/identities/\(id)", bearer: ada.accessToken)
            #expect(unlinked.code == (isOn ? "single_identity_not_deletable" : "manual_linking_disabled"))
        }
    }
}
