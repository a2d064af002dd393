package import AccountDomain
package import GatehouseWire
import SQLDatabase

package struct DeliveryStatus: Sendable {
    package let id: String
    package let endpoint: String
    package let kind: String
    package let user: String
    /// `queued`, `delivered` or `failed`.
    package let state: String
    package let reason: String?
    package let attempts: Int
    package let nextAt: Instant
    package let createdAt: Instant
    package let endedAt: Instant?
}

package enum DeliveryChoice: Sendable {
    /// With the user's other queued deliveries to the same endpoint, which keep their order.
    case one(String)
    case failed(endpoint: String)
    case waiting(endpoint: String)
}

extension EventStore {
    /// Newest first.
    ///
    /// - Parameter endpoint: nil for all.
    package func deliveries(to endpoint: String? = nil, limit: Int) async throws -> [DeliveryStatus] {
        try await database.rows(
            """
            SELECT id, endpoint, kind, user_id, state, reason, attempts, next_at, created_at, ended_at
            FROM webhook_deliveries WHERE \(Self.isTo(endpoint)) ORDER BY created_at DESC, id DESC LIMIT \(limit)
            """
        ) { row in
            DeliveryStatus(
                id: row.text(), endpoint: row.text(), kind: row.text(), user: row.text(), state: row.text(),
                reason: row.textIfPresent(), attempts: Int(row.int()), nextAt: row.instant(),
                createdAt: row.instant(), endedAt: row.instantIfPresent())
        }
    }

    private static func isTo(_ endpoint: String?) -> SQL {
        guard let endpoint else { return "1 = 1" }
        return "endpoint = \(endpoint)"
    }

    /// For metrics and `hooks list`.
    package func deliveryBacklog(of endpoint: String) async throws -> (count: Int, oldest: Instant?) {
        try await database.row(
            """
            SELECT count(*), min(created_at) FROM webhook_deliveries
            WHERE state = 'queued' AND endpoint = \(endpoint)
            """
        ) { (Int($0.int()), $0.instantIfPresent()) } ?? (0, nil)
    }

    /// Omits endpoints without queued deliveries.
    package func waitingDeliveries() async throws -> [(endpoint: String, count: Int)] {
        try await database.rows(
            "SELECT endpoint, count(*) FROM webhook_deliveries WHERE state = 'queued' GROUP BY endpoint"
        ) { (endpoint: $0.text(), count: Int($0.int())) }
    }

    /// Endpoints with events that failed and wait for their next attempt, with the oldest one's time and reason.
    package func failingWebhooks() async throws -> [(endpoint: String, waiting: Int, since: Instant, reason: String)] {
        try await database.read { db in
            let found = try db.rows(
                """
                SELECT endpoint, count(*), min(created_at) FROM webhook_deliveries
                WHERE state = 'queued' AND reason IS NOT NULL GROUP BY endpoint ORDER BY endpoint
                """
            ) { (endpoint: $0.text(), waiting: Int($0.int()), since: $0.instant()) }
            return try found.map { webhook in
                let reason = try db.row(
                    """
                    SELECT reason FROM webhook_deliveries
                    WHERE state = 'queued' AND endpoint = \(webhook.endpoint) AND reason IS NOT NULL
                        AND created_at = \(webhook.since) LIMIT 1
                    """
                ) { $0.text() }
                return (webhook.endpoint, webhook.waiting, webhook.since, reason ?? "")
            }
        }
    }

    /// Failed ones among the newest.
    package func deliverySummary(ofNewest limit: Int) async throws -> (waiting: Int, failed: Int) {
        try await database.row(
            """
            SELECT (SELECT count(*) FROM webhook_deliveries WHERE state = 'queued'),
                (SELECT count(*) FROM (
                    SELECT state FROM webhook_deliveries ORDER BY created_at DESC, id DESC LIMIT \(limit)) AS newest
                WHERE state = 'failed')
            """
        ) { (Int($0.int()), Int($0.int())) } ?? (0, 0)
    }

    /// Queues ended deliveries again, with the same id and zero attempts, or makes queued ones due. One transaction per
    /// batch. After an error, another call queues the rest.
    ///
    /// - Parameters:
    ///   - entry: Recorded if there is a delivery.
    ///   - limit: Per batch. Deliveries that ended at the same time are not separated.
    package func replay(
        _ choice: DeliveryChoice, recording entry: AuditEntry? = nil, limit: Int = 500, at now: Instant
    ) async throws -> Int {
        switch choice {
        case .one(let id):
            let replayed = try await replay(where: "id = \(id)", recording: entry, at: now)
            guard replayed == 0 else { return replayed }
            let (user, endpoint): (SQL, SQL) = (
                "SELECT user_id FROM webhook_deliveries WHERE id = \(id)",
                "SELECT endpoint FROM webhook_deliveries WHERE id = \(id)"
            )
            return try await makeDue(
                where: "user_id = (\(user)) AND ended_at IS NULL AND endpoint = (\(endpoint))", recording: entry,
                at: now)
        case .waiting(let endpoint):
            return try await makeDue(where: "endpoint = \(endpoint)", recording: entry, at: now)
        case .failed(let endpoint):
            // A delivery that fails again in between ends between the two periods, unless a clock is wrong.
            let past = try await replay(
                endpoint, from: Instant(seconds: 0), until: now, limit: limit, recording: entry, at: now)
            let ahead = try await replay(
                endpoint, from: now + NodeClocks.difference, until: Instant(seconds: 253_402_300_799), limit: limit,
                recording: past > 0 ? nil : entry, at: now)
            return past + ahead
        }
    }

    /// Deliveries may have ended in the future, because a clock was ahead.
    private func replay(
        _ endpoint: String, from first: Instant, until last: Instant, limit: Int, recording entry: AuditEntry?,
        at now: Instant
    ) async throws -> Int {
        var (count, next, entry) = (0, first, entry)
        while let (first, end) = try await endsOfFailed(endpoint, from: next, until: last, limit: limit) {
            let replayed = try await replay(
                where: """
                    state = 'failed' AND endpoint = \(endpoint) AND ended_at >= \(first) AND ended_at <= \(end)
                    """,
                recording: entry, at: now)
            if replayed > 0 { entry = nil }
            (count, next) = (count + replayed, end + .microseconds(1))
        }
        return count
    }

    private func replay(where condition: SQL, recording entry: AuditEntry?, at now: Instant) async throws -> Int {
        try await database.write { db in
            let count = try db.run(
                """
                UPDATE webhook_deliveries SET state = 'queued', reason = NULL, attempts = 0, next_at = \(now),
                    expires_at = \(now + WebhookSchedule.lifetime), ended_at = NULL
                WHERE state <> 'queued' AND \(condition)
                """)
            return try accounts.mailQueue.recorded(entry, of: count, at: now, in: db)
        }
    }

    /// Except those that a node is delivering, which have attempts and no reason.
    private func makeDue(where condition: SQL, recording entry: AuditEntry?, at now: Instant) async throws -> Int {
        try await database.write { db in
            let count = try db.run(
                """
                UPDATE webhook_deliveries SET next_at = \(now)
                WHERE state = 'queued' AND \(condition) AND next_at > \(now) AND (attempts = 0 OR reason IS NOT NULL)
                """)
            return try accounts.mailQueue.recorded(entry, of: count, at: now, in: db)
        }
    }

    /// When the first and the last failed delivery of a batch ended; nil without any.
    private func endsOfFailed(
        _ endpoint: String, from first: Instant, until last: Instant, limit: Int
    ) async throws -> (first: Instant, last: Instant)? {
        let ends = try await database.rows(
            """
            SELECT ended_at FROM webhook_deliveries
            WHERE state <> 'queued' AND state = 'failed' AND endpoint = \(endpoint)
                AND ended_at >= \(first) AND ended_at <= \(last)
            ORDER BY ended_at LIMIT \(limit)
            """
        ) { $0.instant() }
        guard let first = ends.first, let last = ends.last else { return nil }
        return (first, last)
    }

    /// Ends queued deliveries to an endpoint that is disabled or no longer configured.
    ///
    /// - Returns: Their number. Call again until it is 0.
    package func endDeliveries(
        to endpoint: String, reason: String, limit: Int = 500, at now: Instant
    ) async throws -> Int {
        guard try await database.row(Self.queued(endpoint, limit: 1), { $0.text() }) != nil else { return 0 }
        return try await database.writeCommitted { db in
            try db.run(
                """
                UPDATE webhook_deliveries SET state = 'failed', reason = \(reason), ended_at = \(now)
                WHERE id IN (\(Self.queued(endpoint, limit: limit)) \(.skippingLocked))
                """)
        }
    }

    private static func queued(_ endpoint: String, limit: Int) -> SQL {
        "SELECT id FROM webhook_deliveries WHERE state = 'queued' AND endpoint = \(endpoint) LIMIT \(limit)"
    }
}

extension Connection {
    /// Ends deliveries that no node works on, such as those of an endpoint that left the settings.
    func endExpiredDeliveries(at now: Instant, limit: Int) throws -> Int {
        try run(
            """
            UPDATE webhook_deliveries SET state = 'failed', reason = 'expired', ended_at = \(now)
            WHERE id IN (
                SELECT id FROM webhook_deliveries
                WHERE state = 'queued' AND expires_at <= \(now - WebhookSchedule.lease)
                ORDER BY expires_at LIMIT \(limit) \(.skippingLocked))
            """)
    }
}
