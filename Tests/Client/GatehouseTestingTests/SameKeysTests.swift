import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire
import Testing

@testable import GatehouseTesting

@Suite("Bound sessions in memory and at the server")
struct SameKeysTests {
    @Test("The list of devices shows that a session is bound", arguments: ServiceKind.allCases)
    func listed(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            try await world.signUp()
            #expect(try await world.service.sessions().map(\.isBound) == [true])
        }
    }

    @Test("Refreshes prove the key, and the session stays bound", arguments: ServiceKind.allCases)
    func refreshed(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            try await world.signUp()
            let first = try #require(Self.key(of: try await world.service.accessToken()))
            for _ in 0..<3 {
                world.advance(.seconds(3_601))
                #expect(Self.key(of: try await world.service.accessToken()) == first)
            }
            #expect(try await world.service.sessions().map(\.isBound) == [true])
        }
    }

    /// Of the access token (RFC 7800 §3.1).
    static func key(of accessToken: String) -> String? {
        let payload = accessToken.split(separator: ".").dropFirst().first
        // Ignored: nil names no key.
        let claims = payload.flatMap { Base64URL.decode(String($0)) }.flatMap { try? JSONReader.read($0) }
        return claims?["cnf"]?["jkt"]?.stringValue
    }
}

@Suite("Proofs of keys in memory")
struct InMemoryKeyTests {
    @Test("A bound session's token is refused without its key, and the session stays")
    func refused() async throws {
        try await Self.with { service, session in
            let thief = try Self.client(.software, service.network.send)
            await #expect(
                throws: AuthClientError.refused(AuthRefusal(status: 400, code: .invalidProof, message: "in memory"))
            ) {
                try await thief.setSession(accessToken: "", refreshToken: session.refreshToken)
            }
        }
    }

    @Test("A recorded refresh cannot be sent again")
    func replayed() async throws {
        try await Self.with { service, _ in
            let calls = Locked<[HTTPCall]>([])
            let client = try Self.client(.software) { call in
                calls.withLock { $0.append(call) }
                return try await service.network.send(call)
            }
            try await client.signIn(email: "ada@example.com", password: Fixtures.password)
            try await client.refreshSession()
            let refresh = try #require(calls.withLock { $0.last })
            #expect(refresh.headers["dpop"] != nil)
            #expect(try await service.network.send(refresh).status == 400)
            try await client.refreshSession()
        }
    }

    @Test("A proof of another request, of another form or with a wrong signature is refused", arguments: 0..<4)
    func unusable(_ kind: Int) async throws {
        try await Self.with { service, _ in
            let client = try Self.client(.software) { call in
                guard call.headers["dpop"] != nil else { return try await service.network.send(call) }
                var changed = call
                switch kind {
                case 0: changed.headers["dpop"] = "a.b.c"
                case 1: changed.headers["dpop"] = changed.headers["dpop"].map { $0.dropLast(4) + "AAAA" }
                case 2: changed.url.append(path: "elsewhere")
                default: changed.method = "PUT"
                }
                return try await service.network.send(changed)
            }
            // The client signs in without a key.
            let session = try await client.signIn(email: "ada@example.com", password: Fixtures.password)
            #expect(SameKeysTests.key(of: session.accessToken) == nil)
        }
    }

    private static func with(_ test: (InMemoryAuthService, AuthSession) async throws -> Void) async throws {
        let service = InMemoryAuthService()
        let signUp = try await service.service.signUp(
            email: "ada@example.com", password: Fixtures.password, firstName: nil)
        let token = try await service.service.accessToken()
        #expect(SameKeysTests.key(of: token) != nil)
        try await test(service, try #require(signUp.session))
        service.clock.advance(by: .seconds(3_601))
        #expect(try await service.service.accessToken() != token)
    }

    /// Another device.
    private static func client(
        _ keys: SessionKeys, _ transport: @escaping HTTPTransport
    ) throws -> GatehouseClient {
        var options = GatehouseClient.Options()
        options.sessionKeys = keys
        return try GatehouseClient(
            url: URL(string: "https://accounts.example.com/auth/v1")!, publishableKey: "key",
            storage: MemoryStorage(), transport: transport, options: options)
    }
}
