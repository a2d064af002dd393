package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Something to be done outside, leased to whoever took it.
package struct OutboxItem: Sendable {
    let id: Identifier<OutboxItem>
    package let message: OutboxMessage
    /// 1 at the first try. Also what the lease is known by.
    package let attempt: Int
    package let createdAt: Instant
}

/// What became of a try.
package enum OutboxResult: Equatable, Sendable {
    case done
    /// Later again, until ``OutboxSchedule/maximumAttempts``.
    case failed
    /// No later try can be better.
    case hopeless
}

extension Accounts {
    /// Takes what is due. Until ``OutboxSchedule/lease`` has passed nobody else gets it; after that it is due again,
    /// so what a node had in hand when it went down is done by another.
    ///
    /// - Parameter limit: At most this many, oldest first.
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

    /// Reports a try. Comes to nothing when the lease has run out and another node has the item.
    package func report(_ result: OutboxResult, of item: OutboxItem, at now: Instant) async throws {
        try await database.write { db in
            let leased = try db.row(
                "SELECT details FROM outbox WHERE id = \(item.id) AND attempts = \(item.attempt)"
            ) { $0.text(0) }
            guard let details = leased else { return }
            switch result {
            case .failed: try put(item.id, off: item.attempt, details, at: now, in: db)
            case .done: try end(item.id, .providerTokenRevoked, details, at: now, in: db)
            case .hopeless: try end(item.id, .providerTokenNotRevoked, details, at: now, in: db)
            }
        }
    }

    /// What waits, and since when the oldest does; for metrics and `doctor`.
    package func outboxBacklog() async throws -> (count: Int, oldest: Instant?) {
        try await database.read { db in
            try db.row("SELECT count(*), min(created_at) FROM outbox") { (Int($0.int(0)), $0.instantIfPresent(1)) }
                ?? (0, nil)
        }
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
        try record([AuditEntry(action, actor: nil, actorName: "", traits: traits)], at: now, in: db)
    }

    /// - Returns: nil for what was sealed under a secret that the configuration lacks, perhaps only for now.
    private func message(_ row: OutboxRow) -> OutboxMessage? {
        // Lost: why it does not open. It is tried again like any failure, and given up in the log.
        guard let opened = try? secrets.open(row.sealed, name: row.sealedName),
            // Lost: what is wrong with details that this program wrote.
            let details = try? JSONReader.read(row.details), let provider = details["provider"]?.stringValue,
            let client = details["client"]?.stringValue
        else { return nil }
        return .revokeToken(
            provider: provider, client: client, token: Secret(String(decoding: opened, as: UTF8.self)))
    }

    /// Those that are due, of the kinds that this program knows: a newer one may have written others.
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

/// What ``Accounts/take(limit:at:)`` returns.
private struct OutboxRow {
    let id: Identifier<OutboxItem>
    let details: String
    let sealed: [UInt8]
    let sealedName: String
    /// This one included.
    let attempts: Int
    let createdAt: Instant

    init(_ row: any Row) {
        id = row.id(0)
        details = row.text(1)
        sealed = row.bytes(2)
        sealedName = row.text(3)
        attempts = Int(row.int(4))
        createdAt = row.instant(5)
    }
}
