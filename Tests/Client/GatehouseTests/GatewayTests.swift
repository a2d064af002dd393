import Foundation
import Gatehouse
import GatehouseWire
import TestSupport
import Testing

private struct Gateway: Sendable {
    let world: World
    let clock: LimitClock
    let client: GatewayClient

    init(_ world: World, limit: Duration? = .seconds(20), change: (inout GatewayRules) -> Void = { _ in }) throws {
        self.world = world
        clock = LimitClock(limit: limit)
        var rules = GatewayRules()
        rules.isOffline = { $0 is NoConnection }
        change(&rules)
        client = try GatewayClient(
            url: URL(string: "http://127.0.0.1:9999")!, tokens: GatewayTokens(world.client),
            transport: world.network.transport, clock: clock.clock, randomness: { _ in [0] }, rules: rules)
    }

    struct NoConnection: Error {}

    static func with(
        limit: Duration? = .seconds(20), change: (inout GatewayRules) -> Void = { _ in },
        _ test: (World, Gateway) async throws -> Void
    ) async throws {
        try await World.with { world in
            let gateway = try Gateway(world, limit: limit, change: change)
            _ = try await world.client.signUp(
                email: "ada@example.com", password: TestServer.password, data: ["first_name": "Ada"])
            try await test(world, gateway)
        }
    }

    func count(_ method: String, _ path: String) -> Int {
        world.network.calls.count { $0.method == method && $0.url.path == path }
    }
    var reads: Int { count("GET", "/v1/auth/me") }
}

extension SignedInAccount {
    fileprivate var firstName: String? { profile?.firstName }
    fileprivate var data: AuthJSONObject? { profile?.data }
}

private let lost = AuthClientError.offline(.noAnswer("GatehouseTests.ConnectionLost 1"))
private let tooLate = AuthClientError.offline(.noAnswer("GatehouseWire.TimeIsOver 1"))

@Suite("The gateway client")
struct GatewayTests {
    @Test("It reads and changes the short profile; absent keeps, and the app's own fields merge")
    func me() async throws {
        try await Gateway.with { world, gateway in
            let user = try await world.client.session.user
            var me = try await gateway.client.fetchMe()
            #expect(me.id == user.id && me.email == "ada@example.com")
            #expect(me.firstName == "Ada" && me.data == [:] && me.profile?.others == ["favorite_teams": []])
            me = try await gateway.client.updateProfile(ProfileChange(data: ["mood": "calm"]))
            #expect(me.firstName == "Ada" && me.data == ["mood": "calm"])
            me = try await gateway.client.updateProfile(ProfileChange(firstName: .clear))
            #expect(me.firstName == nil && me.data == ["mood": "calm"])
            me = try await gateway.client.updateProfile(
                ProfileChange(
                    firstName: " Grace ", data: ["mood": .null, "goal": 8],
                    others: ["favorite_teams": ["nba_1610612744"]]))
            #expect(me.firstName == "Grace" && me.data == ["goal": 8])
            #expect(me.profile?.others == ["favorite_teams": ["nba_1610612744"]])
            #expect(try await gateway.client.fetchMe() == me)
        }
    }

    @Test("It reads and changes the whole profile")
    func profile() async throws {
        try await Gateway.with { _, gateway in
            let edit = ProfileEdit(
                name: "Ada Lovelace", avatarURL: "https://example.com/ada.png", timezone: "Europe/London")
            let changed = try await gateway.client.updateProfile(edit)
            #expect(changed.summary.firstName == "Ada" && changed.name == "Ada Lovelace")
            #expect(changed.avatarURL == URL(string: "https://example.com/ada.png"))
            #expect(changed.timezone == "Europe/London" && !changed.isPremium)
            #expect(try await gateway.client.profile() == changed)
            #expect(try await gateway.client.updateProfile(ProfileEdit(name: .clear)).name == nil)
            await #expect(throws: refusal(400, "BAD_REQUEST", "avatar_url must be an https URL.", "/avatar_url")) {
                try await gateway.client.updateProfile(ProfileEdit(avatarURL: "http://example.com/a"))
            }
        }
    }

    @Test("An app calls routes of its own, with a session and without one")
    func routes() async throws {
        try await World.with { world in
            let gateway = try Gateway(world)
            let league = [URLQueryItem(name: "league", value: "nba")]
            let teams = try await gateway.client.send(.get, "/v1/teams", query: league, needsToken: false)
            #expect(teams?["teams"]?.arrayValue?.count == 30)
            #expect(world.network.calls.allSatisfy { $0.headers["authorization"] == nil })
            await #expect(throws: refusal(400, "BAD_REQUEST", "league must be one of the listed teams' leagues.")) {
                try await gateway.client.send(
                    .get, "/v1/teams", query: [URLQueryItem(name: "league", value: "curling")], needsToken: false)
            }
            await #expect(throws: AuthClientError.signedOut(.neverSignedIn)) {
                try await gateway.client.send(.get, "/v1/auth/me")
            }
        }
        try await Gateway.with { _, gateway in
            let me = try await gateway.client.send(.patch, "/v1/auth/me", body: ["first_name": "Grace"])
            #expect(me?["profile"]?["first_name"] == "Grace")
            #expect(try await gateway.client.send(.delete, "/v1/auth/me") == nil)
        }
    }

    @Test("A path that could lead elsewhere is refused before it is sent", arguments: ["v1/x", "/v1/../x", "/./x", ""])
    func paths(_ path: String) async throws {
        try await World.with { world in
            let gateway = try Gateway(world)
            await #expect(throws: refusal(400, "BAD_REQUEST", "The path is invalid, nothing was sent.")) {
                try await gateway.client.send(.get, path, needsToken: false)
            }
            #expect(world.network.calls.isEmpty)
        }
    }

    private func refusal(
        _ status: Int, _ code: String, _ message: String, _ field: String? = nil
    ) -> AuthClientError {
        .refused(
            AuthRefusal(status: status, code: AuthErrorCode(rawValue: code), message: message, field: field))
    }

    @Test("A change that the gateway refuses is sent once")
    func refused() async throws {
        try await Gateway.with { _, gateway in
            await #expect(throws: refusal(400, "BAD_REQUEST", "There is nothing to change.")) {
                try await gateway.client.updateProfile(ProfileChange())
            }
            #expect(gateway.count("PATCH", "/v1/auth/me") == 1)
        }
    }

    @Test("Without a session nothing is sent")
    func signedOut() async throws {
        try await World.with { world in
            let gateway = try Gateway(world)
            await #expect(throws: AuthClientError.signedOut(.neverSignedIn)) {
                try await gateway.client.fetchMe()
            }
            #expect(world.network.calls.isEmpty)
        }
    }

    @Test("An account is deleted once, and deleting it again is harmless")
    func delete() async throws {
        try await Gateway.with { world, gateway in
            world.network.meet(.losesAnswers)
            try await gateway.client.deleteAccount()
            #expect(gateway.count("DELETE", "/v1/auth/me") == 2)
            #expect(try await world.server.signIn().status == 400)
            #expect(await world.client.currentSession != nil)
        }
    }

    @Test("A 401 gets one refresh and one more try, of a change, too")
    func refreshes() async throws {
        try await Gateway.with { world, gateway in
            let old = try await world.client.session.accessToken
            world.server.clock.advance(by: .seconds(60))
            world.network.meet(.answers(status: 401, headers: [:]))
            let me = try await gateway.client.updateProfile(ProfileChange(firstName: "Grace"))
            #expect(me.firstName == "Grace")
            #expect(world.network.refreshCount == 1)
            let tokens = world.network.calls.filter { $0.method == "PATCH" }.map { $0.headers["authorization"] }
            #expect(tokens.count == 2 && tokens.first == "Bearer \(old)" && tokens.last != tokens.first)
        }
    }

    @Test("Plain http is only for loopback")
    func insecure() {
        let tokens = GatewayTokens(current: { throw AuthClientError.unknownFlow }, confirmed: { $0 })
        #expect(throws: AuthClientError.insecureURL) {
            try GatewayClient(url: URL(string: "http://api.example.com")!, tokens: tokens)
        }
    }

    @Test("A refused token, a locked store and a lost connection are distinguished")
    func noToken() async throws {
        try await World.with { world in
            for error in [
                AuthClientError.offline(.status(503)), .storeUnavailable("locked"), .signedOut(.requested),
            ] {
                let tokens = GatewayTokens(current: { throw error }, confirmed: { $0 })
                let client = try GatewayClient(
                    url: URL(string: "http://127.0.0.1:9999")!, tokens: tokens, transport: world.network.transport)
                await #expect(throws: error) { try await client.fetchMe() }
            }
        }
    }
}

@Suite("The gateway client on a bad network")
struct GatewayFaultTests {
    @Test(
        "A read is retried after a transient fault",
        arguments: [
            TestNetwork.Fault.isDown, .losesAnswers, .answers(status: 500, headers: [:]),
            .answers(status: 503, headers: ["Retry-After": "1"]), .answers(status: 429, headers: ["Retry-After": "1"]),
        ])
    func reads(_ fault: TestNetwork.Fault) async throws {
        try await Gateway.with { world, gateway in
            world.network.meet(fault, fault)
            let ada = try await gateway.client.fetchMe().firstName
            #expect(ada == "Ada")
            #expect(gateway.reads == 3 && gateway.clock.sleeps.count == 2)
        }
    }

    @Test("Waits double, and Retry-After takes precedence")
    func waits() async throws {
        try await Gateway.with { world, gateway in
            world.network.meet(.isDown, .isDown)
            _ = try await gateway.client.fetchMe()
            world.network.meet(.answers(status: 429, headers: ["Retry-After": "3"]))
            _ = try await gateway.client.fetchMe()
            #expect(gateway.clock.sleeps == [.milliseconds(250), .milliseconds(500), .seconds(3)])
        }
    }

    @Test("A change that may have happened is not repeated; after 429 it is")
    func changes() async throws {
        try await Gateway.with { world, gateway in
            world.network.meet(.losesAnswers)
            await #expect(throws: lost) { try await gateway.client.updateProfile(ProfileChange(firstName: "Grace")) }
            world.network.meet(.answers(status: 502, headers: [:]))
            await #expect(throws: AuthClientError.refused(AuthRefusal(status: 502, code: nil))) {
                try await gateway.client.updateProfile(ProfileChange(firstName: "Eve"))
            }
            #expect(gateway.count("PATCH", "/v1/auth/me") == 2)
            let grace = try await gateway.client.fetchMe().firstName
            #expect(grace == "Grace")
            world.network.meet(.answers(status: 429, headers: ["Retry-After": "1"]))
            let eve = try await gateway.client.updateProfile(ProfileChange(firstName: "Eve")).firstName
            #expect(eve == "Eve")
        }
    }

    @Test("A long Retry-After fails at once")
    func longRetryAfter() async throws {
        try await Gateway.with { world, gateway in
            world.network.meet(.answers(status: 429, headers: ["Retry-After": "600"]))
            let refusal = AuthRefusal(status: 429, code: nil, retryAfter: .seconds(600))
            await #expect(throws: AuthClientError.refused(refusal)) { try await gateway.client.fetchMe() }
            #expect(gateway.reads == 1 && gateway.clock.sleeps.isEmpty)
        }
    }

    @Test("After three failures in a row nothing is sent for 30 seconds; then one request probes")
    func circuit() async throws {
        try await Gateway.with { world, gateway in
            world.network.stay(.isDown)
            await #expect(throws: lost) { try await gateway.client.fetchMe() }
            #expect(gateway.reads == 3)
            await #expect(throws: lost) { try await gateway.client.fetchMe() }
            await #expect(throws: lost) { try await gateway.client.updateProfile(ProfileChange(firstName: "Eve")) }
            #expect(gateway.reads == 3 && gateway.count("PATCH", "/v1/auth/me") == 0)
            gateway.clock.advance(by: .seconds(30))
            await #expect(throws: lost) { try await gateway.client.fetchMe() }
            #expect(gateway.reads == 4)
            gateway.clock.advance(by: .seconds(30))
            world.network.clear()
            _ = try await gateway.client.fetchMe()
            _ = try await gateway.client.fetchMe()
            #expect(gateway.reads == 6)
        }
    }

    @Test("During the probe no other request is sent")
    func probe() async throws {
        try await Gateway.with { world, gateway in
            world.network.stay(.isDown)
            await #expect(throws: lost) { try await gateway.client.fetchMe() }
            gateway.clock.advance(by: .seconds(30))
            world.network.clear()
            world.network.hold()
            let probe = Task { try await gateway.client.fetchMe() }
            await until { world.network.heldCount == 1 }
            await #expect(throws: lost) { try await gateway.client.fetchMe() }
            world.network.release()
            let ada = try await probe.value.firstName
            #expect(ada == "Ada")
            #expect(gateway.reads == 4)
        }
    }

    @Test("A request without a response ends at its time limit")
    func timeLimit() async throws {
        try await Gateway.with(limit: .seconds(60)) { world, gateway in
            let client = try GatewayClient(
                url: URL(string: "http://127.0.0.1:9999")!, tokens: GatewayTokens(world.client),
                transport: { _ in
                    for await _ in AsyncStream<Never>.makeStream().stream {}
                    throw CancellationError()
                }, clock: gateway.clock.clock, randomness: { _ in [0] })
            await #expect(throws: AuthClientError.self) { try await client.fetchMe() }
            // Two requests of 30 seconds and a wait: the call's 60 seconds shorten the second and prevent a third.
            #expect(gateway.clock.sleeps == [.seconds(30), .milliseconds(250), .milliseconds(29_750)])
        }
    }

    @Test("A call that waits for its token ends at the time limit, and the refresh continues")
    func hangingRefresh() async throws {
        try await Gateway.with(limit: .seconds(100)) { world, gateway in
            world.expireToken()
            world.network.hold()
            await #expect(throws: tooLate) { try await gateway.client.fetchMe() }
            #expect(gateway.reads == 0 && gateway.clock.sleeps == [.seconds(60)])
            world.network.release()
            _ = try await Gateway(world).client.fetchMe()
            #expect(world.network.refreshCount == 1)
        }
    }

    @Test("The time for the token counts; when none is left nothing is sent, and the gateway is not blamed")
    func slowTokens() async throws {
        try await Gateway.with { world, gateway in
            let session = try await world.client.session
            let isSlow = Locked(true)
            let tokens = GatewayTokens {
                if isSlow.withLock({ $0 }) { gateway.clock.advance(by: .seconds(61)) }
                return session
            } confirmed: {
                $0
            }
            let client = try GatewayClient(
                url: URL(string: "http://127.0.0.1:9999")!, tokens: tokens, transport: world.network.transport,
                clock: gateway.clock.clock)
            for _ in 1...3 { await #expect(throws: tooLate) { try await client.fetchMe() } }
            #expect(gateway.reads == 0)
            isSlow.withLock { $0 = false }
            let ada = try await client.fetchMe().firstName
            #expect(ada == "Ada")
        }
    }

    @Test("A device without a connection waits for it, within bounds, and opens no circuit")
    func waitsForConnection() async throws {
        let rules: (inout GatewayRules) -> Void = {
            $0.isOffline = { $0 is ConnectionLost }
            $0.connectivityLimit = .seconds(10)
        }
        try await Gateway.with(change: rules) { world, gateway in
            world.network.meet(.isDown, .isDown, .isDown, .isDown)
            let grace = try await gateway.client.updateProfile(ProfileChange(firstName: "Grace")).firstName
            #expect(grace == "Grace")
            #expect(gateway.clock.sleeps == [0.5, 1, 2, 4].map { Duration.seconds($0) })
            world.network.stay(.isDown)
            await #expect(throws: lost) { try await gateway.client.fetchMe() }
            #expect(gateway.clock.sleeps.dropFirst(4).reduce(.zero, +) <= .seconds(10))
            world.network.clear()
            _ = try await gateway.client.fetchMe()
        }
    }

    @Test("A captive portal's page changes nothing and deletes nothing")
    func captivePortal() async throws {
        try await Gateway.with { world, gateway in
            world.network.stay(.captivePortal)
            await #expect(throws: AuthClientError.offline(.notUnderstood("no JSON"))) {
                try await gateway.client.fetchMe()
            }
            await #expect(throws: AuthClientError.offline(.notUnderstood("no empty answer"))) {
                try await gateway.client.deleteAccount()
            }
        }
    }

    @Test("A cancelled call ends as cancelled and counts as nothing")
    func cancelled() async throws {
        try await Gateway.with { world, gateway in
            world.network.hold()
            let call = Task { try await gateway.client.fetchMe() }
            await until { world.network.heldCount == 1 }
            call.cancel()
            world.network.release()
            await #expect(throws: CancellationError.self) { try await call.value }
            _ = try await gateway.client.fetchMe()
        }
    }
}
