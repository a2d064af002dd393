import Foundation
import Gatehouse
import TestSupport
import Testing

@testable import GatehouseTesting

@Suite("Child sessions in memory and at the server")
struct SameChildSessionTests {
    /// With clients of a person's devices.
    private func with(
        _ kind: ServiceKind, _ test: (_ device: (SessionKeys) throws -> GatehouseClient) async throws -> Void
    ) async throws {
        switch kind {
        case .inMemory:
            let service = InMemoryAuthService(confirmsAutomatically: true)
            try await test { keys in
                try Self.client("https://accounts.example.com/auth/v1", keys) { try await service.network.send($0) }
            }
        case .live:
            try await TestServer.with { server in
                let network = LiveNetwork(server)
                try await test { keys in
                    try Self.client(TestServer.issuer, keys, network.clock) { try await network.send($0) }
                }
            }
        }
    }

    private static func client(
        _ url: String, _ keys: SessionKeys, _ clock: ClientClock = SystemDefaults.clock(),
        _ transport: @escaping HTTPTransport
    ) throws -> GatehouseClient {
        var options = GatehouseClient.Options()
        options.sessionKeys = keys
        return try GatehouseClient(
            url: try #require(URL(string: url)), publishableKey: "sb_publishable_test", storage: MemoryStorage(),
            transport: transport, clock: clock, options: options)
    }

    private func code(_ call: () async throws -> some Any) async -> AuthErrorCode? {
        do {
            _ = try await call()
            return nil
        } catch {
            return (error as? AuthClientError)?.code
        }
    }

    @Test("A child is listed, adopted, powerless, and ends with its parent", arguments: ServiceKind.allCases)
    func whole(_ kind: ServiceKind) async throws {
        for keys in [SessionKeys.software, .off] {
            try await with(kind) { device in
                let (phone, watch) = (try device(keys), try device(keys))
                _ = try await phone.signUp(email: "ada@example.com", password: Fixtures.password)
                let transfer = try await phone.makeChildSession(name: "Scores", kind: .watch, lifetime: .seconds(600))
                try await watch.adopt(transfer)
                let list = try await phone.sessions()
                #expect(list.map(\.parentID) == [nil, list[0].id] && list.map(\.kind) == [nil, .watch])
                #expect(list[1].name == "Scores" && list.map(\.isBound) == [keys == .software, keys == .software])
                #expect(await code { try await watch.sessions() } == .childSession)
                #expect(await code { try await watch.makeChildSession(name: "Scores", kind: .tv) } == .childSession)
                #expect(
                    await code { try await watch.update(user: AuthUserAttributes(data: ["a": 1])) } == .childSession)
                try await watch.user()
                try await watch.refreshSession()
                try await phone.signOut(scope: .local)
                #expect(await code { try await watch.refreshSession() } != nil)
                let reason = SignedOutReason.endedByServer(.refreshTokenNotFound, because: .parentEnded)
                #expect(await watch.state == .signedOut(reason))
            }
        }
    }

    @Test("Wrong children are refused, and an eleventh", arguments: ServiceKind.allCases)
    func refused(_ kind: ServiceKind) async throws {
        try await with(kind) { device in
            let phone = try device(.software)
            _ = try await phone.signUp(email: "ada@example.com", password: Fixtures.password)
            for lifetime in [Duration.seconds(59), .seconds(31_536_001)] {
                #expect(
                    await code { try await phone.makeChildSession(name: "Scores", kind: .tv, lifetime: lifetime) }
                        == .validationFailed)
            }
            #expect(await code { try await phone.makeChildSession(name: "", kind: .tv) } == .validationFailed)
            let unknown = ChildSessionKind(rawValue: "fridge")
            #expect(await code { try await phone.makeChildSession(name: "Scores", kind: unknown) } == .validationFailed)
            for _ in 0..<10 { _ = try await phone.makeChildSession(name: "Scores", kind: .widget) }
            #expect(
                await code { try await phone.makeChildSession(name: "Scores", kind: .widget) } == .tooManyChildSessions)
            let child = try #require(try await phone.sessions().last)
            try await phone.revokeSession(id: child.id)
            _ = try await phone.makeChildSession(name: "Scores", kind: .widget)
        }
    }
}
