import AccountDomain
package import GatehouseWire
package import SQLDatabase

/// Rate limits that all nodes share (generic cell rate algorithm). A count is the instant at which the full burst is
/// available again. Each attempt moves it by one interval, and is refused if that is more than a burst into the future.
package struct RequestCounts: Sendable {
    private let database: any Database

    package init(database: any Database) { self.database = database }

    /// One attempt per `interval` on average, at most `burst` in a row.
    package struct Rate: Hashable, Sendable {
        let interval: Duration
        let burst: Int

        /// - Returns: nil for a rate that allows nothing.
        package init?(count: Int, window: Duration, burst: Int) {
            guard count > 0, burst > 0, window > .zero else { return nil }
            interval = window / count
            self.burst = burst
        }

        func latest(at now: Instant) -> Instant { now + interval * burst }
    }

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

    /// - Returns: nil if allowed, otherwise the time until an attempt is.
    package func take(_ bucket: String, key: String, _ rate: Rate, at now: Instant) async throws -> Duration? {
        let counted = Counted(bucket, key: key, rate)
        return try await database.write { db in
            let found = try db.fullTimes(of: [counted], at: now)
            let latest = rate.latest(at: now)
            // A faster clock's instant is at most an exhausted burst.
            let next = max(min(found[0] ?? now, latest), now) + rate.interval
            if next > latest { return next - latest }
            try db.keep([(counted, next)], isNew: found[0] == nil, at: now)
            return nil
        }
    }

    /// When each full burst is available again; nil if nothing was counted. One read, and a transaction if a wrong
    /// clock wrote a count.
    package func fullTimes(of counted: [Counted], at now: Instant) async throws -> [Instant?] {
        guard !counted.isEmpty else { return [] }
        let found = Self.times(of: counted, in: try await database.rows(Self.lookup(counted), Self.found))
        guard zip(counted, found).contains(where: { Self.isWrong($1, $0.rate, at: now) }) else { return found }
        return try await database.write { try $0.fullTimes(of: counted, at: now) }
    }

    /// Whether a wrong clock wrote the instant, which would block its key until then.
    fileprivate static func isWrong(_ full: Instant?, _ rate: Rate, at now: Instant) -> Bool {
        full.map { $0 > rate.latest(at: now) + NodeClocks.difference } ?? false
    }

    /// Counts past attempts, allowed or not.
    package func add(_ counted: [Counted], at now: Instant) async throws {
        try await database.write { db in
            let found = try db.fullTimes(of: counted, at: now)
            let next = zip(counted, found).map { one, full in
                (one, min(max(full ?? now, now) + one.rate.interval, one.rate.latest(at: now)))
            }
            try db.keep(next, isNew: found.contains(nil), at: now)
        }
    }

    package func forget(_ counted: [Counted]) async throws {
        try await database.write { db in
            for one in counted {
                try db.run("DELETE FROM request_counts WHERE bucket = \(one.bucket) AND digest = \(one.digest)")
            }
        }
    }

    /// For the query plan's test.
    package static func lookup(_ counted: [Counted]) -> SQL {
        let wanted = counted.dropFirst().reduce(condition(counted[0])) { "\($0) OR \(condition($1))" as SQL }
        return "SELECT bucket, digest, full_at FROM request_counts WHERE \(wanted)"
    }

    fileprivate typealias Found = (bucket: String, digest: [UInt8], fullAt: Instant)

    @Sendable fileprivate static func found(_ row: inout Row) -> Found { (row.text(), row.bytes(), row.instant()) }

    fileprivate static func times(of counted: [Counted], in found: [Found]) -> [Instant?] {
        counted.map { one in found.first { $0.bucket == one.bucket && $0.digest == one.digest }?.fullAt }
    }

    private static func condition(_ one: Counted) -> SQL {
        "(bucket = \(one.bucket) AND digest = \(one.digest))"
    }
}

extension Connection {
    /// Replaces a wrong clock's instants, which leaves one attempt from now on.
    fileprivate func fullTimes(of counted: [RequestCounts.Counted], at now: Instant) throws -> [Instant?] {
        guard !counted.isEmpty else { return [] }
        let found = RequestCounts.times(of: counted, in: try rows(RequestCounts.lookup(counted), RequestCounts.found))
        return try zip(counted, found).map { one, full in
            guard RequestCounts.isWrong(full, one.rate, at: now) else { return full }
            let corrected = one.rate.latest(at: now) - one.rate.interval
            try keep([(one, corrected)], isNew: false, at: now)
            return corrected
        }
    }

    /// - Parameter isNew: Adds a row and deletes up to 20 expired ones.
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
