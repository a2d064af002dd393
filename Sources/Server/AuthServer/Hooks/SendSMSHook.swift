import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes

extension MailDelivery {
    /// As ``sendByHook(_:to:)``, with Supabase Auth's members for messages.
    func textByHook(_ text: OutgoingMail, to user: UserID?) async throws -> MailResult {
        guard let user, let account = try await accounts.admin.account(user) else {
            return .refused(reason: "its account is gone")
        }
        return try await hookResult {
            _ = try await server.ask(.sendSMS, id: text.messageID) { writer in
                writer.name("user")
                writer.user(account)
                writer.name("sms")
                writer.beginObject()
                writer.member("otp", text.content.code?.reveal() ?? "")
                writer.member("phone", text.content.recipient.text)
                writer.member("sms_type", text.content.kind.textType)
                writer.member("channel", (text.content.channel ?? .sms).rawValue)
                writer.endObject()
            }
        }
    }
}

extension MailKind {
    /// Supabase Auth's name.
    fileprivate var textType: String {
        switch self {
        case .textPhoneChange: "phone_change"
        case .textReauthentication: "reauthentication"
        case .textFactor: "mfa"
        default: "confirmation"
        }
    }
}
