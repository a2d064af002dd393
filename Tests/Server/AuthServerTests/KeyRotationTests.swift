import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import JSONWebTokens
import TestSupport
import Testing

@Suite("Signing keys in use")
struct KeyRotationTests {
    private static func rotate(_ server: TestServer) async throws {
        let key = JSONWebKey.newES256().identified()
        try await server.signingKeys.rotate(
            to: StoredSigningKey(id: key.thumbprint, privateKey: key.privateJWK, createdAt: server.clock.now),
            forgettingRetiredBefore: Instant(seconds: 0))
        try await server.keys.reload()
    }

    private static func publishedIDs(_ server: TestServer) async throws -> [String] {
        let answer = try await server.send(.get, "/auth/v1/.well-known/jwks.json")
        #expect(answer.headers[.cacheControl] == "public, max-age=600")
        return answer["keys"]?.arrayValue?.compactMap { $0["kid"]?.stringValue } ?? []
    }

    @Test("D14: After a rotation old tokens stay valid, new ones name the new key, and both keys are published")
    func rotation() async throws {
        try await TestServer.with { server in
            let before = try await server.signUp()
            let oldIDs = try await Self.publishedIDs(server)
            server.clock.advance(by: KeyRing.settling)
            try await Self.rotate(server)
            let newIDs = try await Self.publishedIDs(server)
            let between = try #require(TestSession(try await server.signIn()))
            #expect(try Self.keyID(between.accessToken) == oldIDs.first, "other nodes may not have read the new key")
            server.clock.advance(by: KeyRing.settling)
            try await server.keys.reload()
            let after = try #require(TestSession(try await server.refresh(before.refreshToken)))
            #expect(newIDs.count == 2)
            #expect(Set(oldIDs).isSubset(of: newIDs))
            for token in [before.accessToken, after.accessToken] {
                #expect(try await server.send(.get, "/auth/v1/user", bearer: token).status == 200)
            }
            #expect(try Self.keyID(after.accessToken) == newIDs.first)
            #expect(try Self.keyID(before.accessToken) == oldIDs.first)
        }
    }

    @Test("D14: A key created by a clock ahead of time does not sign again after a rotation")
    func clockAhead() async throws {
        try await TestServer.with { server in
            server.clock.advance(by: .seconds(600))
            try await Self.rotate(server)
            server.clock.advance(by: .seconds(-300))
            try await Self.rotate(server)
            server.clock.advance(by: .seconds(300) + KeyRing.settling)
            try await server.keys.reload()
            _ = try await server.signUp()
            let session = try #require(TestSession(try await server.signIn()))
            let live = try await server.signingKeys.all().filter { $0.retiredAt == nil }
            #expect(try Self.keyID(session.accessToken) == live.first?.id)
        }
    }

    @Test("D14: A retired key is removed when its last token has expired")
    func retired() async throws {
        try await TestServer.with { server in
            _ = try await server.signUp()
            try await Self.rotate(server)
            server.clock.advance(by: server.settings.accessTokenLifetime + KeyRing.overlap)
            try await server.keys.reload()
            #expect(try await Self.publishedIDs(server).count == 1)
        }
    }

    @Test("Tokens without a key id are refused if no key matches them")
    func withoutSharedSecret() async throws {
        try await TestServer.with { server in
            var sources = KeySources()
            sources.store = server.signingKeys
            let ring = KeyRing(
                sources, tokenLifetime: .seconds(60), now: { server.clock.now }, makeKey: { .newES256() })
            try await ring.reload()
            let token = try server.sharedToken(["sub": "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"])
            #expect(throws: TokenRejection.self) { try ring.verify(token) }
            #expect(try server.keys.verify(token).claims.subject != nil)
        }
    }

    private static func keyID(_ token: String) throws -> String? {
        let header = token.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) } ?? []
        return try JSONReader.read(header)["kid"]?.stringValue
    }
}
