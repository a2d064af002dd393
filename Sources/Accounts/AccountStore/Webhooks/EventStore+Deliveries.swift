package import AccountDomain
import Crypto
package import GatehouseWire
import SQLDatabase

package struct ClaimedDelivery: Sendable {
    let id: Identifier<ClaimedDelivery>
    /// From 1. Also identifies the lease.
    package let attempt: Int
    let user: UserID
    let endpoint: String
    let kind: String
    package let expiresAt: Instant
    /// nil if this configuration cannot open it.
    package let body: [UInt8]?

    /// The same in all attempts.
    package var messageID: String { id.text }
}

/// Reasons are for the operator.
package enum DeliveryResult: Equatable, Sendable {
    case delivered
    /// Retried until the event expires.
    case failed(reason: String)
    /// 410: the endpoint wants no more events.
    case gone
}

extension EventStore {
    /// Leases due deliveries. A delivery waits for the user's earlier ones to the same endpoint. After a crash, another
    /// node takes over when the lease expires.
    package func takeDeliveries(
        to endpoint: String, limit: Int, at now: Instant
    ) async throws -> [ClaimedDelivery] {
        // Writes nothing while nothing is due.
        guard try await database.row(Self.dueDeliveries(endpoint, limit: 1, at: now), { $0.text() }) != nil else {
            return []
        }
        return try await database.writeCommitted { db in
            try db.rows(
                """
                UPDATE webhook_deliveries
                SET attempts = attempts + 1, next_at = \(now + WebhookSchedule.lease), reason = NULL
                WHERE id IN (\(Self.dueDeliveries(endpoint, limit: limit, at: now)) \(.skippingLocked))
                RETURNING id, attempts, user_id, endpoint, kind, expires_at, sealed
                """
            ) { row in
                let id: Identifier<ClaimedDelivery> = row.id()
                let (attempt, user, endpoint) = (Int(row.int()), row.id() as UserID, row.text())
                return ClaimedDelivery(
                    id: id, attempt: attempt, user: user, endpoint: endpoint, kind: row.text(),
                    expiresAt: row.instant(), body: eventBody(id, row.bytes()))
            }
        }
    }

    private func eventBody(_ id: Identifier<ClaimedDelivery>, _ sealed: [UInt8]) -> [UInt8]? {
        // Ignored: retried until it expires, in case a missing secret is restored.
        (try? accounts.links.unseal(sealed, as: Self.eventSeal, id.bytes)).map { Array($0.text.utf8) }
    }

    /// With `OFFSET` for PostgreSQL: see ``dueMails(_:limit:at:)``.
    static func dueDeliveries(_ endpoint: String, limit: Int, at now: Instant) -> SQL {
        """
        SELECT id FROM webhook_deliveries
        WHERE state = 'queued' AND endpoint = \(endpoint) AND next_at <= \(now) AND NOT EXISTS (
            SELECT 1 FROM webhook_deliveries AS earlier
            WHERE earlier.ended_at IS NULL AND earlier.user_id = webhook_deliveries.user_id
                AND earlier.created_at < webhook_deliveries.created_at
                AND earlier.endpoint = webhook_deliveries.endpoint
            LIMIT 1 OFFSET 0)
        ORDER BY next_at, id LIMIT \(limit)
        """
    }

    /// Ignores results for deliveries that another node has. If a report is lost, the delivery is repeated when its
    /// lease expires.
    ///
    /// - Parameter chances: Random, from 0 to 1; they spread the next attempts.
    package func report(
        _ results: [(delivery: ClaimedDelivery, result: DeliveryResult)], chances: [Double], at now: Instant
    ) async throws {
        try await database.writeCommitted { db in
            for ((delivery, result), chance) in zip(results, chances) {
                switch result {
                case .delivered:
                    try end(delivery, "delivered", reason: nil, at: now, in: db)
                    if delivery.kind == AccountEventKind.userDeleted.rawValue { try forget(delivery, in: db) }
                case .gone: try end(delivery, "failed", reason: "410 Gone", at: now, in: db)
                case .failed(let reason):
                    let next = now + WebhookSchedule.pause(after: delivery.attempt, chance: chance)
                    guard next < delivery.expiresAt else {
                        try end(delivery, "failed", reason: reason, at: now, in: db)
                        continue
                    }
                    try retry(delivery, reason, at: next, in: db)
                }
            }
        }
    }

    private func end(
        _ delivery: ClaimedDelivery, _ state: String, reason: String?, at now: Instant, in db: any Connection
    ) throws {
        try db.run(
            """
            UPDATE webhook_deliveries SET state = \(state), reason = \(reason), ended_at = \(now)
            WHERE id = \(delivery.id) AND attempts = \(delivery.attempt) AND state = 'queued'
            """)
    }

    /// Removes a deleted user's deliveries, after the last one.
    private func forget(_ delivery: ClaimedDelivery, in db: any Connection) throws {
        try db.run(
            """
            DELETE FROM webhook_deliveries
            WHERE user_id = \(delivery.user) AND endpoint = \(delivery.endpoint) AND ended_at IS NOT NULL
                AND id <> \(delivery.id)
            """)
    }

    private func retry(
        _ delivery: ClaimedDelivery, _ reason: String, at next: Instant, in db: any Connection
    ) throws {
        let isOurs = try db.run(
            """
            UPDATE webhook_deliveries SET next_at = \(next), reason = \(reason)
            WHERE id = \(delivery.id) AND attempts = \(delivery.attempt) AND state = 'queued'
            """)
        guard isOurs == 1 else { return }
        // The user's later deliveries are due with this one.
        try db.run(
            """
            UPDATE webhook_deliveries SET next_at = \(next)
            WHERE user_id = \(delivery.user) AND ended_at IS NULL AND endpoint = \(delivery.endpoint)
                AND next_at < \(next) AND state = 'queued'
            """)
    }

    /// Makes leased deliveries due immediately, for a node that stops or had no time. Untried deliveries keep their
    /// attempt count.
    package func giveBack(_ deliveries: [(delivery: ClaimedDelivery, wasTried: Bool)], at now: Instant) async throws {
        guard !deliveries.isEmpty else { return }
        try await database.writeCommitted { db in
            for (delivery, wasTried) in deliveries {
                try db.run(
                    """
                    UPDATE webhook_deliveries SET next_at = \(now), attempts = attempts - \(wasTried ? 0 : 1)
                    WHERE id = \(delivery.id) AND attempts = \(delivery.attempt) AND state = 'queued'
                    """)
            }
        }
    }

    static func urlDigest(_ url: String) -> [UInt8] { Array(SHA256.hash(data: Array(url.utf8))) }

    /// Whether the endpoint has responded with 410 at this URL.
    package func isDisabled(_ endpoint: WebhookEndpoint) async throws -> Bool {
        let digest = try await database.row(
            "SELECT url_digest FROM webhook_endpoints WHERE name = \(endpoint.name)"
        ) { $0.bytes() }
        return digest == Self.urlDigest(endpoint.url)
    }

    /// One statement.
    package func disabled(of endpoints: [WebhookEndpoint]) async throws -> [WebhookEndpoint] {
        let found = try await database.rows("SELECT name, url_digest FROM webhook_endpoints") { row in
            (name: row.text(), digest: row.bytes())
        }
        return endpoints.filter { endpoint in
            found.contains { $0.name == endpoint.name && $0.digest == Self.urlDigest(endpoint.url) }
        }
    }

    /// Disables an endpoint until its URL changes or a test reaches it.
    package func disable(_ endpoint: WebhookEndpoint, at now: Instant) async throws {
        let digest = Self.urlDigest(endpoint.url)
        try await database.write { db in
            _ = try db.run(
                """
                INSERT INTO webhook_endpoints (name, url_digest, disabled_at)
                VALUES (\(endpoint.name), \(digest), \(now))
                ON CONFLICT (name) DO UPDATE SET url_digest = excluded.url_digest, disabled_at = excluded.disabled_at
                """)
        }
    }

    package func enable(_ endpoint: WebhookEndpoint) async throws {
        try await database.write { db in
            _ = try db.run("DELETE FROM webhook_endpoints WHERE name = \(endpoint.name)")
        }
    }
}
