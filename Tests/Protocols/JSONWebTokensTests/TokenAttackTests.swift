import Crypto
import GatehouseWire
import JSONWebTokens
import Testing

@Suite("Refused tokens")
struct TokenAttackTests {
    /// All our keys, and HS256 for tokens without a `kid`.
    private static func keys() throws -> KeySet {
        try KeySet(TestKeys.all(), keyForTokensWithoutID: TestKeys.key(.hs256))
    }

    private func refusal(_ token: String, _ keys: KeySet? = nil) throws -> TokenRejection? {
        let keys = try keys ?? Self.keys()
        do throws(TokenRejection) {
            _ = try keys.verify(token, at: noon)
            return nil
        } catch {
            return error
        }
    }

    private static let good: AuthJSON = ["alg": "ES256", "kid": "ES256", "typ": "JWT"]

    @Test("The forger's own tokens are valid: each attack below fails for its own reason")
    func control() throws {
        #expect(try refusal(token(Self.good, by: .es256)) == nil)
        #expect(try refusal(token(["alg": "HS256", "kid": "HS256"], by: .hs256)) == nil)
        #expect(try refusal(token(["alg": "HS256"], by: .hs256)) == nil)
        #expect(try refusal(token(Self.good.with(["typ": "at+JWT", "cty": "x", "x5t": "y"]), by: .es256)) == nil)
    }

    @Test(
        "No spelling of none, and no unknown or missing algorithm, is accepted",
        arguments: [
            "none", "None", "NONE", "nOnE", "", "hs256", "HS384", "HS512", "es256", "ES256 ", "PS224", "ES256K",
            "Ed25519", "RSA1_5", nil,
        ])
    func algorithms(_ name: String?) throws {
        let header = name.map { Self.good.with(["alg": .string($0)]) } ?? Self.good.without("alg")
        let forged = try token(header, by: .es256)
        #expect(try refusal(forged) == .unsupportedHeader(member: "alg"))
        #expect(try refusal([forged.parts[0], forged.parts[1], ""].token) == .unsupportedHeader(member: "alg"))
        #expect(try refusal(token(Self.good.with(["alg": ["ES256"]]), by: .es256)) == .unsupportedHeader(member: "alg"))
    }

    @Test("A public key is not an HMAC secret, in any form", arguments: ["ES256", "RS256", "EdDSA"])
    func confusion(_ id: String) throws {
        let jwk = try #require(SigningAlgorithm(rawValue: id).map(TestKeys.jwk))
        let bytes = { (name: String) in Base64URL.decode(jwk[name]?.stringValue ?? "") ?? [] }
        var published = JSONWriter()
        try JSONWebKey(jwk).writePublic(to: &published)
        let point = bytes("x") + bytes("y")
        let pem = id == "ES256" ? try P256.Signing.PublicKey(rawRepresentation: point).pemRepresentation : ""
        for secret in [point, [4] + point, bytes("n"), published.bytes, Array(pem.utf8)] {
            let forged = try token(["alg": "HS256", "kid": .string(id)], by: .hmac(secret))
            #expect(try refusal(forged) == .algorithmMismatch)
            let nameless = try token(["alg": "HS256"], by: .hmac(secret))
            #expect(try refusal(nameless) == .badSignature)
        }
    }

    @Test("The header must name the key's own algorithm, even if the signature is right")
    func mismatch() throws {
        for algorithm in SigningAlgorithm.allCases where algorithm != .es256 {
            let header = Self.good.with(["alg": .string(algorithm.rawValue)])
            #expect(try refusal(token(header, by: .es256)) == .algorithmMismatch)
        }
        let rsa = try TokenSigner(TestKeys.key(.rs256)).sign(payload: Array(claims().text.utf8))
        let set = try KeySet([JSONWebKey(TestKeys.jwk(.rs512).with(["kid": "RS256"]))])
        #expect(try refusal(rsa, set) == .algorithmMismatch)
    }

    @Test("An unknown kid is refused although a key would fit; there is no default key")
    func unknownKey() throws {
        for id in ["", "es256", "ES256 ", "../../dev/null", "' OR 1=1"] {
            #expect(
                try refusal(token(Self.good.with(["kid": .string(id)]), by: .es256)) == .unknownKey(PresentedKeyID(id)))
            let hmac: AuthJSON = ["alg": "HS256", "kid": .string(id)]
            #expect(try refusal(token(hmac, by: .hs256)) == .unknownKey(PresentedKeyID(id)))
        }
        #expect(try refusal(token(Self.good.with(["kid": 1]), by: .es256)) == .malformed(.header))
        #expect(try refusal(token(Self.good.with(["kid": .null]), by: .es256)) == .malformed(.header))
        let long = AuthJSON.string(String(repeating: "k", count: 257))
        #expect(try refusal(token(Self.good.with(["kid": long]), by: .es256)) == .malformed(.header))
        let name = String(repeating: "k", count: 257)
        #expect(try refusal(token(Self.good.with([name: 1]), by: .es256)) == .malformed(.header))
    }

    @Test("A refusal's description shows no text of the token")
    func description() throws {
        let rejection = try refusal(token(Self.good.with(["kid": "\u{202E}forged"]), by: .es256))
        let failure = RemoteKeySet.Failure.rejected(try #require(rejection))
        #expect("\(failure)".contains("9 bytes") && !"\(failure)".contains("forged"))
        #expect(!String(reflecting: failure).contains("forged"))
    }

    @Test("Two kids with different bytes are different, even if they look the same")
    func spellings() throws {
        let key = try JSONWebKey(es256: Array(repeating: 7, count: 32), id: "\u{E9}")
        let keys = try KeySet([key])
        #expect(keys["\u{E9}"] != nil && keys["e\u{301}"] == nil)
        let header: AuthJSON = ["alg": "ES256", "kid": "e\u{301}"]
        #expect(try refusal(token(header, by: .es256), keys) == .unknownKey("e\u{301}"))
    }

    @Test("Without a kid only HS256 is accepted, and only with a default key")
    func noKeyID() throws {
        let nameless = try token(Self.good.without("kid"), by: .es256)
        #expect(try refusal(nameless) == .unknownKey(nil))
        #expect(try refusal(nameless, KeySet([TestKeys.key(.es256)])) == .unknownKey(nil))
        let hmac = try token(["alg": "HS256"], by: .hs256)
        #expect(try refusal(hmac, KeySet([TestKeys.key(.es256)])) == .unknownKey(nil))
        #expect(try refusal(hmac, KeySet([TestKeys.key(.hs256)])) == .unknownKey(nil))
        #expect(try refusal(hmac, KeySet([])) == .unknownKey(nil))
    }

    @Test(
        "A token cannot bring its own key or change the rules",
        arguments: ["jku", "jwk", "x5u", "x5c", "crit", "b64"])
    func refusedMembers(_ member: String) throws {
        var key = JSONWriter()
        try TestKeys.key(.es256).writePublic(to: &key)
        for value in [try JSONReader.read(key.bytes), "https://evil.example/keys", ["exp"], [], false, .null] {
            let forged = try token(Self.good.with([member: value]), by: .es256)
            #expect(try refusal(forged) == .unsupportedHeader(member: member))
        }
    }

    @Test("A token with another type than JWT is refused", arguments: ["JWE", "dpop+jwt", "logout+jwt", ""])
    func types(_ type: String) throws {
        let forged = try token(Self.good.with(["typ": .string(type)]), by: .es256)
        #expect(try refusal(forged) == .unsupportedHeader(member: "typ"))
        #expect(try refusal(token(Self.good.with(["typ": 1]), by: .es256)) == .unsupportedHeader(member: "typ"))
    }

    @Test("Any single changed bit is detected", arguments: SigningAlgorithm.allCases)
    func tampering(_ algorithm: SigningAlgorithm) throws {
        let parts = try TokenSigner(TestKeys.key(algorithm)).sign(payload: Array(claims().text.utf8)).parts
        var signature = try #require(Base64URL.decode(parts[2]))
        signature[signature.count / 2] ^= 0x10
        #expect(try refusal([parts[0], parts[1], Base64URL.text(signature)].token) == .badSignature)
        let promoted = claims(["role": "service_role"]).text.encoded
        #expect(try refusal([parts[0], promoted, parts[2]].token) == .badSignature)
        let header = AuthJSON.object(["alg": .string(algorithm.rawValue), "kid": .string(algorithm.rawValue)])
        #expect(try refusal([header.text.encoded, parts[1], parts[2]].token) == .badSignature)
        #expect(try refusal([parts[0], parts[1], ""].token) == .badSignature)
        #expect(try refusal([parts[0], parts[1], Base64URL.text(signature.dropLast())].token) == .badSignature)
        #expect(try refusal([parts[0], parts[1], Base64URL.text(signature + [0])].token) == .badSignature)
        let zeros = [UInt8](repeating: 0, count: signature.count)
        #expect(try refusal([parts[0], parts[1], Base64URL.text(zeros)].token) == .badSignature)
    }

    @Test("An ECDSA signature in DER is refused")
    func derSignature() throws {
        let parts = try token(Self.good, by: .es256).parts
        let raw = try #require(Base64URL.decode(parts[2]))
        let der = try P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation
        #expect(try refusal([parts[0], parts[1], Base64URL.text(Array(der))].token) == .badSignature)
    }

    @Test("The signature has one encoding: stray bits, padding and other characters are refused")
    func spelling() throws {
        let parts = try token(["alg": "HS256"], by: .hs256).parts
        let symbols = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(parts[2].last)
        let next = symbols[(symbols.firstIndex(of: last) ?? 0) + 1]
        for changed in [String(parts[2].dropLast()) + String(next), parts[2] + "=", parts[2] + "\n", " " + parts[2]] {
            #expect(try refusal([parts[0], parts[1], changed].token) == .malformed(.signature))
        }
    }

    @Test("A token has three parts and at most 64 KiB")
    func form() throws {
        let good = try token(Self.good, by: .es256)
        let twoParts = Array(good.parts.dropLast()).token
        for text in ["", ".", "a", "a.b", twoParts, good + ".x", good + ".", "." + good, "...."] {
            #expect(try refusal(text) == .malformed(.whole))
        }
        #expect(try refusal(String(repeating: "a.", count: 40_000)) == .malformed(.whole))
        let huge = claims(["pad": .string(String(repeating: "x", count: 50_000))])
        #expect(try refusal(token(Self.good, huge, by: .es256)) == .malformed(.whole))
        let large = claims(["pad": .string(String(repeating: "x", count: 40_000))])
        #expect(try refusal(token(Self.good, large, by: .es256)) == nil)
        for count in 1..<good.utf8.count where count % 7 == 0 {
            #expect(try refusal(String(good.prefix(count))) != nil)
        }
        #expect(try refusal("..") == .malformed(.header))
    }

    @Test(
        "A header that is not one JSON object is refused",
        arguments: [
            "", "{", "[]", "null", #""ES256""#, #"{"alg":"ES256",}"#, #"{"alg":"ES256"} x"#, "{\"alg\":\"\u{0}\"}",
        ])
    func headers(_ header: String) throws {
        #expect(try refusal(token(header: header, by: .es256)) == .malformed(.header))
    }
}
