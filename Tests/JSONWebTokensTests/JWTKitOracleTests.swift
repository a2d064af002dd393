import Crypto
import GatehouseWire
import JSONWebTokens
import JWTKit
import Testing

/// jwt-kit as an independent check: it verifies our signatures, and we verify its.
@Suite("Agreement with jwt-kit")
struct JWTKitOracleTests {
    struct Claims: JWTPayload, Equatable {
        var sub: String
        var aud: [String]
        var exp: Int
        var name: String
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    private static let sample = Claims(
        sub: "ada", aud: ["authenticated"], exp: Int(noon.seconds) + 3_600, name: "Zoë \"x\" / \u{1F511}")

    /// The collection with one key, public or private.
    private static func oracle(_ key: JSONWebKey) async throws -> JWTKeyCollection {
        let keys = JWTKeyCollection()
        guard key.algorithm != .hs256 else {
            let secret = Base64URL.decode(Specified.hs256["k"]?.stringValue ?? "") ?? []
            return await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256, kid: "HS256")
        }
        return try await keys.add(jwk: JWK(json: key.privateJWK.reveal()))
    }

    @Test("It verifies our tokens", arguments: SigningAlgorithm.allCases)
    func ours(_ algorithm: SigningAlgorithm) async throws {
        let key = try TestKeys.key(algorithm)
        let claims: AnyJSON = [
            "sub": "ada", "aud": ["authenticated"], "exp": .integer(Int64(Self.sample.exp)),
            "name": .string(Self.sample.name),
        ]
        let token = try TokenSigner(key).sign(payload: Array(claims.text.utf8))
        let judged = try await Self.oracle(key.publicHalf ?? key).verify(token, as: Claims.self)
        #expect(judged == Self.sample)
    }

    @Test("We verify its tokens", arguments: SigningAlgorithm.allCases)
    func theirs(_ algorithm: SigningAlgorithm) async throws {
        let key = try TestKeys.key(algorithm)
        let kid = JWKIdentifier(string: algorithm.rawValue)
        let token = try await Self.oracle(key).sign(Self.sample, kid: kid)
        let verified = try KeySet([key]).verify(token, at: noon)
        #expect(verified.claims.subject == "ada")
        #expect(verified.claims.audience == ["authenticated"])
        #expect(verified.claims.members["name"]?.stringValue == Self.sample.name)
        #expect(verified.claims.expiresAt == noon + .seconds(3_600))
    }

    @Test("It reads our published document")
    func document() async throws {
        let signer = try TokenSigner(.newES256())
        let text = try String(decoding: KeySet([signer.key] + TestKeys.all()).publicDocument, as: UTF8.self)
        let oracle = try await JWTKeyCollection().add(jwksJSON: text)
        let claims: AnyJSON = ["sub": "ada", "aud": [], "exp": 4_102_444_800, "name": ""]
        let token = try signer.sign(payload: Array(claims.text.utf8))
        #expect(try await oracle.verify(token, as: Claims.self).sub == "ada")
    }
}
