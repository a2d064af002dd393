/// Raw values are sent and stored.
package enum TextChannel: String, CaseIterable, Sendable {
    case sms, whatsapp
}
