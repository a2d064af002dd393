import Crypto
import GatehouseWire
import HTTPTypes
import JSONWebTokens

struct ClientSecretCheck: Sendable {
    /// Six months, by Apple's definition.
    static let maximumLifetime: Duration = .seconds(15_777_000)
    private static let leeway: Duration = .seconds(60)

    let teamID: String
    private let keys: KeySet

    init(teamID: String, keyID: String, _ key: P256.Signing.PublicKey) throws {
        self.teamID = teamID
        let point = Array(key.rawRepresentation)
        let jwk: AuthJSON = [
            "kty": "EC", "crv": "P-256", "kid": .string(keyID), "x": .string(Base64URL.text(Array(point.prefix(32)))),
            "y": .string(Base64URL.text(Array(point.suffix(32)))),
        ]
        keys = try KeySet([JSONWebKey(jwk)])
    }

    /// - Throws: `invalid_client` (400).
    func check(_ secret: String, of client: String, at now: Instant) throws(OAuthRefusal) {
        let token: VerifiedToken
        do { token = try keys.verify(secret, at: now) } catch { throw Self.refusal(Self.sentence(error)) }
        let claims = token.claims
        guard claims.issuer == teamID else { throw Self.refusal("iss has to be the team id.") }
        guard claims.subject == client else { throw Self.refusal("sub has to be the client_id.") }
        guard claims.audience == [StandInRegistration.Apple.secretAudience] else {
            throw Self.refusal("aud has to be \(StandInRegistration.Apple.secretAudience).")
        }
        guard let issuedAt = claims.issuedAt else { throw Self.refusal("iat is missing.") }
        guard issuedAt <= now + Self.leeway else { throw Self.refusal("iat has not come yet.") }
        guard let end = claims.expiresAt, end <= now + Self.maximumLifetime else {
            throw Self.refusal("exp is more than six months away.")
        }
    }

    static func refusal(_ problem: String) -> OAuthRefusal {
        OAuthRefusal(.badRequest, "invalid_client", "client_secret: \(problem)")
    }

    private static func sentence(_ rejection: TokenRejection) -> String {
        switch rejection {
        case .malformed: "it is not a signed token."
        case .unsupportedHeader(let member): "its header has a \(member) that is not accepted."
        case .unknownKey: "kid has to be the id of the registered key."
        case .algorithmMismatch: "alg has to be ES256."
        case .badSignature: "it was not signed with the registered key."
        case .missingClaim(let claim): "\(claim) is missing."
        case .malformedClaim(let claim): "\(claim) has the wrong type."
        case .expired: "exp is over."
        case .notYetValid: "nbf has not come yet."
        case .wrongIssuer: "iss has to be the team id."
        case .wrongAudience: "aud has to be \(StandInRegistration.Apple.secretAudience)."
        case .revoked: "it was revoked."
        }
    }
}
