import AccountDomain
import GatehouseWire
import SQLDatabase

/// The newest emails that the mail server refused in a row.
package struct RefusedMails: Sendable {
    package fileprivate(set) var count = 0
    package fileprivate(set) var reason: String?

    /// Whether the refusals have another cause than the addresses.
    package var areOurFault: Bool { count >= MailSchedule.refusalsInARow }
}

extension MailResult {
    private static let mark = "refused by the mail server: "

    package static func byServer(_ cause: String) -> String { mark + cause }

    static func isByServer(_ reason: String) -> Bool { reason.hasPrefix(mark) }
}

extension MailQueue {
    /// For `doctor`.
    package func refusedMails() async throws -> RefusedMails {
        Self.refusedMails(try await database.rows(Self.newestResults) { ($0.text(), $0.textIfPresent()) })
    }

    func refusedMails(in db: any Connection) throws -> RefusedMails {
        Self.refusedMails(try db.rows(Self.newestResults) { ($0.text(), $0.textIfPresent()) })
    }

    private static let newestResults: SQL = """
        SELECT state, reason FROM mail_outbox WHERE state = 'sent' OR reason IS NOT NULL
        ORDER BY created_at DESC, id DESC LIMIT 100
        """

    /// Ignores emails that ended without an answer, such as expired ones.
    private static func refusedMails(_ newest: [(state: String, reason: String?)]) -> RefusedMails {
        var refused = RefusedMails()
        for (state, reason) in newest {
            if state == "sent" { break }
            guard let reason, MailResult.isByServer(reason) else { continue }
            refused.count += 1
            refused.reason = refused.reason ?? reason
        }
        return refused
    }
}
