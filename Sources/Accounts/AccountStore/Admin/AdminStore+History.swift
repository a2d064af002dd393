package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Newest first.
package struct AccountHistory: Sendable {
    /// Caused by the user or an administrator.
    package let audit: [RecordedAuditEntry]
    package let mails: [MailStatus]

    package var isEmpty: Bool { audit.isEmpty && mails.isEmpty }
}

package struct AccountOverview: Sendable {
    package let account: Account
    /// A JSON object; nil for an erased account.
    package let profile: String?
    /// Newest sign-in first.
    package let sessions: [SessionOnDevice]
    /// Newest end first.
    package let ended: [EndedSession]
    package let history: AccountHistory
}

extension AdminStore {
    /// Includes deleted accounts.
    ///
    /// - Parameter limit: Of each; 1 to 100.
    package func history(of user: UserID, limit: Int) async throws -> AccountHistory {
        try await database.read { try history(of: user, limit: limit, in: $0) }
    }

    /// Five statements.
    ///
    /// - Parameter limit: Of ended sessions, entries and emails each; 1 to 100.
    package func overview(of user: UserID, limit: Int, at now: Instant) async throws -> AccountOverview? {
        try await database.read { db in
            guard let account = try db.account(user) else { return nil }
            let sessions = try sessionHistory(of: user, limit: limit, at: now, in: db)
            return AccountOverview(
                account: account, profile: try TransferStore.profile(of: user, in: db), sessions: sessions.active,
                ended: sessions.ended,
                history: try history(of: user, limit: limit, in: db))
        }
    }

    private func history(of user: UserID, limit: Int, in db: any Connection) throws -> AccountHistory {
        let limit = min(max(1, limit), 100)
        let audit = try db.rows(Self.wholeAuditLookup(user, database.dialect, limit: limit)) { $0.auditEntry() }
        let mails = try db.rows(PersonalRecords.mailLookup(user, limit: limit)) { $0.mailStatus() }
        return AccountHistory(audit: Array(audit.sorted { $0.createdAt > $1.createdAt }.prefix(limit)), mails: mails)
    }

    /// The newest that the user caused, and the newest about the user without an actor.
    private static func wholeAuditLookup(_ user: UserID, _ dialect: Dialect, limit: Int) -> SQL {
        """
        SELECT * FROM (\(PersonalRecords.auditLookup(user, limit: limit))) AS own
        UNION ALL SELECT * FROM (\(auditLookup(about: user, dialect, limit: limit))) AS about
        """
    }

    private static func auditLookup(about user: UserID, _ dialect: Dialect, limit: Int) -> SQL {
        // With statistics, SQLite may read all entries without an actor instead.
        let index: SQL = dialect == .sqlite ? "INDEXED BY audit_log_by_subject" : ""
        return """
            SELECT id, action, log_type, actor_id, actor_name, traits, ip_address, created_at FROM audit_log \(index)
            WHERE \(SearchIndexes.subject(dialect)) = \(user) AND actor_id IS NULL ORDER BY created_at DESC LIMIT \(limit)
            """
    }
}
