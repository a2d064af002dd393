import AccountDomain
import GatehouseWire
import SQLDatabase

/// Rows that are deleted some time after the time in a column, which needs an index.
struct OldRows: Sendable {
    let table: StaticString
    /// The primary key.
    let key: StaticString
    let time: StaticString
    /// Empty, or ends with `AND`.
    var condition: StaticString = ""
    var skipsLocked = true

    /// Oldest first.
    ///
    /// - Parameter moment: In the column's type.
    func removal(through moment: SQLValue, limit: Int) -> SQL {
        let lock: SQL = skipsLocked ? "\(.skippingLocked)" : ""
        return """
            DELETE FROM \(columns: table) WHERE (\(columns: key)) IN (
                SELECT \(columns: key) FROM \(columns: table) WHERE \(columns: condition) \(columns: time) <= \(moment)
                ORDER BY \(columns: time) LIMIT \(limit) \(lock))
            """
    }
}

/// A new table is an entry of ``all``.
struct ExpiringRows: Sendable {
    let rows: OldRows
    /// From the time in the column to the deletion.
    let stay: Duration

    private init(_ table: StaticString, by key: StaticString, at time: StaticString, stay: Duration = .zero) {
        (rows, self.stay) = (OldRows(table: table, key: key, time: time), stay)
    }

    static let flows = ExpiringRows("flow_states", by: "digest", at: "expires_at")
    /// An hour longer than valid, to distinguish late codes from unknown ones.
    static let codes = ExpiringRows("authorization_codes", by: "digest", at: "expires_at", stay: .seconds(3_600))
    static let tickets = ExpiringRows("link_tickets", by: "digest", at: "expires_at")
    static let undos = ExpiringRows("link_undos", by: "identity_id", at: "until")
    /// Longer than a provider's notification is accepted.
    static let notices = ExpiringRows("provider_notices", by: "digest", at: "received_at", stay: .seconds(8 * 86_400))
    /// An hour longer than valid, for nodes whose clock is behind.
    static let idTokens = ExpiringRows("used_id_tokens", by: "digest", at: "expires_at", stay: .seconds(3_600))
    static let passkeyChallenges = ExpiringRows(
        "used_passkey_challenges", by: "id", at: "expires_at", stay: .seconds(3_600))
    static let revocations = ExpiringRows(
        "revocations", by: "id", at: "noted_at", stay: SessionStore.revocationsStay)
    static let oneTimeTokens = ExpiringRows("one_time_tokens", by: "digest", at: "expires_at")
    static let devices = ExpiringRows("known_devices", by: "digest", at: "seen_at", stay: MailStore.devicesStay)
    static let challenges = ExpiringRows(
        "factor_challenges", by: "id", at: "expires_at", stay: FactorRules.unverifiedStay)

    /// As long after their end, so that a code's second use still ends its session.
    static let oauthAuthorizations = ExpiringRows(
        "oauth_authorizations", by: "id", at: "expires_at", stay: .seconds(3_600))

    static let all = [
        oauthAuthorizations, flows, codes, tickets, undos, notices, idTokens, passkeyChallenges, revocations,
        oneTimeTokens, devices,
        challenges,
    ]
}

extension Connection {
    /// Called by inserts, so that expired rows do not accumulate.
    @discardableResult
    func removeExpired(from expiring: ExpiringRows, at now: Instant, limit: Int = 20) throws -> Int {
        try run(expiring.rows.removal(through: .of(now - expiring.stay), limit: limit))
    }
}

/// A new table is an entry of ``all``.
package struct RetainedRows: Sendable {
    let rows: OldRows
    let stay: @Sendable (Retention) -> Duration?
    /// The newest time in the column of a row that was over by the moment.
    var last: @Sendable (_ moment: Instant) -> SQLValue = { .instant($0.microseconds - 1) }

    /// The log comes last: on PostgreSQL its deletion needs a separate grant (Deploy/postgresql), and no row lock.
    package static let all = [
        RetainedRows(rows: OldRows(table: "ended_sessions", key: "id", time: "ended_at")) { $0.endedSessions },
        RetainedRows(rows: OldRows(table: "refused_sign_ins", key: "user_id", time: "last_at")) { $0.endedSessions },
        RetainedRows(
            rows: OldRows(table: "mail_outbox", key: "id", time: "ended_at", condition: "state <> 'queued' AND")
        ) { $0.mails },
        RetainedRows(
            rows: OldRows(table: "webhook_deliveries", key: "id", time: "ended_at", condition: "state <> 'queued' AND")
        ) { $0.deliveries },
        RetainedRows(
            rows: OldRows(table: "activity_counts", key: "hour, name, label, detail", time: "hour"),
            stay: { $0.telemetry }, last: { .int($0.microseconds / ActivityCounts.hour - 1) }),
        RetainedRows(rows: OldRows(table: "audit_log", key: "id", time: "created_at", skipsLocked: false)) {
            $0.auditLog
        },
    ]
}
