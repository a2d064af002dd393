import Gatehouse
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Ended sessions")
struct EndingTests {
    /// The server's routes to each error code.
    enum Cause: CaseIterable {
        case banned, revokedElsewhere, stolen, deleted

        var code: AuthErrorCode {
            switch self {
            case .banned: .userBanned
            case .revokedElsewhere, .deleted: .refreshTokenNotFound
            case .stolen: .refreshTokenAlreadyUsed
            }
        }

        var reason: SessionEndReason {
            switch self {
            case .banned: .banned
            case .revokedElsewhere: .signedOutEverywhere
            case .stolen: .refreshTokenReused
            case .deleted: .accountDeleted
            }
        }

        func happen(to session: AuthSession, at server: TestServer) async throws {
            switch self {
            case .banned: _ = try await server.admin(.put, "/users/\(session.user.id)", json: ["ban_duration": "24h"])
            case .deleted: _ = try await server.admin(.delete, "/users/\(session.user.id)")
            case .revokedElsewhere: _ = try await server.send(.post, "/auth/v1/logout", bearer: session.accessToken)
            case .stolen:
                let theirs = try await server.refresh(session.refreshToken)
                _ = try await server.refresh(theirs["refresh_token"]?.stringValue ?? "")
                server.clock.advance(by: .seconds(11))
            }
        }
    }

    @Test("The server's definite word ends it, once, with the reason", arguments: Cause.allCases)
    func ended(_ cause: Cause) async throws {
        // With a key, a stolen token is refused, and the session stays.
        var options = GatehouseClient.Options()
        options.sessionKeys = cause == .stolen ? .off : .automatic
        try await World.with(options: options) { world in
            let first = try await world.signUp()
            let listener = await Listener(to: world.client)
            try await cause.happen(to: first, at: world.server)
            world.expireToken()
            let reason = SignedOutReason.endedByServer(cause.code, because: cause.reason)
            await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        await #expect(throws: AuthClientError.signedOut(reason)) { try await world.client.session }
                    }
                }
            }
            #expect(await world.client.state == .signedOut(reason))
            #expect(await world.client.currentSession == nil)
            #expect(try await world.anotherProcess().state == .signedOut(.neverSignedIn))
            await listener.waits(for: 2)
            #expect(await listener.events == [.initialSession, .signedOut(reason)])
            #expect(world.network.refreshCount == 1)
        }
    }

    @Test("A call with the session's own token ends it too")
    func endedByCall() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            try await Cause.revokedElsewhere.happen(to: first, at: world.server)
            let reason = SignedOutReason.endedByServer(.sessionNotFound, because: .signedOutEverywhere)
            await #expect(throws: AuthClientError.signedOut(reason)) { try await world.client.user() }
            #expect(await world.client.state == .signedOut(reason))
            #expect(try await world.anotherProcess().state == .signedOut(.neverSignedIn))
        }
    }

    @Test("A refusal of another user's token ends nothing")
    func otherToken() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            let other = try await world.server.signUp("bob@example.com")
            _ = try await world.server.admin(.delete, "/users/\(other.userID)")
            await #expect(throws: AuthClientError.self) { try await world.client.user(jwt: other.accessToken) }
            #expect(await world.client.currentSession == first)
        }
    }

    @Test(
        "Other refusals end nothing",
        arguments: [400, 401, 403, 404, 422])
    func otherRefusals(_ status: Int) async throws {
        try await World.with { world in
            let first = try await world.signUp()
            world.expireToken()
            world.network.meet(.answers(status: status, headers: [:]))
            await #expect(throws: AuthClientError.self) { try await world.client.session }
            #expect(await world.client.state == .signedIn(first, isFresh: false))
            #expect(try await world.client.session.user.id == first.user.id)
        }
    }

    @Test(
        "A refresh token that another issuer calls invalid ends it",
        arguments: [
            (400, #"{"error":"invalid_grant"}"#),
            (400, #"{"error":"invalid_grant","error_description":"Invalid Refresh Token: Already Used"}"#),
            (401, #"{"error":"invalid_grant","error_description":"Token is not active"}"#),
        ])
    func invalidGrant(_ status: Int, _ body: String) async throws {
        try await World.with { world in
            try await world.signUp()
            world.expireToken()
            world.network.meet(.answers(status: status, headers: [:], body: body))
            let reason = SignedOutReason.endedByServer(.refreshTokenNotFound, because: nil)
            await #expect(throws: AuthClientError.signedOut(reason)) { try await world.client.session }
            #expect(await world.client.state == .signedOut(reason))
            #expect(try await world.anotherProcess().state == .signedOut(.neverSignedIn))
        }
    }

    @Test(
        "Other OAuth errors of a refresh end nothing",
        arguments: [
            (400, #"{"error":"invalid_client"}"#), (400, #"{"error":"invalid_request"}"#),
            (500, #"{"error":"invalid_grant"}"#), (400, #"{"code":"over_request_rate_limit","error":"invalid_grant"}"#),
        ])
    func otherOAuthErrors(_ status: Int, _ body: String) async throws {
        try await World.with { world in
            let first = try await world.signUp()
            world.expireToken()
            world.network.meet(.answers(status: status, headers: [:], body: body))
            // Ignored: some are thrown; a passing error is retried.
            _ = try? await world.client.session
            #expect(try await world.client.session.user.id == first.user.id)
        }
    }

    @Test("A call that another issuer refuses as an invalid grant ends nothing")
    func invalidGrantOfCall() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            world.network.meet(.answers(status: 400, headers: [:], body: #"{"error":"invalid_grant"}"#))
            await #expect(throws: AuthClientError.self) { try await world.client.user() }
            #expect(await world.client.currentSession == first)
        }
    }

    @Test("A token that the server rejects is refreshed once and the call repeated once")
    func repeatedCall() async throws {
        try await World.with { world in
            try await world.signUp()
            world.server.clock.advance(by: .seconds(60))
            world.network.meet(.answers(status: 401, headers: [:]))
            #expect(try await world.client.user().email == "ada@example.com")
            #expect(world.network.refreshCount == 1)
        }
    }
}
