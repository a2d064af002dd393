import Crypto
package import GatehouseWire

/// What tells one ID token from all others, for those who take each once.
package struct IDTokenMark: Equatable, Sendable {
    /// SHA-256 of what is signed: a signature can be written in several ways, the rest cannot.
    package let digest: [UInt8]
    /// Its `exp`: nobody accepts it after that.
    package let expiresAt: Instant

    /// - Parameter token: One whose signature is right.
    /// - Returns: nil for one with neither `nonce` nor `jti`.
    init?(_ token: Secret, _ claims: IDTokenClaims, _ members: JSONObject) {
        let marks = [claims.nonce, members["jti"]?.stringValue]
        guard marks.contains(where: { $0?.isEmpty == false }) else { return nil }
        let text = token.reveal().utf8
        guard let end = text.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        digest = Array(SHA256.hash(data: Array(text[..<end])))
        expiresAt = claims.expiresAt
    }
}
