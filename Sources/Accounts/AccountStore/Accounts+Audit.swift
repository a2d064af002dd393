package import AccountDomain
package import GatehouseWire
import SQLDatabase

package struct RecordedAuditEntry: Sendable {
    package let id: String
    package let action: String
    package let logType: String
    package let actor: String
    package let actorName: String
    /// A JSON object.
    package let traits: String
    package let address: String
    package let createdAt: Instant
}

package struct Page<Element: Sendable>: Sendable {
    package let elements: [Element]
    /// On all pages.
    package let total: Int
}

/// A page number from 1 and a page size of 1 to 1,000.
package struct PageRequest: Sendable {
    package let number: Int
    package let size: Int

    package init(number: Int, size: Int) {
        self.number = max(1, number)
        self.size = min(max(1, size), 1_000)
    }

    package var offset: Int {
        (number - 1).multipliedReportingOverflow(by: size).overflow ? Int.max / 2 : (number - 1) * size
    }
}

/// A substring of one column, ignoring ASCII case.
package enum AuditFilter: Sendable {
    case author(String)
    case action(String)
    case type(String)

    fileprivate var condition: SQL {
        switch self {
        case .author(let text): "lower(actor_name) LIKE \(Accounts.containing(text)) ESCAPE '\\'"
        case .action(let text): "lower(action) LIKE \(Accounts.containing(text)) ESCAPE '\\'"
        case .type(let text): "lower(log_type) LIKE \(Accounts.containing(text)) ESCAPE '\\'"
        }
    }
}

extension Accounts {
    /// Newest first.
    package func auditLog(_ filter: AuditFilter?, page: PageRequest) async throws -> Page<RecordedAuditEntry> {
        let condition: SQL = filter?.condition ?? "1 = 1"
        return try await database.read { db in
            let total = try db.row("SELECT count(*) FROM audit_log WHERE \(condition)") { Int($0.int()) }
            let entries = try db.rows(
                """
                SELECT id, action, log_type, actor_id, actor_name, traits, ip_address, created_at FROM audit_log
                WHERE \(condition) ORDER BY created_at DESC, id DESC LIMIT \(page.size) OFFSET \(page.offset)
                """
            ) { row in
                RecordedAuditEntry(
                    id: row.text(), action: row.text(), logType: row.text(), actor: row.text(),
                    actorName: row.text(), traits: row.text(), address: row.text(), createdAt: row.instant())
            }
            return Page(elements: entries, total: total ?? 0)
        }
    }

    /// A `LIKE` pattern for lower-case values, with wildcards escaped.
    static func containing(_ text: String) -> String {
        let escaped = text.withLowerASCII.utf8.flatMap { byte in
            #"\%_"#.utf8.contains(byte) ? [UInt8(ascii: "\\"), byte] : [byte]
        }
        return "%\(String(decoding: escaped, as: UTF8.self))%"
    }

    /// One statement. A microsecond apart preserves the order.
    func record(_ entries: [AuditEntry], at now: Instant, in db: any Connection) throws {
        switch entries.count {
        case 1: try insert(entries[0], at: now, in: db)
        case 2: try insert(entries[0], entries[1], at: now, in: db)
        default:
            for (index, entry) in entries.enumerated() { try insert(entry, at: now + .microseconds(index), in: db) }
        }
    }

    private func insert(_ entry: AuditEntry, at now: Instant, in db: any Connection) throws {
        let id: Identifier<AuditEntry> = newID(at: now)
        try db.run(
            """
            INSERT INTO audit_log (id, action, log_type, actor_id, actor_name, traits, created_at)
            VALUES (\(id), \(entry.action.rawValue), \(entry.logType), \(entry.actor), \(entry.actorName),
                \(AuthJSON.object(entry.traits).text), \(now))
            """)
    }

    private func insert(_ first: AuditEntry, _ second: AuditEntry, at now: Instant, in db: any Connection) throws {
        let (firstID, secondID): (Identifier<AuditEntry>, Identifier<AuditEntry>) = (newID(at: now), newID(at: now))
        try db.run(
            """
            INSERT INTO audit_log (id, action, log_type, actor_id, actor_name, traits, created_at)
            VALUES (\(firstID), \(first.action.rawValue), \(first.logType), \(first.actor), \(first.actorName),
                \(AuthJSON.object(first.traits).text), \(now)),
            (\(secondID), \(second.action.rawValue), \(second.logType), \(second.actor), \(second.actorName),
                \(AuthJSON.object(second.traits).text), \(now + .microseconds(1)))
            """)
    }
}
