import Foundation
import Gatehouse
import HTTPTypes
import TestSupport
import Testing

@Suite("Late events")
struct LateTests {
    private static func refresh(_ world: World, arrivesAfter delay: Duration) async throws -> AuthSession {
        world.expireToken()
        world.network.hold()
        let caller = Task { try await world.client.session }
        await until { world.network.heldCount == 1 }
        world.server.clock.advance(by: delay)
        world.network.release()
        return try await caller.value
    }

    @Test("B1: A token from a slow response is not taken for a younger one after a restart")
    func slowAnswer() async throws {
        try await World.with { world in
            try await world.signUp()
            let first = try await Self.refresh(world, arrivesAfter: .seconds(3_000))
            world.server.clock.advance(by: .seconds(601))
            let next = try await world.anotherProcess().session
            #expect(next.accessToken != first.accessToken)
        }
    }

    @Test("B2: A caller whose refresh was overtaken by a long sleep gets a valid token")
    func sleptMeanwhile() async throws {
        try await World.with { world in
            try await world.signUp()
            let session = try await Self.refresh(world, arrivesAfter: .seconds(7_200))
            #expect(session.expiresAt > Double(world.server.clock.now.seconds))
            #expect(world.network.refreshCount == 2)
        }
    }

    @Test("A7: Signing out revokes with the tokens that another process has refreshed, which is not theft")
    func revokesWithTheNewest() async throws {
        try await World.with { world in
            try await world.signUp()
            let widget = try world.anotherProcess()
            for _ in 0..<2 {
                world.expireToken()
                _ = try await widget.session
            }
            world.expireToken()
            #expect(try await world.client.signOut() == .revoked)
            let log = try await world.server.admin(.get, "/audit").text
            #expect(log.contains("logout"))
            #expect(!log.contains("refresh_token_reuse"))
        }
    }
}
