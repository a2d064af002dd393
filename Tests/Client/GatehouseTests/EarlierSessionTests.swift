import Foundation
import Gatehouse
import GatehouseWire
import Testing

/// `StoredSessions` has a folder per version with different entries: the bytes that its own code wrote for a session
/// with invented tokens. A recorded file never changes.
@Suite("Sessions that an earlier version stored")
struct EarlierSessionTests {
    private static let versions = ["0.2.0"]

    private static let user: AuthUser = {
        let signedUp = Date(wire: "2025-12-30T08:15:42.123456Z")
        let signedIn = Date(wire: "2025-12-31T23:30:00.5Z")
        let id = UUID(uuidString: "5e2b9d64-3c1f-4a77-9f0e-6d1c8b2a4e35")!
        let address: AuthJSONObject = [
            "email": "ada@example.com", "email_verified": true, "phone_verified": false,
            "sub": "5e2b9d64-3c1f-4a77-9f0e-6d1c8b2a4e35",
        ]
        var times = AuthUserTimes()
        (times["email_confirmed_at"], times["confirmed_at"], times["last_sign_in_at"]) = (signedUp, signedUp, signedIn)
        return AuthUser(
            id: id, appMetadata: ["provider": "email", "providers": ["email"]],
            userMetadata: address.merging(["first_name": "Ada", "team": "Zoë \"1\""]) { $1 },
            email: "ada@example.com",
            identities: [
                AuthUserIdentity(
                    id: "5e2b9d64-3c1f-4a77-9f0e-6d1c8b2a4e35",
                    identityID: UUID(uuidString: "b1f7c0aa-92d4-4d0b-8a63-7e5f2c9d1046"), userID: id,
                    identityData: address, provider: "email", email: "ada@example.com", createdAt: signedUp,
                    updatedAt: signedUp, lastSignInAt: signedUp)
            ], createdAt: signedUp!, updatedAt: signedIn!, times: times)
    }()
    private static let session = AuthSession(
        accessToken: "invented-access-token", refreshToken: "invented-refresh-token", expiresIn: 3_600,
        expiresAt: 1_767_227_400, user: user)

    /// The store is as the version left it.
    private func server(_ replies: HTTPReply..., after version: String) throws -> ScriptedAnswers {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "StoredSessions/\(version)")
        var entries: [String: [UInt8]] = [:]
        for key in ["gatehouse.refresh-token", "gatehouse.access-token"] {
            entries[key] = Array(try Data(contentsOf: folder.appending(path: "\(key).json")))
        }
        return ScriptedAnswers(replies, storage: MemoryStorage(entries))
    }

    @Test("An update signs no user out: the stored user and tokens are read, without a call", arguments: versions)
    func read(_ version: String) async throws {
        let answers = try server(ScriptedAnswers.refusal(500, "not_asked"), after: version)
        let client = try answers.client()
        #expect(client.initialState == .signedIn(Self.session, isFresh: true))
        let listener = await Listener(to: client)
        #expect(await listener.events == [.initialSession])
        #expect(await listener.sessions == [Self.session])
        #expect(try await client.session == Self.session)
        #expect(answers.requests.isEmpty)
    }

    @Test("A changed user is stored beside the tokens, and the next start reads all", arguments: versions)
    func changed(_ version: String) async throws {
        let renamed: AuthJSON = [
            "id": "5e2b9d64-3c1f-4a77-9f0e-6d1c8b2a4e35", "created_at": "2025-12-30T08:15:42.123456Z",
            "user_metadata": ["first_name": "Grace"],
        ]
        let answers = try server(ScriptedAnswers.json(renamed), after: version)
        var expected = Self.session
        expected.user = try await answers.client().user()
        #expect(expected.user.userMetadata == ["first_name": "Grace"])
        #expect(answers.bearers == ["invented-access-token"])
        #expect(try answers.client().initialState == .signedIn(expected, isFresh: true))
    }

    @Test("A refresh spends the stored refresh token, and the next start reads its tokens", arguments: versions)
    func refreshed(_ version: String) async throws {
        let renewed: AuthJSON = [
            "access_token": "next-access", "refresh_token": "next-refresh", "expires_in": 3_600,
            "user": ["id": "5e2b9d64-3c1f-4a77-9f0e-6d1c8b2a4e35", "created_at": "2025-12-30T08:15:42.123456Z"],
        ]
        let answers = try server(ScriptedAnswers.json(renewed), after: version)
        let fresh = try await answers.client().refreshSession()
        #expect((fresh.accessToken, fresh.refreshToken) == ("next-access", "next-refresh"))
        #expect(
            answers.requests == [#"POST /token?grant_type=refresh_token {"refresh_token":"invented-refresh-token"}"#])
        #expect(try answers.client().initialState == .signedIn(fresh, isFresh: true))
    }
}
