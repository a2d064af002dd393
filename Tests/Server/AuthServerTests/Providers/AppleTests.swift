import AccountDomain
import AccountStore
import AuthServer
import DevStack
import GatehouseWire
import HTTPTypes
import IdentityProviders
import Logging
import TestSupport
import Testing

@Suite("Apple beyond sign-in")
struct AppleTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("D2, pitfall 8: Deleting the account revokes Apple's token, also after an outage and a restart")
    func revocation() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let session = try #require(
                TestSession(try await server.idTokenGrant("apple", try await server.appleCredential())))
            #expect(try await server.send(.delete, "/v1/auth/me", bearer: session.accessToken).status == 204)
            #expect(try await server.accounts.providerCalls.outboxBacklog().count == 1)
            server.wire.fail(.noConnection)
            #expect(try await server.auth.identities.workOutbox(logger: logger) == 1)
            #expect(try await server.auth.identities.workOutbox(logger: logger) == 0)
            server.wire.fail(nil)
            server.clock.advance(by: .seconds(60))
            #expect(try await server.auth.identities.workOutbox(logger: logger) == 1)
            #expect(server.standIns?.apple.revocations.count == 1)
            #expect(try await server.accounts.providerCalls.outboxBacklog().count == 0)
            server.clock.advance(by: .seconds(86_400))
            #expect(try await server.auth.identities.workOutbox(logger: logger) == 0)
        }
    }

    @Test("Unlinking Google revokes its token, if it gave one")
    func unlinking() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let ada = try await server.signUp()
            let start = try await server.send(
                .get,
                "/auth/v1/user/identities/authorize?provider=google&skip_http_redirect=true&access_type=offline"
                    + "&redirect_to=myapp%3A%2F%2Fcallback&\(AppKey.query)", bearer: ada.accessToken)
            let back = try await TestBrowser(server).choose("verified", at: start["url"]?.stringValue ?? "")
            let linked = try await server.redeem(back.query["code"])
            #expect(try await server.count("provider_tokens") == 1)
            let id = linked["user"]?["identities"]?.arrayValue?.first { $0["provider"] == "google" }?["identity_id"]
            let path = "/auth/v1/user/identities/\(id?.stringValue ?? "")"
            #expect(try await server.send(.delete, path, bearer: ada.accessToken).status == 200)
            #expect(try await server.auth.identities.workOutbox(logger: logger) == 1)
            #expect(server.standIns?.google.revocations.count == 1)
        }
    }

    /// The stand-in's POST, delivered by hand.
    private func notify(_ server: TestServer, _ payload: String) async throws -> TestAnswer {
        try await server.send(
            .post, "/auth/v1/apple/notifications", json: ["payload": .string(payload)])
    }

    @Test("Notifications: consent revoked ends Apple's sessions, a second delivery changes nothing")
    func notifications() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let session = try #require(
                TestSession(try await server.idTokenGrant("apple", try await server.appleCredential())))
            server.clock.advance(by: .seconds(5))
            let payload = try await server.notification("consent-revoked")
            let body: AuthJSON = ["payload": .string(payload)]
            for _ in 0..<2 {
                let answer = try await server.send(.post, "/auth/v1/apple/notifications", json: body)
                #expect(answer.status == 200, "\(answer)")
            }
            #expect(try await server.refresh(session.refreshToken).status == 400)
            // A late delivery does not undo a new sign-in.
            server.clock.advance(by: .seconds(5))
            let again = try #require(
                TestSession(try await server.idTokenGrant("apple", try await server.appleCredential())))
            #expect(again.userID == session.userID)
            #expect(try await notify(server, payload).status == 200)
            #expect(try await server.refresh(again.refreshToken).status == 200)
        }
    }

    @Test("A notification for no account, a forged one, and one while the keys cannot be read")
    func badNotifications() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            #expect(try await notify(server, "x.y.z").code == "validation_failed")
            #expect(try await server.send(.post, "/auth/v1/apple/notifications", raw: [1, 2]).status == 400)
            let payload = try await server.notification("account-delete")
            server.wire.fail(.noConnection)
            #expect(try await notify(server, payload).status == 503)
            server.wire.fail(nil)
            server.clock.advance(by: .seconds(60))
            #expect(try await notify(server, payload).status == 200)
            #expect(try await notify(server, payload + "x").code == "validation_failed")
        }
        try await TestServer.with { server in
            let answer = try await notify(server, "x.y.z")
            #expect(answer.status == 404)
        }
    }
}

extension TestServer {
    /// Signed, about the person "verified".
    func notification(_ event: String) async throws -> String {
        let answer = try await send(.post, "/dev/apple/notify", json: ["person": "verified", "event": .string(event)])
        guard answer.status == 200, let payload = wire.posted.last?["payload"]?.stringValue else {
            throw UnexpectedAnswer(answer: answer)
        }
        return payload
    }
}
