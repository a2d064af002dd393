import GatehouseWire
import JSONWebTokens
import Testing

@Suite("Keys")
struct JSONWebKeyTests {
    @Test("A key round-trips through storage", arguments: SigningAlgorithm.allCases)
    func storage(_ algorithm: SigningAlgorithm) throws {
        let key = try TestKeys.key(algorithm)
        let stored = try JSONWebKey(text: key.privateJWK)
        #expect(stored.id == algorithm.rawValue)
        #expect(stored.algorithm == algorithm)
        #expect(stored.maySign)
        #expect(stored.privateJWK.matches(key.privateJWK))
        let read = try JSONReader.read(key.privateJWK.reveal())
        let expected = TestKeys.jwk(algorithm).with(["use": "sig", "key_ops": ["sign", "verify"]])
        #expect(read == expected)
    }

    @Test("A stored standby key stays one: it verifies and does not sign")
    func standby() throws {
        let key = try JSONWebKey(TestKeys.jwk(.es256).with(["key_ops": ["verify"]]))
        #expect(!key.maySign)
        #expect(try !JSONWebKey(text: key.privateJWK).maySign)
        #expect(throws: KeyProblem.cannotSign) { try TokenSigner(key) }
        let active = try JSONWebKey(key.privateJWK.json().with(["key_ops": ["sign", "verify"]]))
        #expect(active.maySign)
    }

    @Test("The published form has exactly the public members, in the order of the Auth API")
    func published() throws {
        var writer = JSONWriter()
        try TestKeys.key(.es256).writePublic(to: &writer)
        #expect(
            writer.text == """
                {"kty":"EC","kid":"ES256","alg":"ES256","use":"sig","key_ops":["verify"],"crv":"P-256",\
                "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
                """)
        let document = try JSONReader.read(KeySet(TestKeys.all()).publicDocument)
        let keys = try #require(document["keys"]?.arrayValue)
        #expect(keys.map { $0["kid"] } == SigningAlgorithm.allCases.dropFirst().map { .string($0.rawValue) })
        let names = Set(keys.flatMap { ($0.objectValue ?? [:]).keys })
        #expect(names.isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "k"]))
        #expect(try KeySet([TestKeys.key(.hs256)]).publicDocument == Array(#"{"keys":[]}"#.utf8))
    }

    @Test("A public half verifies, cannot sign, and has no private part", arguments: SigningAlgorithm.allCases)
    func publicHalf(_ algorithm: SigningAlgorithm) throws {
        let key = try TestKeys.key(algorithm)
        let token = try TokenSigner(key).sign(payload: Array(claims().text.utf8))
        guard let half = key.publicHalf else {
            #expect(algorithm == .hs256)
            return
        }
        #expect(try KeySet([half]).verify(token, at: noon).claims.subject == "ada")
        #expect(throws: KeyProblem.cannotSign) { try TokenSigner(half) }
        #expect(try half.privateJWK.json()["d"] == nil)
    }

    @Test("Printing and dumping a key, a signer or a set shows no private part", arguments: SigningAlgorithm.allCases)
    func printing(_ algorithm: SigningAlgorithm) throws {
        let key = try TestKeys.key(algorithm)
        let secret = try #require((TestKeys.jwk(algorithm)["d"] ?? TestKeys.jwk(algorithm)["k"])?.stringValue)
        let set = try KeySet([key], keyForTokensWithoutID: TestKeys.key(.hs256))
        var text = "\(key) \(String(reflecting: key)) \(set) \(try TokenSigner(key))"
        dump(key, to: &text)
        dump(set, to: &text)
        dump(try TokenSigner(key), to: &text)
        #expect(!text.contains(secret))
        #expect(!text.contains("backing"))
        #expect(text.contains("<\(algorithm.rawValue) key \(algorithm.rawValue)>"))
    }

    @Test("The id of a new key is an argument of a command, not an option")
    func newIdentifiers() {
        // One thumbprint in 64 begins with "-".
        #expect((0..<1_000).allSatisfy { _ in JSONWebKey.newES256().id?.hasPrefix("-") == false })
    }

    @Test("A new ES256 key is named by its thumbprint by default")
    func newKeys() throws {
        let key = JSONWebKey.newES256()
        #expect(key.id == key.thumbprint)
        #expect(key.id != JSONWebKey.newES256().id)
        #expect(JSONWebKey.newES256(id: "mine").id == "mine")
        let number = try #require(Base64URL.decode(Specified.es256["d"]?.stringValue ?? ""))
        let given = try JSONWebKey(es256: number)
        #expect(try given.thumbprint == JSONWebKey(Specified.es256).thumbprint)
        #expect(given.maySign)
        for wrong in [[], [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), number + [0]] {
            #expect(throws: KeyProblem.malformedMember("d")) { try JSONWebKey(es256: wrong) }
        }
    }

    @Test("A secret of 32 bytes is an HMAC key, and one of 31 is not")
    func secrets() throws {
        #expect(try JSONWebKey(hs256: Secret(String(repeating: "s", count: 32))).algorithm == .hs256)
        #expect(throws: KeyProblem.secretTooShort(bytes: 31)) {
            try JSONWebKey(hs256: Secret(String(repeating: "s", count: 31)))
        }
    }

    @Test("Without alg a key has the usual algorithm of its type")
    func usualAlgorithm() throws {
        let keys = [Specified.hs256, Specified.rs256, Specified.es256, Specified.es512, Specified.edDSA]
        #expect(try keys.map { try JSONWebKey($0).algorithm } == [.hs256, .rs256, .es256, .es512, .edDSA])
    }

    @Test("A modulus with leading zeros is the same key")
    func leadingZeros() throws {
        let modulus = try #require(Base64URL.decode(Specified.thumbprinted["n"]?.stringValue ?? ""))
        let padded = Specified.thumbprinted.with(["n": .string(Base64URL.text([0, 0] + modulus))])
        #expect(try JSONWebKey(padded).thumbprint == JSONWebKey(Specified.thumbprinted).thumbprint)
    }

    @Test("A set refuses keys without a name, duplicate names, and default keys that are not HS256")
    func sets() throws {
        let (hmac, curve) = (try TestKeys.key(.hs256), try TestKeys.key(.es256))
        #expect(throws: KeyProblem.missingID) { try KeySet([JSONWebKey(Specified.es256)]) }
        #expect(throws: KeyProblem.duplicateID("ES256")) { try KeySet([curve, hmac, curve]) }
        #expect(throws: KeyProblem.unfitForTokensWithoutID) { try KeySet([hmac], keyForTokensWithoutID: curve) }
        let other = try JSONWebKey(hs256: Secret(String(repeating: "s", count: 32)), id: "HS256")
        #expect(throws: KeyProblem.duplicateID("HS256")) { try KeySet([hmac], keyForTokensWithoutID: other) }
        let set = try KeySet([curve], keyForTokensWithoutID: hmac)
        #expect(set["HS256"]?.algorithm == .hs256)
        #expect(try set == KeySet([hmac, curve], keyForTokensWithoutID: hmac))
        #expect(try set != KeySet([hmac, curve]))
        #expect(try set != KeySet([curve], keyForTokensWithoutID: JSONWebKey(Specified.hs256)))
    }
}

extension Secret {
    func json() throws -> AuthJSON { try JSONReader.read(reveal()) }
}
