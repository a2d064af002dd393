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

    /// One count.
    package struct Counted: Sendable {
        let bucket: String
        let digest: [UInt8]
        let rate: Rate

        package init(_ bucket: String, key: String, _ rate: Rate) {
            self.bucket = bucket
            digest = TokenDigest.of(Secret(key))
            self.rate = rate
        }
    }

    /// Takes a try.
    ///
    /// - Returns: nil when there was one, else how long until there is.
    /// - Throws: What the database throws; nothing was counted then.
    package func take(_ bucket: String, key: String, _ rate: Rate, at now: Instant) async throws -> Duration? {
        let counted = Counted(bucket, key: key, rate)
        return try await database.write { db in
            let found = try db.fullTimes(of: [counted])
            let latest = now + rate.interval * rate.burst
            // What a clock that was ahead has written counts as all of the burst, and no longer.
            let next = max(min(found[0] ?? now, latest), now) + rate.interval
            if next > latest { return next - latest }
            try db.keep([(counted, next)], isNew: found[0] == nil, at: now)
            return nil
        }
    }

    /// For each the instant at which everything is allowed again, nil where nothing was counted. One statement, and
    /// nothing is written.
    package func fullTimes(of counted: [Counted]) async throws -> [Instant?] {
        try await database.read { db in try db.fullTimes(of: counted) }
    }

    /// Counts what has happened already, whether it was allowed or not: all of it in one transaction.
    package func add(_ counted: [Counted], at now: Instant) async throws {
        try await database.write { db in
            let found = try db.fullTimes(of: counted)
            let next = zip(counted, found).map { one, full in
                (one, min(max(full ?? now, now) + one.rate.interval, now + one.rate.interval * one.rate.burst))
            }
            try db.keep(next, isNew: found.contains(nil), at: now)
        }
    }

    /// Forgets what was counted.
    package func forget(_ counted: [Counted]) async throws {
        try await database.write { db in
            for one in counted {
                try db.run("DELETE FROM request_counts WHERE bucket = \(one.bucket) AND digest = \(one.digest)")
            }
        }
    }

    /// For the test of its plan.
    package static func lookup(_ counted: [Counted]) -> SQL {
        let wanted = counted.dropFirst().reduce(condition(counted[0])) { "\($0) OR \(condition($1))" as SQL }
        return "SELECT bucket, digest, full_at FROM request_counts WHERE \(wanted)"
    }

    private static func condition(_ one: Counted) -> SQL {
        "(bucket = \(one.bucket) AND digest = \(one.digest))"
    }
}

extension Connection {
    fileprivate func fullTimes(of counted: [RequestCounts.Counted]) throws -> [Instant?] {
        guard !counted.isEmpty else { return [] }
        let found = try rows(RequestCounts.lookup(counted)) { ($0.text(0), $0.bytes(1), $0.instant(2)) }
        return counted.map { one in found.first { $0.0 == one.bucket && $0.1 == one.digest }?.2 }
    }

    /// - Parameter isNew: Whether a row is added. Twenty that are over go for it: they never pile up.
    fileprivate func keep(_ next: [(RequestCounts.Counted, Instant)], isNew: Bool, at now: Instant) throws {
        if isNew {
            try run(
                """
                DELETE FROM request_counts WHERE (bucket, digest) IN (
                    SELECT bucket, digest FROM request_counts WHERE full_at <= \(now)
                    ORDER BY full_at LIMIT 20 \(.skippingLocked))
                """)
        }
        for (one, full) in next {
            try run(
                """
                INSERT INTO request_counts (bucket, digest, full_at) VALUES (\(one.bucket), \(one.digest), \(full))
                ON CONFLICT (bucket, digest) DO UPDATE SET full_at = excluded.full_at
                """)
        }
    }
}
