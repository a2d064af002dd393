package import GatehouseWire
import SQLDatabase

extension Accounts {
    /// How long after its first use a token is taken again: the answer may have been lost on its way.
    package static let retryTime: Duration = .seconds(60)

    /// Uses up an ID token. A later caller gets nothing for it.
    ///
    /// - Parameters:
    ///   - digest: What tells it from all others, 32 bytes.
    ///   - end: It is remembered until then; nobody accepts it afterwards.
    /// - Returns: Whether this is its first use, or a repetition within ``retryTime``.
    package func use(_ digest: [UInt8], until end: Instant, at now: Instant) async throws -> Bool {
        try await database.write { db in
            try db.removeExpired(from: .idTokens, at: now)
            let isFirst = try db.run(
                """
                INSERT INTO used_id_tokens (digest, used_at, expires_at) VALUES (\(digest), \(now), \(end))
                ON CONFLICT (digest) DO NOTHING
                """)
            if isFirst == 1 { return true }
            let used = try db.row(Self.idTokenLookup(digest)) { $0.instant(0) }
            return used.map { now <= $0 + Self.retryTime } ?? true
        }
    }

    static func idTokenLookup(_ digest: [UInt8]) -> SQL {
        "SELECT used_at FROM used_id_tokens WHERE digest = \(digest)"
    }
}
