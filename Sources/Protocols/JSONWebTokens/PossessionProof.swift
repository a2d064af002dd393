import Crypto
package import GatehouseWire

/// A DPoP proof (RFC 9449 §4.2) with a valid signature of the key that it names. Its content is not yet checked.
package struct PossessionProof: Sendable {
    /// In bytes: a proof has about 400.
    package static let maximumLength = 4_096
    /// One signature's cost is the same for each.
    package static let algorithms = ["ES256", "EdDSA"]

    /// RFC 7638, with SHA-256.
    package let thumbprint: String
    package let method: String
    package let target: String
    /// SHA-256 of `jti`, which may have any length.
    package let digest: [UInt8]
    package let issuedAt: Instant
    package let nonce: String?
    /// `ath`.
    package let accessTokenHash: String?

    /// - Throws: ``TokenRejection``.
    package init(_ text: String) throws(TokenRejection) {
        guard text.utf8.count <= Self.maximumLength else { throw .malformed(.whole) }
        let token = try CompactToken(text)
        let header = try CompactToken.object(token.header, .header)
        guard header["typ"]?.stringValue?.lowercased() == "dpop+jwt" else { throw .unsupportedHeader(member: "typ") }
        for name in ["crit", "b64", "jku", "x5u", "x5c"] where header[name] != nil {
            throw .unsupportedHeader(member: name)
        }
        guard let algorithm = header["alg"]?.stringValue, Self.algorithms.contains(algorithm) else {
            throw .unsupportedHeader(member: "alg")
        }
        let key = try Self.key(header["jwk"], algorithm)
        guard key.isValid(try CompactToken.bytes(token.signature, .signature), for: token.signingInput) else {
            throw .badSignature
        }
        thumbprint = key.thumbprint
        let members = try CompactToken.object(token.payload, .payload)
        let claims = ClaimReader(members: members)
        guard let id = members["jti"]?.stringValue, !id.isEmpty else { throw .missingClaim("jti") }
        digest = Array(SHA256.hash(data: Array(id.utf8)).prefix(16))
        guard let method = members["htm"]?.stringValue else { throw .missingClaim("htm") }
        guard let target = members["htu"]?.stringValue else { throw .missingClaim("htu") }
        guard let issuedAt = try claims.time("iat") else { throw .missingClaim("iat") }
        (self.method, self.target, self.issuedAt) = (method, target, issuedAt)
        nonce = members["nonce"]?.stringValue
        accessTokenHash = members["ath"]?.stringValue
    }

    /// A public key of the named algorithm, without a private part (RFC 9449 §4.3, point 7).
    private static func key(_ jwk: AuthJSON?, _ algorithm: String) throws(TokenRejection) -> JSONWebKey {
        guard let jwk, jwk["d"] == nil, jwk["k"] == nil else { throw .unsupportedHeader(member: "jwk") }
        do throws(KeyProblem) {
            let key = try JSONWebKey(jwk)
            guard key.algorithm.rawValue == algorithm else { throw .algorithmDoesNotFit }
            return key
        } catch {
            throw .unsupportedHeader(member: "jwk")
        }
    }

    /// Whether the proof is for an access token (RFC 9449 §4.2).
    package func isFor(accessToken: String) -> Bool {
        accessTokenHash == Base64URL.text(Array(SHA256.hash(data: Array(accessToken.utf8))))
    }
}
