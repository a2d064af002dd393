import Gatehouse
import GatehouseWire
import TestSupport
import Testing

@Suite("One refresh at a time")
struct RefreshTests {
    @Test("A thousand callers with an expired token make one request and get one session")
    func thousandCallers() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            world.expireToken()
            let sessions = try await withThrowingTaskGroup(of: AuthSession.self) { group in
                for _ in 0..<1_000 { group.addTask { try await world.client.session } }
                return try await group.reduce(into: Set<AuthSession>()) { $0.insert($1) }
            }
            #expect(world.network.refreshCount == 1)
            #expect(sessions.count == 1)
            #expect(sessions.first?.refreshToken != first.refreshToken)
        }
    }

    @Test("A token valid for more than thirty seconds is used unchanged")
    func leeway() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            world.server.clock.advance(by: .seconds(3_569))
            #expect(try await world.client.session == first)
            #expect(world.network.refreshCount == 0)
            world.server.clock.advance(by: .seconds(1))
            #expect(try await world.client.session != first)
            #expect(world.network.refreshCount == 1)
        }
    }

    @Test("A token less than five seconds old is returned again, unless the app requests a refresh")
    func window() async throws {
        try await World.with { world in
            try await world.signUp()
            world.server.clock.advance(by: .seconds(60))
            let fresh = try await world.client.refreshSession(.unauthorized)
            world.server.clock.advance(by: .milliseconds(4_999))
            #expect(try await world.client.refreshSession(.unauthorized) == fresh)
            #expect(world.network.refreshCount == 1)
            #expect(try await world.client.refreshSession() != fresh)
            #expect(world.network.refreshCount == 2)
        }
    }

    @Test("A refresh that the app requests begins after the request: one under way may bring older claims")
    func requestedDuringRefresh() async throws {
        try await World.with { world in
            try await world.signUp()
            world.expireToken()
            world.network.hold()
            let caller = Task { try await world.client.session }
            await until { world.network.heldCount == 1 }
            let request = Task { try await world.client.refreshSession() }
            for _ in 0..<100 { await Task.yield() }
            world.network.release()
            #expect(try await caller.value.refreshToken != request.value.refreshToken)
            #expect(world.network.refreshCount == 2)
        }
    }

    @Test("A refresh that the app requests asks the server, also if another process has just refreshed")
    func requestedAfterAnotherProcess() async throws {
        try await World.with { world in
            try await world.signUp()
            let theirs = try await world.anotherProcess().refreshSession()
            #expect(try await world.client.refreshSession().refreshToken != theirs.refreshToken)
            #expect(world.network.refreshCount == 2)
        }
    }

    @Test("The part of a token's lifetime that has passed by the Date header is not counted")
    func dateHeader() async throws {
        try await World.with { world in
            world.network.sendDates(ahead: .seconds(600))
            let first = try await world.signUp()
            world.server.clock.advance(by: .seconds(2_969))
            #expect(try await world.client.session == first)
            world.server.clock.advance(by: .seconds(1))
            #expect(try await world.client.session != first)
        }
    }

    @Test("A request for another token than a refused one gets the current one")
    func insteadOf() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            world.expireToken()
            let fresh = try await world.client.refreshSession(insteadOf: first.accessToken)
            world.server.clock.advance(by: .seconds(60))
            #expect(try await world.client.refreshSession(insteadOf: first.accessToken) == fresh)
            #expect(world.network.refreshCount == 1)
        }
    }

    @Test("A lost response is requested again, and the server returns the same successor")
    func lostAnswer() async throws {
        try await World.with { world in
            try await world.signUp()
            world.expireToken()
            world.network.meet(.losesAnswers, .losesAnswers)
            _ = try await world.client.session
            #expect(world.network.refreshCount == 3)
            #expect(world.device.sleeps.count == 2)
            world.expireToken()
            _ = try await world.client.session
        }
    }

    @Test(
        "A transient fault is retried three times, then the client is offline and keeps the session",
        arguments: [
            (TestNetwork.Fault.isDown, OfflineCause.noAnswer("GatehouseTests.ConnectionLost 1")),
            (.answers(status: 503, headers: [:]), .status(503)), (.answers(status: 500, headers: [:]), .status(500)),
            (.answers(status: 429, headers: ["Retry-After": "2"]), .status(429)),
            (.captivePortal, .notUnderstood("the answer is no JSON")),
        ])
    func retries(_ fault: TestNetwork.Fault, _ cause: OfflineCause) async throws {
        try await World.with { world in
            let first = try await world.signUp()
            let listener = await Listener(to: world.client)
            world.expireToken()
            world.network.stay(fault)
            await #expect(throws: AuthClientError.offline(cause)) { try await world.client.session }
            #expect(world.network.refreshCount == 4)
            #expect(await world.client.state == .signedIn(first, isFresh: false))
            world.network.stay(.none)
            world.server.clock.advance(by: .seconds(10))
            #expect(try await world.client.session.user.id == first.user.id)
            await listener.waits(for: 2)
            #expect(await listener.events == [.initialSession, .tokenRefreshed])
        }
    }

    @Test("The waits double, with jitter, and respect Retry-After")
    func waits() async throws {
        try await World.with { world in
            try await world.signUp()
            world.expireToken()
            world.network.meet(.isDown, .isDown, .answers(status: 429, headers: ["Retry-After": "7"]))
            _ = try await world.client.session
            let waits = world.device.sleeps
            #expect(waits.count == 3)
            #expect((.milliseconds(250)...Duration.milliseconds(750)).contains(waits[0]))
            #expect((.milliseconds(500)...Duration.milliseconds(1_500)).contains(waits[1]))
            #expect((.seconds(7)...Duration.milliseconds(7_500)).contains(waits[2]))
        }
    }

    @Test("A server that asks for a long pause gets it")
    func longPause() async throws {
        try await World.with { world in
            try await world.signUp()
            world.expireToken()
            world.network.meet(.answers(status: 429, headers: ["Retry-After": "300"]))
            await #expect(throws: AuthClientError.offline(.status(429))) { try await world.client.session }
            world.server.clock.advance(by: .seconds(299))
            await #expect(throws: AuthClientError.offline(.status(429))) { try await world.client.session }
            #expect(world.network.refreshCount == 1)
            world.server.clock.advance(by: .seconds(1))
            _ = try await world.client.session
            #expect(world.network.refreshCount == 2)
        }
    }

    @Test("A failed refresh ahead of expiry leaves callers the valid token")
    func aheadOfExpiry() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            world.server.clock.advance(by: .seconds(3_580))
            world.network.stay(.isDown)
            #expect(try await world.client.session == first)
        }
    }

    @Test("A cancelled caller stops waiting and loses nothing: the refresh finishes and is stored")
    func cancellation() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            world.expireToken()
            world.network.hold()
            let caller = Task { try await world.client.session }
            await until { world.network.heldCount == 1 }
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            world.network.release()
            let fresh = try await world.client.session
            #expect(fresh.refreshToken != first.refreshToken)
            #expect(world.network.refreshCount == 1)
            #expect(try await world.anotherProcess().session == fresh)
        }
    }

    @Test(
        "A device clock that is wrong by a year causes no storm and signs nobody out",
        arguments: [Duration.seconds(31_536_000), .seconds(-31_536_000)])
    func wrongClock(_ error: Duration) async throws {
        try await World.with(change: { $0.device.setClock(ahead: error) }) { world in
            let first = try await world.signUp()
            for _ in 0..<100 { _ = try await world.client.session }
            let next = try world.anotherProcess()
            for _ in 0..<100 { #expect(try await next.session == first) }
            #expect(world.network.refreshCount == 0)
            world.expireToken()
            for _ in 0..<100 { _ = try await next.session }
            #expect(world.network.refreshCount == 1)
        }
    }

    @Test(
        "A device clock that jumps by a year between two starts costs one refresh, with the server's nonce",
        arguments: [Duration.seconds(31_536_000), .seconds(-31_536_000)])
    func clockJump(_ jump: Duration) async throws {
        try await World.with { world in
            let first = try await world.signUp()
            world.device.setClock(ahead: jump)
            for _ in 0..<100 { #expect(try await world.client.session == first) }
            let next = try world.anotherProcess()
            for _ in 0..<100 { #expect(try await next.session.user.id == first.user.id) }
            #expect(world.network.refreshCount == 2)
        }
    }
}
