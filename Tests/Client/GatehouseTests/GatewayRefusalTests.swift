import Foundation
import Gatehouse
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// The gateway refuses tokens on the test's command.
private struct Refusing: Sendable {
    let world: World
    let clock = LimitClock(limit: .seconds(20))
    let client: GatewayClient

    static let unauthorized = TestNetwork.Fault.answers(status: 401, headers: [:])

    init(_ world: World, transport: HTTPTransport? = nil) throws {
        self.world = world
        client = try GatewayClient(
            url: URL(string: "http://127.0.0.1:9999")!, tokens: GatewayTokens(world.client),
            transport: transport ?? world.network.transport, clock: clock.clock, randomness: { _ in [0] })
    }

    static func with(_ test: (World, Refusing) async throws -> Void) async throws {
        try await World.with { world in
            try await world.signUp()
            try await test(world, Refusing(world))
        }
    }

    /// `METHOD path`, after the sign-up.
    var calls: [String] { world.network.calls.dropFirst().map { "\($0.method) \($0.url.path)" } }

    /// Refused twice, with a call to the auth server in between.
    func expectFault() async {
        world.network.meet(Self.unauthorized, .none, Self.unauthorized)
        await #expect(throws: AuthClientError.refusesValidToken(nil)) { try await client.fetchMe() }
    }
}

@Suite("A gateway that refuses tokens")
struct GatewayRefusalTests {
    @Test("A6: A gateway that refuses a token which the auth server has just issued is at fault; the user stays")
    func freshToken() async throws {
        try await Refusing.with { world, gateway in
            let listener = await Listener(to: world.client)
            world.server.clock.advance(by: .seconds(60))
            await gateway.expectFault()
            #expect(gateway.calls == ["GET /v1/auth/me", "POST /auth/v1/token", "GET /v1/auth/me"])
            _ = try await gateway.client.fetchMe()
            #expect(await listener.events == [.initialSession, .tokenRefreshed])
        }
    }

    @Test("A6: A token of the last five seconds is not refreshed: the auth server confirms it, and the user stays")
    func newToken() async throws {
        try await Refusing.with { world, gateway in
            let session = try await world.client.session
            await gateway.expectFault()
            #expect(gateway.calls == ["GET /v1/auth/me", "GET /auth/v1/user", "GET /v1/auth/me"])
            #expect(gateway.clock.sleeps == [.milliseconds(500)])
            #expect(await world.client.currentSession?.accessToken == session.accessToken)
        }
    }

    @Test("A gateway that lags behind a sign-in by one request costs nothing")
    func lagging() async throws {
        try await Refusing.with { world, gateway in
            world.network.meet(Refusing.unauthorized)
            let me = try await gateway.client.fetchMe()
            #expect(me.email == "ada@example.com")
            #expect(world.network.refreshCount == 0)
        }
    }

    @Test("A6: The auth server's no ends the session, whatever the age of the token", arguments: [0, 60])
    func ended(age: Int) async throws {
        try await Refusing.with { world, gateway in
            let user = try await world.client.session.user
            _ = try await world.server.admin(.delete, "/users/\(user.id)")
            world.server.clock.advance(by: .seconds(age))
            world.network.meet(Refusing.unauthorized)
            let code: AuthErrorCode = age == 0 ? .userNotFound : .refreshTokenNotFound
            let error = await #expect(throws: AuthClientError.self) { try await gateway.client.fetchMe() }
            guard case .signedOut(.endedByServer(let found, _)) = error else { throw ConnectionLost() }
            #expect(found == code || found == .sessionNotFound)
            #expect(await world.client.currentSession == nil)
        }
    }

    @Test("Without an answer of the auth server, the call is offline and the user stays")
    func authServerDown() async throws {
        try await Refusing.with { world, gateway in
            world.network.meet(Refusing.unauthorized, .isDown)
            await #expect(throws: AuthClientError.offline(.noAnswer("GatehouseTests.ConnectionLost 1"))) {
                try await gateway.client.fetchMe()
            }
            #expect(await world.client.currentSession != nil)
        }
    }

    @Test("A gateway that refuses every token causes one refresh a minute")
    func noStorm() async throws {
        try await Refusing.with { world, gateway in
            world.server.clock.advance(by: .seconds(60))
            await gateway.expectFault()
            for _ in 0..<10 {
                world.network.meet(Refusing.unauthorized)
                await #expect(throws: AuthClientError.refusesValidToken(nil)) { try await gateway.client.fetchMe() }
            }
            #expect(world.network.refreshCount == 1)
            world.server.clock.advance(by: .seconds(60))
            gateway.clock.advance(by: .seconds(60))
            await gateway.expectFault()
            #expect(world.network.refreshCount == 2)
        }
    }

    @Test("The code of the gateway's refusal is reported")
    func code() async throws {
        try await Refusing.with { world, gateway in
            var forged = try await world.client.session
            forged.accessToken = "a.b.c"
            let tokens = GatewayTokens(current: { [forged] in forged }, confirmed: { $0 })
            let client = try GatewayClient(
                url: URL(string: "http://127.0.0.1:9999")!, tokens: tokens, transport: world.network.transport,
                clock: gateway.clock.clock)
            await #expect(throws: AuthClientError.refusesValidToken(AuthErrorCode(rawValue: "TOKEN_INVALID"))) {
                try await client.fetchMe()
            }
        }
    }

    @Test("A change is never repeated with the token of another user who signed in meanwhile")
    func anotherUser() async throws {
        try await World.with { world in
            try await world.signUp()
            let isFirst = Locked(true)
            let gateway = try Refusing(world) { call in
                let refuses = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard refuses else { return try await world.network.transport(call) }
                try await world.signUp("grace@example.com")
                return HTTPReply(status: 401)
            }
            await #expect(throws: AuthClientError.sessionChanged) { try await gateway.client.deleteAccount() }
            #expect(!gateway.calls.contains("DELETE /v1/auth/me"))
        }
    }
}
