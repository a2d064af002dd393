package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Conditions on entries of the audit log; all must hold.
package struct AuditSearch: Sendable {
    /// ``AuditEntry/Action``, exactly.
    package var action: String?
    /// Part of the actor's name, ignoring ASCII case.
    package var actor: String?
    package var since: Instant?
    /// Exclusive.
    package var until: Instant?

    package init() {}
}

extension AdminStore {
    /// Entries that one page reads at most.
    package static let auditScan = 5_000

    /// Newest first. A page may be shorter than `limit`, or empty, while `next` is not nil: every page costs the same.
    ///
    /// - Parameters:
    ///   - after: The previous page's `next`.
    ///   - scan: Entries to read at most.
    /// - Throws: ``MalformedCursor``.
    package func searchAudit(
        _ search: AuditSearch, after: String? = nil, limit: Int, scan: Int = auditScan
    ) async throws -> (entries: [RecordedAuditEntry], next: String?) {
        let from = try after.map(place)
        let range = try Self.range(search, from)
        let found: (entries: [RecordedAuditEntry], last: SearchPlace?) = try await database.read { db in
            let entries = try db.rows(
                """
                SELECT id, action, log_type, actor_id, actor_name, traits, ip_address, created_at FROM (
                    SELECT * FROM audit_log WHERE \(range) ORDER BY created_at DESC, id DESC LIMIT \(scan)) AS newest
                WHERE \(Self.condition(search)) ORDER BY created_at DESC, id DESC LIMIT \(limit + 1)
                """
            ) { $0.auditEntry() }
            guard entries.count <= limit else { return (entries, nil) }
            let last = try db.row(
                """
                SELECT created_at, id FROM audit_log WHERE \(range)
                ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET \(scan - 1)
                """
            ) { SearchPlace.time($0.instant(), $0.id()) }
            return (entries, last)
        }
        var last = found.last
        let kept = Array(found.entries.prefix(limit))
        if found.entries.count > limit, let entry = kept.last, let id = UserID(entry.id) {
            last = .time(entry.createdAt, id)
        }
        return (kept, try last.map(cursor))
    }

    private static func range(_ search: AuditSearch, _ from: SearchPlace?) throws -> SQL {
        var range: SQL = "1 = 1"
        if let since = search.since { range = "\(range) AND created_at >= \(since)" }
        if let until = search.until { range = "\(range) AND created_at < \(until)" }
        guard let from else { return range }
        guard case .time(let time, let id) = from else { throw MalformedCursor() }
        // The first condition is for the index.
        return "\(range) AND created_at <= \(time) AND (created_at < \(time) OR id < \(id))"
    }

    private static func condition(_ search: AuditSearch) -> SQL {
        var condition: SQL = "1 = 1"
        if let action = search.action { condition = "\(condition) AND action = \(action)" }
        if let actor = search.actor {
            condition = "\(condition) AND lower(actor_name) LIKE \(Accounts.containing(actor)) ESCAPE '\\'"
        }
        return condition
    }
}
