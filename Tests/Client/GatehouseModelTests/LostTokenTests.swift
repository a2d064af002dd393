import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire
import Synchronization
import Testing

/// After a crash or a full disk, for a user with a second factor.
@Suite("A start without the access token") @MainActor
struct LostTokenTests {
    /// Signs in, and from then on refreshes.
    private final class Server: Sendable {
        private let levels: Mutex<[String]>
        private let calls = Mutex<[String]>([])
        let storage = MemoryStorage()

        init(refreshesTo level: String) { levels = Mutex(["aal2", level]) }

        var requests: [String] { calls.withLock { $0 } }

        func client() throws -> GatehouseClient {
            try GatehouseClient(
                url: URL(string: "https://a.example/auth/v1")!, publishableKey: "key", storage: storage,
                transport: { call in
                    self.calls.withLock { $0.append(call.url.query() ?? "") }
                    let level = self.levels.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                    return HTTPReply(status: 200, body: Array(Self.session(level).text.utf8))
                })
        }

        private static func session(_ level: String) -> AuthJSON {
            let claims: AuthJSON = ["aal": .string(level)]
            let factor: AuthJSON = [
                "id": "a1b2c3d4-0000-4000-8000-000000000001", "factor_type": "totp", "status": "verified",
                "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
            ]
            return [
                "access_token": .string("e30.\(Base64URL.text(Array(claims.text.utf8))).s"), "refresh_token": "refresh",
                "token_type": "bearer", "expires_in": 3_600,
                "user": [
                    "id": "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10", "aud": "authenticated",
                    "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "factors": [factor],
                ],
            ]
        }
    }

    private func start(_ server: Server) async throws -> AuthManager {
        try await server.client().signIn(email: "ada@example.com", password: "p")
        await server.storage.remove("gatehouse.access-token")
        let client = try server.client()
        let profiles = MetadataProfile(client: client, isReadOnly: true) {}
        return AuthManager(service: LiveAuthService(client: client, gateway: profiles), storage: server.storage)
    }

    @Test("The user is shown without the second step, and one refresh gets the tokens")
    func shown() async throws {
        let server = Server(refreshesTo: "aal2")
        let manager = try await start(server)
        #expect(manager.isLoggedIn && manager.secondFactor == nil)
        await until { manager.isProfileLoaded }
        #expect(try await manager.accessToken().isEmpty == false)
        #expect(manager.isLoggedIn && manager.secondFactor == nil && manager.error == nil)
        #expect(server.requests == ["grant_type=password", "grant_type=refresh_token"])
    }

    @Test("If the refresh tells a session without the second factor, the second step follows")
    func hidden() async throws {
        let server = Server(refreshesTo: "aal1")
        let manager = try await start(server)
        await until { manager.phase == .secondFactorNeeded }
        #expect(!manager.isLoggedIn && manager.secondFactor?.methods.isEmpty == false)
        #expect(server.requests == ["grant_type=password", "grant_type=refresh_token"])
    }
}
