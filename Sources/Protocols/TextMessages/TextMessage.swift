package import GatehouseWire
package import MailTemplates

package struct TextMessage: Sendable, Unprinted {
    /// The digits of an E.164 number, without the plus sign.
    package let to: String
    package let text: Secret
    /// For WhatsApp's templates, which contain the code alone.
    package let code: Secret
    package let channel: TextChannel
    /// For providers that write the text.
    package let language: MailLanguage?

    package init(to: String, text: Secret, code: Secret, channel: TextChannel = .sms, language: MailLanguage? = nil) {
        (self.to, self.text, self.code) = (to, text, code)
        (self.channel, self.language) = (channel, language)
    }

    package var description: String { "\(channel.rawValue), \(text.utf8Count) bytes" }
}

/// A provider's response to a message. Reasons are for the log: constant texts and the provider's error code.
package enum TextResult: Equatable, Sendable {
    case accepted(id: String)
    /// A retry cannot succeed: the number is not valid, cannot be reached, has opted out or is blocked.
    case refused(reason: String)
    case failed(TextFailure)
}

package struct TextFailure: Error, Equatable, Sendable {
    package enum Kind: Sendable {
        /// The provider did not send the message; a retry may succeed.
        case temporary
        /// The provider may have sent the message, because its response is lost or unreadable. Only Twilio Verify
        /// sends the same code again; no provider recognizes a repeated request.
        case uncertain
        /// Only the operator can fix it: settings, balance, permissions.
        case configuration
    }

    package let kind: Kind
    package let reason: String

    package init(_ kind: Kind, _ reason: String) { (self.kind, self.reason) = (kind, reason) }

    package var isWorthRetrying: Bool { kind != .configuration }
}

/// A provider's verdict on a code that it generated.
package enum TextCheck: Equatable, Sendable {
    case approved
    /// Not the code; another attempt may be right.
    case wrong
    /// Expired, already used, or out of attempts.
    case over
    case failed(TextFailure)
}
