import Crypto
import GatehouseWire
import JSONWebTokens

/// 2026-03-01T12:00:00Z
let noon = Instant(seconds: 1_772_366_400)

extension AuthJSON {
    /// The object with members set.
    func with(_ changes: AuthJSONObject) -> AuthJSON {
        .object((objectValue ?? [:]).merging(changes) { _, new in new })
    }

    func without(_ name: String) -> AuthJSON { .object((objectValue ?? [:]).filter { $0.key != name }) }
}

/// One per algorithm.
enum TestKeys {
    static func all() throws -> [JSONWebKey] { try SigningAlgorithm.allCases.map(key) }

    static func jwk(_ algorithm: SigningAlgorithm) -> AuthJSON {
        let key =
            switch algorithm {
            case .hs256: Specified.hs256
            case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: Specified.rs256
            case .es256: Specified.es256
            case .es384: ForeignSignatures.es384
            case .es512: Specified.es512
            case .edDSA: Specified.edDSA
            }
        return key.with(["alg": .string(algorithm.rawValue), "kid": .string(algorithm.rawValue)])
    }

    static func key(_ algorithm: SigningAlgorithm) throws -> JSONWebKey { try JSONWebKey(jwk(algorithm)) }
}

/// Valid at noon and for an hour.
func claims(_ changes: AuthJSONObject = [:]) -> AuthJSON {
    let usual: AuthJSON = [
        "sub": "ada", "iss": "https://auth.example.org", "aud": "authenticated", "role": "authenticated",
        "session_id": "one", "iat": .integer(noon.seconds), "exp": .integer(noon.seconds + 3_600),
    ]
    return usual.with(changes)
}

/// A valid signature over any header and payload, as an attacker with a key could create it. Signed without our code.
func token(_ header: AuthJSON, _ payload: AuthJSON = claims(), by forger: Forger) throws -> String {
    try token(header: header.text, payload: payload.text, by: forger)
}

func token(header: String, payload: String = claims().text, by forger: Forger) throws -> String {
    let input = header.encoded + "." + payload.encoded
    return try input + "." + Base64URL.text(forger.sign(Array(input.utf8)))
}

enum Forger {
    case hmac([UInt8])
    case es256

    /// The HMAC key of ``TestKeys``.
    static var hs256: Forger { .hmac(Base64URL.decode(Specified.hs256["k"]?.stringValue ?? "") ?? []) }

    func sign(_ input: [UInt8]) throws -> [UInt8] {
        switch self {
        case .hmac(let secret):
            return Array(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: secret)))
        case .es256:
            let secret = Base64URL.decode(Specified.es256["d"]?.stringValue ?? "") ?? []
            let key = try P256.Signing.PrivateKey(rawRepresentation: secret)
            return try Array(key.signature(for: input).rawRepresentation)
        }
    }
}

extension Array where Element == String {
    var token: String { joined(separator: ".") }
}

extension String {
    var parts: [String] { split(separator: ".", omittingEmptySubsequences: false).map(String.init) }
    /// Base64url of the text.
    var encoded: String { Base64URL.text(Array(utf8)) }
}
