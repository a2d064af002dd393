import AccountDomain
package import GatehouseWire
package import SQLDatabase

/// Counts that all nodes share: how often an address or an account may still try. Kept as one instant for each, the
/// one at which everything is allowed again: each try puts it off by an interval, and a try is refused when it would
/// lie more than the burst's worth of intervals ahead.
package struct RequestCounts: Sendable {
    private let database: any Database

    package init(database: any Database) { self.database = database }

    /// One try in `interval` on average, `burst` at once.
    package struct Rate: Hashable, Sendable {
        let interval: Duration
        let burst: Int

        /// - Returns: nil for a rate that allows nothing.
        package init?(count: Int, window: Duration, burst: Int) {
            guard count > 0, burst > 0, window > .zero else { return nil }
            interval = window / count
            self.burst = burst
        }
    }

    /// Takes a try, or with `takes` false looks whether there is one.
    ///
    /// - Returns: nil when there was one, else how long until there is.
    /// - Throws: What the database throws; nothing was counted then.
    package func take(
        _ bucket: String, key: String, _ rate: Rate, takes: Bool, at now: Instant
    ) async throws -> Duration? {
        let digest = TokenDigest.of(Secret(key))
        return try await database.write { db in
            let found = try db.row(Self.lookup(bucket, digest)) { $0.instant(0) }
            let latest = now + rate.interval * rate.burst
            // What a clock that was ahead has written counts as all of the burst, and no longer.
            let next = max(min(found ?? now, latest), now) + rate.interval
            if next > latest { return next - latest }
            guard takes else { return nil }
            if found == nil { try Self.removeSome(at: now, in: db) }
            try db.run(
                """
                INSERT INTO request_counts (bucket, digest, full_at) VALUES (\(bucket), \(digest), \(next))
                ON CONFLICT (bucket, digest) DO UPDATE SET full_at = excluded.full_at
                """)
            return nil
        }
    }

    /// Puts a try back.
    package func giveBack(_ bucket: String, key: String, _ rate: Rate) async throws {
        let digest = TokenDigest.of(Secret(key))
        try await database.write { db in
            guard let found = try db.row(Self.lookup(bucket, digest), { $0.instant(0) }) else { return }
            try db.run(
                """
                UPDATE request_counts SET full_at = \(found - rate.interval)
                WHERE bucket = \(bucket) AND digest = \(digest)
                """)
        }
    }

    /// Forgets what was counted of one.
    package func reset(_ bucket: String, key: String) async throws {
        let digest = TokenDigest.of(Secret(key))
        _ = try await database.write { db in
            try db.run("DELETE FROM request_counts WHERE bucket = \(bucket) AND digest = \(digest)")
        }
    }

    /// For the test of its plan.
    package static func lookup(_ bucket: String, _ digest: [UInt8]) -> SQL {
        "SELECT full_at FROM request_counts WHERE bucket = \(bucket) AND digest = \(digest)"
    }

    /// Twenty that are over, for one that is added: they never pile up.
    private static func removeSome(at now: Instant, in db: any Connection) throws {
        try db.run(
            """
            DELETE FROM request_counts WHERE (bucket, digest) IN (
                SELECT bucket, digest FROM request_counts WHERE full_at <= \(now)
                ORDER BY full_at LIMIT 20 \(.skippingLocked))
            """)
    }
}
