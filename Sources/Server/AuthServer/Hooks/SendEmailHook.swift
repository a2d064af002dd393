import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes

extension MailDelivery {
    /// The hook's attempts and the outbox's share one message ID.
    func sendByHook(_ mail: OutgoingMail, to user: UserID?) async throws -> MailResult {
        guard let user, let account = try await accounts.admin.account(user) else {
            return .refused(reason: "its account is gone")
        }
        let isText = mail.content.kind.lane == .texts
        do {
            _ = try await server.ask(isText ? .sendSMS : .sendEmail, id: mail.messageID) { writer in
                writer.name("user")
                writer.user(account)
                writer.name(isText ? "sms" : "email_data")
                if isText {
                    writer.textData(mail.content)
                } else {
                    writer.emailData(mail.content, siteURL: settings.externalURL)
                }
            }
            return .sent
        } catch let failure as HookFailure {
            return .failed(reason: "hook: \(failure)")
        } catch let refusal as Refusal {
            return refusal.status.code < 500
                ? .refused(reason: "refused by the hook") : .failed(reason: "refused by the hook")
        }
    }
}

extension JSONWriter {
    /// As in Supabase Auth, `token` with `token_hash_new` is for the current address, `token_new` with `token_hash` for
    /// the new one. Without a code for the current address, `token` is for the new one.
    fileprivate mutating func emailData(_ mail: MailContent, siteURL: String) {
        let (code, link) = (mail.code?.reveal() ?? "", (mail.linkToken ?? mail.notice?.reportToken)?.reveal() ?? "")
        let current = mail.currentCode?.reveal()
        beginObject()
        // Two codes go to two addresses, both the user's.
        if current == nil { member("recipient", mail.recipient.text) }
        member("token", current ?? code)
        member("token_hash", link)
        member("redirect_to", mail.redirectTo)
        member("email_action_type", mail.kind.actionType)
        member("site_url", siteURL)
        member("token_new", current == nil ? "" : code)
        member("token_hash_new", mail.currentLinkToken?.reveal() ?? "")
        member("old_email", mail.notice?.oldEmail ?? "")
        member("old_phone", mail.notice?.oldPhone ?? "")
        member("provider", mail.notice?.provider ?? "")
        member("factor_type", mail.notice?.factor?.rawValue ?? "")
        endObject()
    }
}

extension MailKind {
    /// Supabase Auth's name, or else our own.
    fileprivate var actionType: String {
        switch self {
        case .emailChangeCurrent, .emailChangeNew: "email_change"
        case .accountExists: "account_exists_notification"
        default: rawValue
        }
    }
}
