import AccountStore
import GatehouseWire
import SQLDatabase

/// Text messages of all nodes, and the use of their codes.
struct TextFigures: Sendable {
    var sent = 0
    var failed = 0
    /// Followed by the sign-in or proof that the code was for.
    var used = 0

    static let period = Duration.seconds(86_400)
    /// The newest messages that are counted.
    static let most = 1_000
}

extension TextFigures {
    static func read(from database: any Database, at now: Instant) async throws -> TextFigures {
        try await database.row(counting(at: now)) { row in
            TextFigures(sent: Int(row.int()), failed: Int(row.int()), used: Int(row.int()))
        } ?? TextFigures()
    }

    /// Only messages whose code has expired. Requests that no account waited for have no user. A code that replaces a
    /// password leaves no record.
    private static func counting(at now: Instant) -> SQL {
        let (start, end) = (SQLValue.instant((now - period).microseconds), SQLValue.instant(now.microseconds))
        return """
            SELECT count(CASE WHEN state = 'sent' THEN 1 END), count(CASE WHEN state = 'failed' THEN 1 END),
                count(CASE WHEN state = 'sent' AND EXISTS (
                    SELECT 1 FROM audit_log
                    WHERE actor_id = texts.user_id AND audit_log.created_at >= texts.created_at
                        AND audit_log.created_at <= texts.expires_at
                        AND action = CASE WHEN kind = 'mfa' THEN 'verification_attempted' ELSE 'login' END
                ) THEN 1 END)
            FROM (
                SELECT user_id, kind, state, created_at, expires_at FROM mail_outbox
                WHERE lane = 'texts' AND created_at >= \(start) AND expires_at <= \(end)
                    AND user_id IS NOT NULL AND kind <> 'sms_reauthentication'
                ORDER BY created_at DESC LIMIT \(most)
            ) AS texts
            """
    }
}
