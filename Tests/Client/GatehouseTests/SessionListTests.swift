import Foundation
import Gatehouse
import TestSupport
import Testing

@Suite("The user's sessions")
struct SessionListTests {
    @Test("E10: Revoking another device's session signs out that device, with the reason")
    func revoke() async throws {
        try await World.with { world in
            try await world.signUp()
            let tablet = try World(world.server)
            _ = try await tablet.client.signIn(email: "ada@example.com", password: TestServer.password)
            let other = try #require(try await world.client.sessions().first { !$0.isCurrent })
            try await world.client.revokeSession(id: other.id)
            let reason = SignedOutReason.endedByServer(.sessionNotFound, because: .signedOut)
            await #expect(throws: AuthClientError.signedOut(reason)) {
                try await tablet.client.user()
            }
            #expect(try await world.client.sessions().count == 1)
        }
    }

    @Test("An unknown session is refused, and the current one is kept")
    func unknown() async throws {
        try await World.with { world in
            let session = try await world.signUp()
            let id = try #require(UUID(uuidString: "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"))
            let error = await #expect(throws: AuthClientError.self) { try await world.client.revokeSession(id: id) }
            guard case .refused(let refusal) = error else { throw ConnectionLost() }
            #expect(refusal.status == 404)
            #expect(await world.client.currentSession == session)
        }
    }
}
