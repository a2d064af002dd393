import GatehouseWire

/// Follows libcurl's commands and their replies, and decides an attempt's outcome.
package struct SMTPDialogue {
    package private(set) var stage = SMTPStage.connection
    /// To the last command except QUIT.
    package private(set) var reply: SMTPReply?
    package private(set) var isAuthenticated = false
    package var hasSentMail = false

    private let needsSMTPUTF8: Bool
    private var hasSMTPUTF8 = false
    private var hasQuit = false
    private var hasReply = false
    /// It began with an email, without a greeting.
    private var isOnKeptConnection = false
    private var isRefusedByUs = false
    private var sendsTooMuch = false
    private var replies = SMTPReplyReader()

    package init(needsSMTPUTF8: Bool = false) { self.needsSMTPUTF8 = needsSMTPUTF8 }

    /// The lines of a login are Base64, which starts with none of these words.
    package mutating func addCommand(_ bytes: some Collection<UInt8>) {
        let stages: KeyValuePairs<String, SMTPStage> = [
            "EHLO ": .connection, "HELO ": .connection, "STARTTLS\r\n": .tls, "AUTH ": .authentication,
            "MAIL FROM:": .sender, "RCPT TO:": .recipient, "DATA\r\n": .message,
        ]
        if bytes.starts(with: "QUIT\r\n".utf8) { hasQuit = true }
        guard let (command, stage) = stages.first(where: { bytes.starts(with: $0.key.utf8) }) else { return }
        if stage == .sender, self.stage == .connection, !hasReply { isOnKeptConnection = true }
        self.stage = stage
        reply = nil
        // Ignores what the server says before STARTTLS (RFC 3207 §4.2).
        if command == "EHLO " { hasSMTPUTF8 = false }
    }

    /// - Returns: Whether the attempt may continue.
    package mutating func addReplyLine(_ line: some Collection<UInt8>) -> Bool {
        if hasQuit { return true }
        hasReply = true
        if stage == .connection, line.dropFirst(4).starts(with: "SMTPUTF8".utf8) { hasSMTPUTF8 = true }
        do throws(SMTPReplyReader.TooMuch) {
            guard let reply = try replies.add(line) else { return true }
            self.reply = reply
        } catch {
            sendsTooMuch = true
            return false
        }
        if stage == .authentication, reply?.code == 235 { isAuthenticated = true }
        // libcurl would send the address regardless.
        isRefusedByUs = stage == .sender && needsSMTPUTF8 && !hasSMTPUTF8 && (reply?.code ?? 0) < 400
        return !isRefusedByUs
    }

    /// 4xx or 5xx.
    package var isRefused: Bool { (reply?.code ?? 0) >= 400 }

    /// The server only closed a kept connection: some accept a certain number of emails on each.
    package var wantsNewConnection: Bool {
        isOnKeptConnection && stage == .sender && (isRefused ? reply?.code == 421 : !hasReply)
    }

    /// - Parameters:
    ///   - stage: Where the settings failed; nil for other ends.
    ///   - cause: libcurl's text, for an end without a refusal.
    package func failure(settingsAt stage: SMTPStage? = nil, cause: String, isCancelled: Bool) -> SMTPFailure {
        if isRefusedByUs {
            let cause = "the server does not accept addresses with characters beyond ASCII"
            return .permanent(SMTPTrouble(stage: .recipient, cause: cause))
        }
        let isConfiguration = stage != nil
        let stage = stage ?? self.stage
        if isRefused, let reply { return Self.refusal(reply, at: stage) }
        let words = sendsTooMuch ? "the server's replies are too long" : cause
        let trouble = SMTPTrouble(
            stage: stage, cause: isCancelled ? "cancelled" : words, isConfiguration: isConfiguration)
        if hasSentMail { return .unknown(trouble) }
        return isCancelled ? .cancelled : .temporary(trouble)
    }

    private static func refusal(_ reply: SMTPReply, at stage: SMTPStage) -> SMTPFailure {
        let isForGood = reply.code >= 500
        // Some servers check the sender only at the recipient (RFC 3463 §3.2: X.1.7 and X.1.8 are about the sender).
        let isAboutSender = reply.status.map { ["5.1.7", "5.1.8"].contains($0) } ?? false
        // 552: the email is too big.
        let isAboutMail =
            (stage == .recipient || stage == .message) && !isAboutSender || (stage == .sender && reply.code == 552)
        let trouble = SMTPTrouble(
            stage: stage, reply: reply, cause: "the server answered \(reply)",
            isConfiguration: isForGood && !isAboutMail && stage != .connection)
        return isForGood && isAboutMail ? .permanent(trouble) : .temporary(trouble)
    }
}
