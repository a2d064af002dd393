package import GatehouseWire
import SQLDatabase

extension Accounts {
    /// How long a token may be presented again after its first use, in case the response was lost.
    package static let retryTime: Duration = .seconds(60)

    /// Marks an ID token as used.
    ///
    /// - Parameters:
    ///   - digest: Identifies the token; 32 bytes.
    ///   - end: The token's expiry, until which the digest is stored.
    /// - Returns: Whether this is the token's first use or a repetition within ``retryTime``.
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` the token may be marked; repeat the call
    ///   within ``retryTime``.
    package func use(_ digest: [UInt8], until end: Instant, at now: Instant) async throws -> Bool {
        try await database.write { db in
            try db.removeExpired(from: .idTokens, at: now)
            let isFirst = try db.run(
                """
                INSERT INTO used_id_tokens (digest, used_at, expires_at) VALUES (\(digest), \(now), \(end))
                ON CONFLICT (digest) DO NOTHING
                """)
            if isFirst == 1 { return true }
            let used = try db.row(Self.idTokenLookup(digest)) { $0.instant() }
            return used.map { now <= $0 + Self.retryTime } ?? true
        }
    }

    static func idTokenLookup(_ digest: [UInt8]) -> SQL {
        "SELECT used_at FROM used_id_tokens WHERE digest = \(digest)"
    }
}
