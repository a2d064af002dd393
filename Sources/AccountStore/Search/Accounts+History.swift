package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// What happened to an account, newest first.
package struct AccountHistory: Sendable {
    /// The entries that the user caused, and those of administrators about the user.
    package let audit: [RecordedAuditEntry]
    /// Mails that ended longer ago than the retention are deleted.
    package let mails: [MailStatus]

    package var isEmpty: Bool { audit.isEmpty && mails.isEmpty }
}

extension Accounts {
    /// Returns the newest entries of the audit log and mails of an account, also of a deleted one.
    ///
    /// - Parameter limit: The maximum number of each; 1 to 100, other values are clamped.
    /// - Throws: ``DatabaseFailure``.
    package func history(of user: UserID, limit: Int) async throws -> AccountHistory {
        let limit = min(max(1, limit), 100)
        let dialect = database.dialect
        return try await database.read { db in
            let own = try db.rows(Self.auditLookup(user, limit: limit)) { $0.auditEntry() }
            let about = try db.rows(Self.auditLookup(about: user, dialect, limit: limit)) { $0.auditEntry() }
            let mails = try db.rows(Self.mailLookup(user, limit: limit)) { $0.mailStatus() }
            let audit = (own + about).sorted { $0.createdAt > $1.createdAt }
            return AccountHistory(audit: Array(audit.prefix(limit)), mails: mails)
        }
    }

    /// The entries about a user that name no user as their cause.
    static func auditLookup(about user: UserID, _ dialect: Dialect, limit: Int) -> SQL {
        """
        SELECT id, action, log_type, actor_id, actor_name, traits, ip_address, created_at FROM audit_log
        WHERE \(subject(dialect)) = \(user) AND actor_id IS NULL ORDER BY created_at DESC LIMIT \(limit)
        """
    }
}
