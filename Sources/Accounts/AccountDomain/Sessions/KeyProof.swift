package import GatehouseWire

/// A fresh proof of the key that a session's refresh tokens are bound to (RFC 9449).
package struct KeyProof: Sendable {
    /// Of the key (RFC 7638).
    package let thumbprint: String
    /// 16 bytes that no other proof of the key has.
    package let digest: [UInt8]
    /// By the server's clock if the proof has a nonce of the server, else by the client's.
    package let issuedAt: Instant

    package init(thumbprint: String, digest: [UInt8], issuedAt: Instant) {
        self.thumbprint = thumbprint
        self.digest = digest
        self.issuedAt = issuedAt
    }
}

/// The newest proofs of a session, so that none works twice on any node. Older ones than the newest second are refused,
/// which bounds what is stored; an honest client then makes a new one.
package struct UsedProofs: Sendable {
    private static let most = 16

    private let second: Int64
    private let digests: [String]

    /// - Parameter stored: See ``stored``; nil before the first proof.
    package init(stored: String?) {
        let parts = (stored ?? "").split(ascii: " ").map(String.init)
        second = parts.first.flatMap { Int64($0) } ?? .min
        digests = Array(parts.dropFirst())
    }

    private init(second: Int64, digests: [String]) { (self.second, self.digests) = (second, digests) }

    /// Seconds since 1970, then the digests of that second.
    package var stored: String { ([String(second)] + digests).joined(separator: " ") }

    /// nil for a proof that was used, or is older than one that was.
    package func adding(_ proof: KeyProof) -> UsedProofs? {
        let digest = Base64URL.text(proof.digest)
        let time = proof.issuedAt.seconds
        if time > second { return UsedProofs(second: time, digests: [digest]) }
        guard time == second, !digests.contains(digest), digests.count < Self.most else { return nil }
        return UsedProofs(second: second, digests: digests + [digest])
    }
}
