package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Leased to the node that took it.
package struct OutboxItem: Sendable {
    let id: Identifier<OutboxItem>
    package let message: OutboxMessage
    /// From 1. Also identifies the lease.
    package let attempt: Int
    package let createdAt: Instant
}

package enum OutboxResult: Equatable, Sendable {
    case done
    /// Retried up to ``OutboxSchedule/maximumAttempts``.
    case failed
    /// A retry cannot succeed.
    case hopeless
}

extension ProviderCalls {
    /// Leases due items for ``OutboxSchedule/lease``, oldest first. After a crash, another node takes over when the
    /// lease expires.
    package func takeFromOutbox(limit: Int = 10, at now: Instant) async throws -> [OutboxItem] {
        try await database.write { db in
            var items: [OutboxItem] = []
            for row in try db.rows(Self.take(limit: limit, at: now), OutboxRow.init) {
                if let message = message(row) {
                    items.append(
                        OutboxItem(id: row.id, message: message, attempt: row.attempts, createdAt: row.createdAt))
                } else {
                    try put(row.id, off: row.attempts, row.details, at: now, in: db)
                }
            }
            return items.sorted { ($0.createdAt, $0.id.text) < ($1.createdAt, $1.id.text) }
        }
    }

    /// Does nothing if another node has the item. If the report is lost, the item becomes due again when its lease
    /// expires.
    package func report(_ result: OutboxResult, of item: OutboxItem, at now: Instant) async throws {
        try await database.write { db in
            let leased = try db.row(
                "SELECT details FROM outbox WHERE id = \(item.id) AND attempts = \(item.attempt)"
            ) { $0.text() }
            guard let details = leased else { return }
            switch result {
            case .failed: try put(item.id, off: item.attempt, details, at: now, in: db)
            case .done: try end(item.id, .providerTokenRevoked, details, at: now, in: db)
            case .hopeless: try end(item.id, .providerTokenNotRevoked, details, at: now, in: db)
            }
        }
    }

    /// For metrics and `doctor`.
    package func outboxBacklog() async throws -> (count: Int, oldest: Instant?) {
        try await database.row("SELECT count(*), min(created_at) FROM outbox") {
            (Int($0.int()), $0.instantIfPresent())
        } ?? (0, nil)
    }

    private func put(
        _ id: Identifier<OutboxItem>, off attempts: Int, _ details: String, at now: Instant, in db: any Connection
    ) throws {
        guard let pause = OutboxSchedule.pause(after: attempts) else {
            return try end(id, .providerTokenNotRevoked, details, at: now, in: db)
        }
        try db.run("UPDATE outbox SET next_at = \(now + pause) WHERE id = \(id)")
    }

    private func end(
        _ id: Identifier<OutboxItem>, _ action: AuditEntry.Action, _ details: String, at now: Instant,
        in db: any Connection
    ) throws {
        try db.run("DELETE FROM outbox WHERE id = \(id)")
        let traits = try JSONReader.read(details).objectValue ?? [:]
        try accounts.record([AuditEntry(action, actor: nil, actorName: "", traits: traits)], at: now, in: db)
    }

    /// - Returns: nil if the configuration lacks the secret, perhaps temporarily.
    private func message(_ row: OutboxRow) -> OutboxMessage? {
        // Ignored: an item that cannot be opened is retried like any failure, and giving up is logged.
        guard let opened = try? secrets.open(row.sealed, name: row.sealedName),
            // Ignored: our own JSON, so it parses.
            let details = try? JSONReader.read(row.details), let provider = details["provider"]?.stringValue,
            let client = details["client"]?.stringValue
        else { return nil }
        return .revokeToken(
            provider: provider, client: client, token: Secret(String(decoding: opened, as: UTF8.self)))
    }

    /// Only kinds that this release knows.
    static func due(limit: Int, at now: Instant) -> SQL {
        """
        SELECT id FROM outbox WHERE next_at <= \(now) AND kind = \(OutboxMessage.Kind.revokeToken.rawValue)
        ORDER BY next_at, id LIMIT \(limit) \(.skippingLocked)
        """
    }

    private static func take(limit: Int, at now: Instant) -> SQL {
        """
        UPDATE outbox SET attempts = attempts + 1, next_at = \(now + OutboxSchedule.lease)
        WHERE id IN (\(due(limit: limit, at: now)))
        RETURNING id, details, sealed, sealed_name, attempts, created_at
        """
    }
}

private struct OutboxRow {
    let id: Identifier<OutboxItem>
    let details: String
    let sealed: [UInt8]
    let sealedName: String
    /// Includes the current attempt.
    let attempts: Int
    let createdAt: Instant

    init(_ row: inout Row) {
        id = row.id()
        details = row.text()
        sealed = row.bytes()
        sealedName = row.text()
        attempts = Int(row.int())
        createdAt = row.instant()
    }
}
