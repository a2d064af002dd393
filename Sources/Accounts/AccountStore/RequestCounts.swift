import AccountDomain
package import GatehouseWire
package import SQLDatabase

/// Rate limits that all nodes share. Each count is stored as one instant, at which the full burst is available again.
/// Every attempt moves it by one interval, and an attempt that would move it more than a burst into the future is
/// refused (generic cell rate algorithm).
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

    /// The count of one key.
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

    /// Takes one attempt.
    ///
    /// - Returns: nil if it is allowed, otherwise the time until one is.
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` the attempt may have been counted.
    package func take(_ bucket: String, key: String, _ rate: Rate, at now: Instant) async throws -> Duration? {
        let counted = Counted(bucket, key: key, rate)
        return try await database.write { db in
            let found = try db.fullTimes(of: [counted], at: now)
            let latest = rate.latest(at: now)
            // An instant that a faster clock wrote counts as an exhausted burst, not more.
            let next = max(min(found[0] ?? now, latest), now) + rate.interval
            if next > latest { return next - latest }
            try db.keep([(counted, next)], isNew: found[0] == nil, at: now)
            return nil
        }
    }

    /// Returns for each count the instant at which the full burst is available again, nil if nothing was counted. One
    /// read statement, and a transaction if a count is from a clock that was wrong.
    ///
    /// - Throws: ``DatabaseFailure``.
    package func fullTimes(of counted: [Counted], at now: Instant) async throws -> [Instant?] {
        guard !counted.isEmpty else { return [] }
        let found = Self.times(of: counted, in: try await database.rows(Self.lookup(counted), Self.found))
        guard zip(counted, found).contains(where: { Self.isWrong($1, $0.rate, at: now) }) else { return found }
        return try await database.write { try $0.fullTimes(of: counted, at: now) }
    }

    /// Whether an instant was stored while a clock was wrong. It would shut its key until that time returns.
    fileprivate static func isWrong(_ full: Instant?, _ rate: Rate, at now: Instant) -> Bool {
        full.map { $0 > rate.latest(at: now) + NodeClocks.difference } ?? false
    }

    /// Counts attempts that already happened, allowed or not, in one transaction.
    ///
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` the attempts may have been counted.
    package func add(_ counted: [Counted], at now: Instant) async throws {
        try await database.write { db in
            let found = try db.fullTimes(of: counted, at: now)
            let next = zip(counted, found).map { one, full in
                (one, min(max(full ?? now, now) + one.rate.interval, one.rate.latest(at: now)))
            }
            try db.keep(next, isNew: found.contains(nil), at: now)
        }
    }

    /// Deletes the counts.
    ///
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` the counts may be gone.
    package func forget(_ counted: [Counted]) async throws {
        try await database.write { db in
            for one in counted {
                try db.run("DELETE FROM request_counts WHERE bucket = \(one.bucket) AND digest = \(one.digest)")
            }
        }
    }

    /// For the test of the query plan.
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
    /// Replaces instants of a clock that was wrong: they leave one attempt from now on.
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

    /// - Parameter isNew: Adds a row and deletes up to 20 expired ones, so that they do not accumulate.
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
