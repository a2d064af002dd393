package import AccountDomain
package import GatehouseWire
import SQLDatabase

package struct ClaimedMail: Sendable {
    let id: Identifier<ClaimedMail>
    /// From 1. Also identifies the lease.
    package let attempt: Int
    package let createdAt: Instant
    package internal(set) var expiresAt: Instant
    package internal(set) var content: Content
    /// nil without an account.
    package internal(set) var user: UserID?

    package enum Content: Sendable {
        case mail(MailContent)
        /// A request for an address that may have no account.
        case request(MailAsk)
        /// Expired, or this configuration cannot open it.
        case unreadable
    }

    /// The same in all attempts, for the Message-ID.
    package var messageID: String { id.text }
}

package enum MailResult: Equatable, Sendable {
    case sent
    /// Retried until the code expires.
    case failed(reason: String)
    /// A retry cannot succeed.
    case refused(reason: String)
    /// Permanently refused, but not because of the address. Retried while the server refuses every email: the fault is
    /// ours then.
    case declined(reason: String)
    /// The server permanently refuses the address. Marks its account until an email is accepted.
    case undeliverable(reason: String)
}

/// A delay before the first attempt.
package struct MailWait: Sendable {
    /// The minimum.
    let pause: Duration
    /// After the last email that waits for the same reason.
    let spacing: Duration
    let reason: String

    package init(pause: Duration, spacing: Duration, reason: String) {
        (self.pause, self.spacing, self.reason) = (pause, spacing, reason)
    }
}

package struct MailStatus: Sendable {
    package let id: String
    package let kind: String
    /// `queued`, `sent` or `failed`.
    package let state: String
    package let reason: String?
    package let attempts: Int
    package let nextAt: Instant
    package let createdAt: Instant
    package let endedAt: Instant?
}

extension MailQueue {
    /// Leases due emails, oldest first. An email waits for earlier ones to the same address. After a crash, another
    /// node takes over when the lease expires.
    ///
    /// - Parameter lease: See ``MailSchedule/lease(attempt:)``.
    package func takeMails(
        _ lane: MailLane, limit: Int, lease: Duration, at now: Instant
    ) async throws -> [ClaimedMail] {
        try await database.writeCommitted { db in
            let taken = try db.rows(
                """
                UPDATE mail_outbox SET attempts = attempts + 1, next_at = \(now + lease), reason = NULL
                WHERE id IN (\(Self.dueMails(lane, limit: limit, at: now)) \(.skippingLocked))
                RETURNING id, attempts, created_at, expires_at, sealed, user_id
                """
            ) { row in
                let id: Identifier<ClaimedMail> = row.id()
                let (attempts, createdAt, expiresAt) = (Int(row.int()), row.instant(), row.instant())
                return ClaimedMail(
                    id: id, attempt: attempts, createdAt: createdAt, expiresAt: expiresAt,
                    content: content(id, row.bytesIfPresent()), user: row.idIfPresent())
            }
            return taken.sorted { ($0.createdAt, $0.id.text) < ($1.createdAt, $1.id.text) }
        }
    }

    /// `OFFSET` makes PostgreSQL look up each email's predecessors in the index. Otherwise a plan made without
    /// statistics, or for few emails, compares each with each.
    static func dueMails(_ lane: MailLane, limit: Int, at now: Instant) -> SQL {
        """
        SELECT id FROM mail_outbox
        WHERE state = 'queued' AND lane = \(lane.rawValue) AND next_at <= \(now) AND NOT EXISTS (
            SELECT 1 FROM mail_outbox AS earlier
            WHERE earlier.ended_at IS NULL AND earlier.place = mail_outbox.place AND earlier.lane = mail_outbox.lane
                AND (earlier.created_at, earlier.id) < (mail_outbox.created_at, mail_outbox.id)
            LIMIT 1 OFFSET 0)
        ORDER BY next_at, id LIMIT \(limit)
        """
    }

    func content(_ id: Identifier<ClaimedMail>, _ sealed: [UInt8]?) -> ClaimedMail.Content {
        // Ignored: the email stays queued until it expires, in case a missing secret is restored.
        guard let sealed, let json = try? accounts.links.unseal(sealed, as: Self.mailSeal, id.bytes) else {
            return .unreadable
        }
        return MailAsk(json: json).map(ClaimedMail.Content.request) ?? MailContent(json: json).map { .mail($0) }
            ?? .unreadable
    }

    /// Does nothing if another node has the email. If the report is lost, the email is sent again when its lease
    /// expires.
    ///
    /// - Parameter chance: Random, from 0 to 1; spreads the next attempts.
    package func report(_ result: MailResult, of mail: ClaimedMail, chance: Double, at now: Instant) async throws {
        try await database.writeCommitted { db in
            switch result {
            case .sent:
                try end(mail, "sent", reason: nil, at: now, in: db)
                try mark(mail, undeliverableAt: nil, in: db)
            case .refused(let reason): try end(mail, "failed", reason: reason, at: now, in: db)
            case .declined(let reason):
                guard try refusedMails(in: db).areOurFault else {
                    return try end(mail, "failed", reason: reason, at: now, in: db)
                }
                try retry(mail, reason, chance, at: now, in: db)
            case .undeliverable(let reason):
                try end(mail, "failed", reason: reason, at: now, in: db)
                try mark(mail, undeliverableAt: now, in: db)
            case .failed(let reason): try retry(mail, reason, chance, at: now, in: db)
            }
        }
    }

    private func retry(
        _ mail: ClaimedMail, _ reason: String, _ chance: Double, at now: Instant, in db: any Connection
    ) throws {
        let next = now + MailSchedule.pause(after: mail.attempt, chance: chance)
        guard next < mail.expiresAt else { return try end(mail, "failed", reason: reason, at: now, in: db) }
        try db.run(
            """
            UPDATE mail_outbox SET next_at = \(next), reason = \(reason)
            WHERE id = \(mail.id) AND attempts = \(mail.attempt) AND state = 'queued'
            """)
    }

    /// Makes leased emails due immediately, for a node that stops or had no time. Records no attempt.
    package func giveBack(_ mails: [ClaimedMail], at now: Instant) async throws {
        guard !mails.isEmpty else { return }
        try await database.writeCommitted { db in
            for mail in mails {
                try db.run(
                    """
                    UPDATE mail_outbox SET next_at = \(now), attempts = attempts - 1
                    WHERE id = \(mail.id) AND attempts = \(mail.attempt) AND state = 'queued'
                    """)
            }
        }
    }

    private func mark(_ mail: ClaimedMail, undeliverableAt time: Instant?, in db: any Connection) throws {
        guard case .mail(let content) = mail.content, let email = content.recipient.email else { return }
        // Writes nothing if the mark is right.
        let isWrong: SQL = time == nil ? "email_undeliverable_at IS NOT NULL" : "email_undeliverable_at IS NULL"
        try db.run(
            """
            UPDATE users SET email_undeliverable_at = \(time)
            WHERE email = \(email.text) AND is_sso_user = 0 AND \(isWrong)
            """)
    }

    /// Delays an email's first attempt, behind others that wait for the same reason.
    package func postpone(_ mail: ClaimedMail, _ wait: MailWait, at now: Instant) async throws {
        guard case .mail(let content) = mail.content else { return }
        // Serializable, so that each email gets its own time.
        _ = try await database.write { db in
            let last = try db.row(Self.lastWaiting(content.kind.lane, wait.reason, at: now)) { $0.instant() }
            let next = max(now + wait.pause, last.map { $0 + wait.spacing } ?? now)
            return try db.run(
                """
                UPDATE mail_outbox SET next_at = \(min(next, mail.expiresAt)), attempts = 0, reason = \(wait.reason)
                WHERE id = \(mail.id) AND attempts = \(mail.attempt) AND state = 'queued'
                """)
        }
    }

    /// Ignores emails from a time when a clock was ahead.
    static func lastWaiting(_ lane: MailLane, _ reason: String, at now: Instant) -> SQL {
        """
        SELECT next_at FROM mail_outbox WHERE state = 'queued' AND lane = \(lane.rawValue) AND reason = \(reason)
            AND created_at <= \(now + NodeClocks.difference)
        ORDER BY next_at DESC LIMIT 1
        """
    }

    /// Also erases the content.
    func end(
        _ mail: ClaimedMail, _ state: String, reason: String?, at now: Instant, in db: any Connection
    ) throws {
        try db.run(
            """
            UPDATE mail_outbox SET state = \(state), reason = \(reason), sealed = NULL, ended_at = \(now)
            WHERE id = \(mail.id) AND attempts = \(mail.attempt) AND state = 'queued'
            """)
    }

    static let mailSeal = "mail"

    /// Selects queued emails to the same address that a new one ends. Requests are queued before their account is
    /// known, so the user is compared only where several accounts may send to an address.
    private static func superseded(by kind: MailKind, of user: UserID?) -> SQL {
        switch kind {
        case .recovery: "kind IN ('recovery', 'magiclink')"
        case .magicLink: "kind IN ('recovery', 'magiclink', 'signup')"
        case .signUp: "kind = 'signup'"
        case .textSignUp, .textSignIn: "kind IN ('sms', 'sms_signup')"
        // A later change does not hide an earlier one.
        case _ where kind.isNotice: "1 = 0"
        default: "kind = \(kind.rawValue) AND user_id IS NOT DISTINCT FROM \(user)"
        }
    }

    /// Ends emails whose codes it voids: see ``superseded(by:of:)``.
    func queue(
        _ content: MailContent, of user: UserID?, until expiresAt: Instant, at now: Instant, in db: any Connection
    ) throws {
        try insertMail(
            content.kind, to: content.recipient, content.json, of: user, until: expiresAt, at: now, in: db)
    }

    func insertMail(
        _ kind: MailKind, to recipient: Recipient, _ content: AuthJSON, of user: UserID?, until expiresAt: Instant,
        at now: Instant, in db: any Connection
    ) throws {
        let mail = try sealedMail(content, to: recipient, at: now)
        try insert(mail, kind, of: user, until: expiresAt, at: now, in: db)
    }

    struct SealedMail: Sendable {
        let id: Identifier<ClaimedMail>
        let place: [UInt8]
        let bytes: [UInt8]
    }

    func sealedMail(_ content: AuthJSON, to recipient: Recipient, at now: Instant) throws -> SealedMail {
        let id: Identifier<ClaimedMail> = accounts.newID(at: now)
        return SealedMail(
            id: id, place: secrets.mark(of: recipient),
            bytes: try accounts.links.seal(content, as: Self.mailSeal, id.bytes))
    }

    func insert(
        _ mail: SealedMail, _ kind: MailKind, of user: UserID?, until expiresAt: Instant, at now: Instant,
        in db: any Connection
    ) throws {
        try db.run(
            """
            UPDATE mail_outbox SET state = 'failed', reason = 'superseded', sealed = NULL, ended_at = \(now)
            WHERE place = \(mail.place) AND ended_at IS NULL AND \(Self.superseded(by: kind, of: user))
            """)
        try db.run(
            """
            INSERT INTO mail_outbox (
                id, lane, kind, place, user_id, sealed, state, next_at, expires_at, created_at)
            VALUES (
                \(mail.id), \(kind.lane.rawValue), \(kind.rawValue), \(mail.place), \(user), \(mail.bytes), 'queued',
                \(now), \(expiresAt), \(now))
            """)
    }
}
