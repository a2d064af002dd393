import Crypto
package import GatehouseWire

/// To accept an ID token only once.
package struct IDTokenFingerprint: Equatable, Sendable {
    /// Of the signed bytes: a signature can have several encodings.
    package let digest: [UInt8]
    package let expiresAt: Instant

    /// - Returns: nil without `nonce` and `jti`.
    init?(_ token: Secret, _ claims: IDTokenClaims, _ members: AuthJSONObject) {
        let marks = [claims.nonce, members["jti"]?.stringValue]
        guard marks.contains(where: { $0?.isEmpty == false }) else { return nil }
        let text = token.reveal().utf8
        guard let end = text.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        digest = Array(SHA256.hash(data: Array(text[..<end])))
        expiresAt = claims.expiresAt
    }
}
