import Foundation
import Gatehouse
import GatehouseWire
import TestSupport
import Testing

/// Its lock gives up when the caller is cancelled, like one between processes.
private struct ImpatientStorage: SecureStorage {
    let inner = MemoryStorage()
    func read(_ key: String) async -> StoredValue { await inner.read(key) }
    func write(_ bytes: [UInt8], for key: String) async throws { await inner.write(bytes, for: key) }
    func remove(_ key: String) async throws { await inner.remove(key) }
    func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        return try await inner.withLock(body)
    }
}

@Suite("What the server has done is not lost")
struct NothingLostTests {
    @Test("A sign-in that the server has answered is stored, although its caller was cancelled")
    func cancelledSignIn() async throws {
        try await World.with(storage: ImpatientStorage()) { world in
            _ = try await world.server.signUp()
            world.network.hold()
            let caller = Task {
                try await world.client.signIn(email: "ada@example.com", password: TestServer.password)
            }
            await until { world.network.heldCount == 1 }
            caller.cancel()
            world.network.release()
            let session = try await caller.value
            #expect(try await world.anotherProcess().session == session)
        }
    }

    @Test("A call that was cancelled before it left does not leave, whatever the transport")
    func cancelledBefore() async throws {
        try await World.with { world in
            try await world.signUp()
            let sent = world.network.calls.count
            let caller = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await world.client.user()
            }
            await #expect(throws: CancellationError.self) { try await caller.value }
            #expect(world.network.calls.count == sent)
        }
    }

    @Test("A cancelled sign-out signs out nevertheless")
    func cancelledSignOut() async throws {
        let storage = ImpatientStorage()
        try await World.with(storage: storage) { world in
            try await world.signUp()
            let caller = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await world.client.signOut(scope: .local)
            }
            try await caller.value
            #expect(await storage.inner.contents.isEmpty)
        }
    }

    private static let identityID = "7b1f0a52-0d7e-4f57-8c0a-0a5f3c1b9e44"
    private static let signedIn: AuthJSON = {
        let user: AuthJSON = [
            "id": "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10", "created_at": "2026-01-01T00:00:00Z",
            "identities": [
                [
                    "id": "001", "identity_id": .string(identityID), "provider": "apple",
                    "user_id": "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10",
                ]
            ],
        ]
        return ["access_token": "access", "refresh_token": "refresh", "expires_in": 3_600, "user": user]
    }()

    @Test("A sign-in method that the server has removed is removed, although the account cannot be fetched")
    func unlinked() async throws {
        let answers = ScriptedAnswers([
            ScriptedAnswers.json(Self.signedIn), ScriptedAnswers.json([:]), ScriptedAnswers.refusal(503, "busy"),
        ])
        let client = try await answers.signedIn()
        let identity = try #require(await client.currentUser?.identities?.first)
        try await client.unlinkIdentity(identity)
        #expect(answers.requests.suffix(2) == ["DELETE /user/identities/\(Self.identityID)", "GET /user"])
        #expect(await client.currentUser?.identities == [])
    }

    @Test("A method that the server did not remove is reported, and stays")
    func notUnlinked() async throws {
        let refusal = ScriptedAnswers.refusal(422, "single_identity_not_deletable")
        let client = try await ScriptedAnswers([ScriptedAnswers.json(Self.signedIn), refusal]).signedIn()
        let identity = try #require(await client.currentUser?.identities?.first)
        await #expect(throws: AuthClientError.self) { try await client.unlinkIdentity(identity) }
        #expect(await client.currentUser?.identities == [identity])
    }

    @Test(
        "A sign-up keeps its verifier only while a mail may bring the code",
        arguments: [
            (ScriptedAnswers.json(GoldenRequest.user), 1), (ScriptedAnswers.session, 0),
            (ScriptedAnswers.refusal(422, "weak_password"), 0),
        ])
    func verifier(_ reply: HTTPReply, _ count: Int) async throws {
        let answers = ScriptedAnswers([reply])
        let client = try answers.client()
        // Ignored: the refusal.
        _ = try? await client.signUp(email: "a@b.c", password: "p", redirectTo: URL(string: "app://back"))
        #expect(answers.requests.count == 1)
        #expect(await answers.pendingVerifiers == count)
    }
}

@Suite("The list of devices")
struct DeviceListTests {
    @Test("E10: This device comes first, then the others by their last use")
    func order() async throws {
        func session(_ id: Int, _ created: String, _ refreshed: AuthJSON, isCurrent: Bool = false) -> AuthJSON {
            [
                "id": .string("00000000-0000-4000-8000-00000000000\(id)"), "created_at": .string(created),
                "refreshed_at": refreshed, "is_current": .bool(isCurrent),
            ]
        }
        let list: AuthJSON = [
            "sessions": [
                session(1, "2026-01-05T00:00:00Z", .null), session(2, "2026-01-01T00:00:00Z", "2026-01-06T00:00:00Z"),
                session(3, "2026-01-02T00:00:00Z", .null, isCurrent: true),
                session(4, "2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z"),
            ]
        ]
        let client = try await ScriptedAnswers([ScriptedAnswers.session, ScriptedAnswers.json(list)]).signedIn()
        #expect(try await client.sessions().map { $0.id.uuidString.suffix(1) } == ["3", "2", "1", "4"])
    }

    @Test("An app names itself and its system")
    func ownAgent() throws {
        let device = try #require(DeviceName(userAgent: SystemDefaults.userAgent()))
        #expect(device.app?.isEmpty == false && device.system?.isEmpty == false)
        #expect(device.kind == .computer)
    }
}
