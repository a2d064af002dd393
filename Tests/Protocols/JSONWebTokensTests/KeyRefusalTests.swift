import GatehouseWire
import JSONWebTokens
import Testing

@Suite("Keys that are refused")
struct KeyRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let jwk: AuthJSON
        let problem: KeyProblem

        init(_ name: String, _ jwk: AuthJSON, _ problem: KeyProblem) {
            (testDescription, self.jwk, self.problem) = (name, jwk, problem)
        }
    }

    private static let ec = Specified.es256
    private static let rsa = Specified.rs256
    private static let publicEC = ec.without("d")
    private static let otherD: AuthJSON = .string(Base64URL.text([UInt8](repeating: 7, count: 32)))

    static let cases = [
        Case("not an object", ["kty"], .unreadable),
        Case("no kty", ec.without("kty"), .missingMember("kty")),
        Case("kty of a number", ec.with(["kty": 1]), .malformedMember("kty")),
        Case("unknown kty", ec.with(["kty": "AKP"]), .unsupported(member: "kty")),
        Case("unknown curve", ec.with(["crv": "secp256k1"]), .unsupported(member: "crv")),
        Case("curve of another type", ec.with(["crv": "Ed25519"]), .unsupported(member: "crv")),
        Case("null where a member is required", ec.with(["x": .null]), .missingMember("x")),
        Case("unknown alg", ec.with(["alg": "none"]), .unsupported(member: "alg")),
        Case("alg of another type", ec.with(["alg": "HS256"]), .algorithmDoesNotFit),
        Case("alg of another curve", ec.with(["alg": "ES512"]), .algorithmDoesNotFit),
        Case("RSA key for HMAC", rsa.with(["alg": "HS256"]), .algorithmDoesNotFit),
        Case("empty kid", ec.with(["kid": ""]), .malformedMember("kid")),
        Case("kid of a number", ec.with(["kid": 1]), .malformedMember("kid")),
        Case("for encryption", ec.with(["use": "enc"]), .notForSignatures),
        Case("for key agreement", ec.with(["key_ops": ["sign", "deriveKey"]]), .contradictoryOperations),
        Case("for nothing", ec.with(["key_ops": []]), .contradictoryOperations),
        Case("for one thing twice", ec.with(["key_ops": ["sign", "sign"]]), .contradictoryOperations),
        Case("public and to sign", publicEC.with(["key_ops": ["sign"]]), .contradictoryOperations),
        Case("operations as text", ec.with(["key_ops": "sign"]), .malformedMember("key_ops")),
        Case("operations as numbers", ec.with(["key_ops": [1]]), .malformedMember("key_ops")),
        Case("no x", ec.without("x"), .missingMember("x")),
        Case("point not on the curve", ec.with(["x": otherD]), .malformedMember("x")),
        Case("short coordinate", ec.with(["x": "AAAA"]), .malformedMember("x")),
        Case("padded coordinate", ec.with(["y": padded]), .malformedMember("y")),
        Case("d of another key", ec.with(["d": otherD]), .partsDisagree),
        Case("d is zero", ec.with(["d": .string(String(repeating: "A", count: 43))]), .malformedMember("d")),
        Case("Ed25519 d of another key", Specified.edDSA.with(["d": otherD]), .partsDisagree),
        Case("P-521 d of another key", otherP521, .partsDisagree),
        Case("HMAC of 31 bytes", shortSecret, .secretTooShort(bytes: 31)),
        Case("HMAC without secret", ["kty": "oct"], .missingMember("k")),
        Case("RSA of 2040 bits", shortModulus, .modulusTooShort(bits: 2_040)),
        Case("RSA modulus zero", rsa.with(["n": "AAAA"]), .malformedMember("n")),
        Case("RSA even exponent", rsa.with(["e": "Ag"]), .malformedMember("n")),
        Case("RSA exponent one", rsa.with(["e": "AQ"]), .malformedMember("n")),
        Case("RSA d without primes", rsa.without("p"), .missingMember("p")),
        Case("RSA prime one", rsa.with(["p": "AQ"]), .partsDisagree),
        Case("RSA primes equal", rsa.with(["p": rsa["q"] ?? .null]), .partsDisagree),
        Case("RSA d of another key", rsa.with(["d": rsa["p"] ?? .null]), .partsDisagree),
        Case("RSA d without the rest", rsa.without("qi"), .missingMember("qi")),
        Case("RSA of three primes", rsa.with(["oth": []]), .unsupported(member: "oth")),
    ]

    private static let padded: AuthJSON = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0="
    private static let otherP521 = Specified.es512.with([
        "d": .string(Base64URL.text([0] + [UInt8](repeating: 7, count: 65)))
    ])
    private static let shortSecret: AuthJSON = [
        "kty": "oct", "k": .string(Base64URL.text([UInt8](repeating: 7, count: 31))),
    ]
    private static let shortModulus: AuthJSON = [
        "kty": "RSA", "e": "AQAB", "n": .string(Base64URL.text([UInt8](repeating: 0xFF, count: 255))),
    ]

    @Test("The error names the problem, and nothing of the key", arguments: cases)
    func refused(_ refusal: Case) {
        #expect(throws: refusal.problem) { try JSONWebKey(refusal.jwk) }
    }

    @Test("Text that is not JSON is unreadable")
    func notJSON() {
        #expect(throws: KeyProblem.unreadable) { try JSONWebKey(text: Secret("-----BEGIN PRIVATE KEY-----")) }
    }
}
