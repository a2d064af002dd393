package import GatehouseWire
import SQLDatabase

/// A single-use ID token.
package struct PresentedIDToken: Sendable {
    /// 32 bytes.
    package let digest: [UInt8]
    /// The digest is stored until then.
    package let expiresAt: Instant

    package init(digest: [UInt8], expiresAt: Instant) { (self.digest, self.expiresAt) = (digest, expiresAt) }
}

/// The token was first used more than ``LinkStore/retryTime`` ago.
package struct IDTokenUsed: Error, Sendable {}

extension LinkStore {
    /// How long after its first use a token is accepted again, in case the response was lost.
    package static let retryTime: Duration = .seconds(60)

    static func idTokenLookup(_ digest: [UInt8]) -> SQL {
        "SELECT used_at FROM used_id_tokens WHERE digest = \(digest)"
    }
}

extension Connection {
    /// - Throws: ``IDTokenUsed``.
    func use(_ token: PresentedIDToken?, at now: Instant) throws {
        guard let token else { return }
        try removeExpired(from: .idTokens, at: now)
        let isFirst = try run(
            """
            INSERT INTO used_id_tokens (digest, used_at, expires_at)
            VALUES (\(token.digest), \(now), \(token.expiresAt))
            ON CONFLICT (digest) DO NOTHING
            """)
        if isFirst == 1 { return }
        let used = try row(LinkStore.idTokenLookup(token.digest)) { $0.instant() }
        guard used.map({ now <= $0 + LinkStore.retryTime }) ?? true else { throw IDTokenUsed() }
    }
}
