import GatehouseWire

package enum SMTPStage: String, Sendable {
    case connection, tls, authentication, sender, recipient, message
}

package struct SMTPTrouble: Equatable, Sendable {
    package let stage: SMTPStage
    /// nil if the server did not refuse.
    package let reply: SMTPReply?
    /// For the log: constant for a given trouble, without addresses or the server's text.
    package let cause: String
    /// Every email fails until the settings change: certificate, password, sender, or no TLS.
    package let isConfiguration: Bool

    package init(stage: SMTPStage, reply: SMTPReply? = nil, cause: String, isConfiguration: Bool = false) {
        (self.stage, self.reply, self.cause) = (stage, reply, cause)
        self.isConfiguration = isConfiguration
    }
}

package enum SMTPFailure: Error, Equatable, Sendable {
    /// A retry may be accepted: a 4xx reply, the network, a time limit, and every ``SMTPTrouble/isConfiguration``.
    case temporary(SMTPTrouble)
    /// A 5xx reply to the recipient or contents.
    case permanent(SMTPTrouble)
    /// Ended after the whole email, before the reply: the server may have accepted it.
    case unknown(SMTPTrouble)
    case cancelled

    package var trouble: SMTPTrouble? {
        switch self {
        case .temporary(let trouble), .permanent(let trouble), .unknown(let trouble): trouble
        case .cancelled: nil
        }
    }
}

// For the log.
extension SMTPFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .temporary(let trouble): "temporary, \(trouble.stage.rawValue): \(trouble.cause)"
        case .permanent(let trouble): "permanent, \(trouble.stage.rawValue): \(trouble.cause)"
        case .unknown(let trouble): "unknown, \(trouble.stage.rawValue): \(trouble.cause)"
        case .cancelled: "cancelled"
        }
    }
}
