import GatehouseWire

/// How far an attempt came.
package enum SMTPStage: String, Sendable {
    case connection, tls, authentication, sender, recipient, message
}

/// What went wrong in an attempt.
package struct SMTPTrouble: Equatable, Sendable {
    package let stage: SMTPStage
    /// The server's refusal; nil if it did not refuse.
    package let reply: SMTPReply?
    /// For the log: the same text for the same trouble, without addresses and without the server's words.
    package let cause: String
    /// Whether every email fails until the settings change: the certificate, the password or the sender is
    /// refused, or the server offers no TLS.
    package let isConfiguration: Bool

    package init(stage: SMTPStage, reply: SMTPReply? = nil, cause: String, isConfiguration: Bool = false) {
        (self.stage, self.reply, self.cause) = (stage, reply, cause)
        self.isConfiguration = isConfiguration
    }
}

/// Why an attempt to send a mail did not succeed.
package enum SMTPFailure: Error, Equatable, Sendable {
    /// Not accepted, and a later attempt may be: a reply of 4xx, the network, a time limit, and every
    /// ``SMTPTrouble/isConfiguration``.
    case temporary(SMTPTrouble)
    /// This mail is never accepted: a reply of 5xx to its recipient or its contents.
    case permanent(SMTPTrouble)
    /// The connection, the time or the caller's patience ended after the whole mail had been sent and before the reply: the
    /// server may have accepted it.
    case unknown(SMTPTrouble)
    /// The caller was cancelled, and the mail is not accepted.
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
