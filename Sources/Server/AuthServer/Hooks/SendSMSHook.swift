import AccountDomain
import GatehouseWire

extension JSONWriter {
    /// As in Supabase Auth, with the channel.
    mutating func textData(_ text: MailContent) {
        beginObject()
        member("otp", text.code?.reveal() ?? "")
        member("phone", text.recipient.text)
        member("sms_type", text.kind.textType)
        member("channel", (text.channel ?? .sms).rawValue)
        endObject()
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
