import GatehouseWire
import JSONWebTokens
import Testing

@Suite("Examples of the RFCs, and of another library")
struct SpecificationTests {
    private static let vectors = Specified.signatures + ForeignSignatures.all

    @Test("Each signature verifies, and only for its own input", arguments: vectors.indices)
    func signatures(_ index: Int) throws {
        let vector = Self.vectors[index]
        let key = try JSONWebKey(vector.key)
        let signature = try #require(Base64URL.decode(vector.signature))
        let input = Array(vector.input.utf8)
        #expect(key.isValid(signature, for: input[...]))
        #expect(!key.isValid(signature, for: (input + [0x41])[...]))
        #expect(!key.isValid(Array(signature.dropLast()), for: input[...]))
        #expect(!key.isValid([], for: input[...]))
        for position in [0, signature.count / 2, signature.count - 1] {
            var changed = signature
            changed[position] ^= 1
            #expect(!key.isValid(changed, for: input[...]))
        }
    }

    @Test("There is an example of every algorithm")
    func completeness() throws {
        #expect(Set(try Self.vectors.map { try JSONWebKey($0.key).algorithm }) == Set(SigningAlgorithm.allCases))
    }

    @Test("The token of RFC 7515 A.1 is accepted if one HS256 key is the default for tokens without kid")
    func firstExample() throws {
        let keys = try KeySet([], keyForTokensWithoutID: JSONWebKey(Specified.hs256))
        let vector = Specified.signatures[0]
        let token = vector.input + "." + vector.signature
        let verified = try keys.verify(token, at: Instant(seconds: 1_300_819_379))
        #expect(verified.claims.issuer == "joe")
        #expect(verified.claims.expiresAt == Instant(seconds: 1_300_819_380))
        #expect(verified.claims.members["http://example.com/is_root"] == true)
        #expect(verified.keyID == nil)
        #expect(throws: TokenRejection.expired(Instant(seconds: 1_300_819_380))) {
            try keys.verify(token, at: Instant(seconds: 1_300_819_380))
        }
    }

    @Test(
        "Thumbprints match RFC 7638 §3.1 and RFC 8037 A.3",
        arguments: [
            (Specified.thumbprinted, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"),
            (Specified.edDSA, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"),
            (Specified.edDSA.without("d"), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"),
        ])
    func thumbprints(_ jwk: AuthJSON, _ expected: String) throws {
        let key = try JSONWebKey(jwk)
        #expect(key.thumbprint == expected)
        #expect(key.identified().id == (key.id ?? expected))
    }
}
