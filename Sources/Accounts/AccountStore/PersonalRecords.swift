package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// GDPR, article 15. Excludes the account itself.
package struct PersonalRecord: Sendable {
    package let sessions: [SessionOnDevice]
    /// Newest first, at most ``limit``.
    package let audit: [RecordedAuditEntry]
    /// Newest first, at most ``limit``.
    package let mails: [MailStatus]
    /// Oldest first.
    package let passkeys: [Passkey]
    package let grants: [ClientGrant]

    package static let limit = 1_000
}

extension PersonalRecords {
    package func record(of user: UserID, at now: Instant) async throws -> PersonalRecord {
        let sessions = try await accounts.sessions.sessions(of: user, at: now)
        let audit = try await database.rows(Self.auditLookup(user)) { $0.auditEntry() }
        let mails = try await database.rows(Self.exportedMailLookup(user)) { $0.mailStatus() }
        let passkeys = try await accounts.passkeys.all(of: user)
        let grants = try await accounts.oauth.grants(of: user)
        return PersonalRecord(sessions: sessions, audit: audit, mails: mails, passkeys: passkeys, grants: grants)
    }

    static func auditLookup(_ user: UserID, limit: Int = PersonalRecord.limit) -> SQL {
        """
        SELECT id, action, log_type, actor_id, actor_name, traits, ip_address, created_at FROM audit_log
        WHERE actor_id = \(user) ORDER BY created_at DESC LIMIT \(limit)
        """
    }

    static func mailLookup(_ user: UserID, limit: Int = PersonalRecord.limit) -> SQL {
        """
        SELECT id, kind, state, reason, attempts, next_at, created_at, ended_at FROM mail_outbox
        WHERE user_id = \(user) ORDER BY created_at DESC LIMIT \(limit)
        """
    }

    /// Omits emails to the pending new address. They are not sent if another account has it, so their status would
    /// reveal that account.
    static func exportedMailLookup(_ user: UserID) -> SQL {
        """
        SELECT id, kind, state, reason, attempts, next_at, created_at, ended_at FROM mail_outbox
        WHERE user_id = \(user) AND kind <> \(MailKind.emailChangeNew.rawValue)
        ORDER BY created_at DESC LIMIT \(PersonalRecord.limit)
        """
    }
}

extension Row {
    mutating func auditEntry() -> RecordedAuditEntry {
        RecordedAuditEntry(
            id: text(), action: text(), logType: text(), actor: textIfPresent() ?? "", actorName: text(),
            traits: text(), address: text(), createdAt: instant())
    }

    mutating func mailStatus() -> MailStatus {
        MailStatus(
            id: text(), kind: text(), state: text(), reason: textIfPresent(), attempts: Int(int()), nextAt: instant(),
            createdAt: instant(), endedAt: instantIfPresent())
    }
}
