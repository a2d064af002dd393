import AccountDomain
package import AccountStore
package import AuthServer
package import GatehouseWire
package import MailTemplates
package import SMTP

/// A mail as its recipient gets it.
package struct WrittenMail: Sendable {
    package let mail: OutgoingMail
    package let sender: MailAddress
    package let recipient: MailAddress
    package let writtenAt: Instant
    package let subject: String
    package let text: String
    package let html: String
    /// The message in the form of RFC 5322.
    package let bytes: [UInt8]
}

/// Keeps mails instead of sending them: `gatehouse dev` has one.
package struct MailKeeper: Sendable {
    let sender: Mailbox
    let keep: @Sendable (WrittenMail) async -> MailResult

    /// - Parameter sender: Its name is that of the app in mails.
    package init(sender: Mailbox, keep: @escaping @Sendable (WrittenMail) async -> MailResult) {
        (self.sender, self.keep) = (sender, keep)
    }
}

/// Writes mails and hands them on.
struct MailCarrier: Sendable {
    let writer: MailWriter
    let sender: Mailbox
    /// The name of the app in mails.
    let appName: String
    let now: @Sendable () -> Instant
    let randomBytes: @Sendable (Int) -> [UInt8]
    let hand: @Sendable (WrittenMail) async -> MailResult

    @Sendable func deliver(_ mail: OutgoingMail) async -> MailResult {
        let written: WrittenMail
        do {
            written = try write(mail)
        } catch {
            // The same in every attempt. The error names the part, never its text.
            return .refused(reason: "the mail cannot be written: \(error)")
        }
        return await hand(written)
    }

    private func write(_ mail: OutgoingMail) throws -> WrittenMail {
        let recipient = try MailAddress(mail.content.recipient.text)
        guard let template = mail.content.kind.template else { throw MissingTemplate(kind: mail.content.kind) }
        let rendered = try writer.render(
            template, language: mail.content.templateLanguage, values: values(of: mail))
        let now = now()
        let message = try MailMessage(
            from: sender, to: Mailbox(recipient), subject: rendered.subject, text: rendered.text, html: rendered.html,
            id: id(of: mail), date: now)
        return WrittenMail(
            mail: mail, sender: sender.address, recipient: recipient, writtenAt: now, subject: rendered.subject,
            text: rendered.text, html: rendered.html, bytes: message.bytes(boundary: randomBytes(16)))
    }

    /// How people know the providers.
    private static let providers = ["apple": "Apple", "google": "Google", "keycloak": "Keycloak"]

    private func id(of mail: OutgoingMail) -> MessageID {
        MessageID(
            randomBytes: Identifier<OutgoingMail>(trusted: mail.messageID).bytes, domain: sender.address.domain)
    }

    private func values(of mail: OutgoingMail) -> MailValues {
        let content = mail.content
        var values = MailValues(
            appName: appName, siteURL: mail.siteURL, email: content.account ?? content.recipient.text)
        values.sendingTo = content.recipient.text
        values.newEmail = content.newEmail
        values.confirmationURL = mail.link
        values.token = content.code?.reveal()
        values.tokenHash = content.linkToken?.reveal()
        values.redirectTo = content.redirectTo
        values.lifetime = content.code == nil ? nil : mail.lifetime
        values.data = content.data
        if let notice = content.notice {
            (values.oldEmail, values.device, values.time) = (notice.oldEmail, notice.device, notice.time)
            values.provider = notice.provider.map { Self.providers[$0] ?? $0 }
            (values.factorType, values.removalTime) = (notice.factor?.rawValue, notice.removalAt)
            values.authenticator = notice.authenticator
        }
        return values
    }
}

extension SMTPTransport {
    /// Hands a mail to the server.
    func deliver(_ mail: WrittenMail) async -> MailResult {
        do throws(SMTPFailure) {
            _ = try await send(mail.bytes, from: mail.sender, to: mail.recipient)
            return .sent
        } catch {
            // Also after an unknown outcome: a second copy has the same Message-ID, but a lost mail stays lost.
            guard let trouble = error.trouble else { return .failed(reason: "\(error)") }
            let isRefused = (trouble.reply?.code ?? 0) >= 500
            let reason = isRefused ? MailResult.byServer(trouble.cause) : trouble.cause
            guard case .permanent = error else { return .failed(reason: reason) }
            if trouble.isOfAddress { return .undeliverable(reason: trouble.cause) }
            return isRefused ? .declined(reason: reason) : .refused(reason: reason)
        }
    }
}

extension SMTPTrouble {
    /// Whether the address itself is refused: its mailbox or its domain. A code without a status may be about our server
    /// or the sender.
    fileprivate var isOfAddress: Bool {
        guard stage == .recipient, let status = reply?.status else { return false }
        // RFC 3463 §3.2 and §3.3: bad mailbox, bad domain, bad syntax, moved, disabled. RFC 7505 §4.2: null MX.
        return ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"].contains(status)
    }
}

extension MailContent {
    /// The user's own choice, before that of the request.
    fileprivate var templateLanguage: MailLanguage {
        MailLanguage.matching(data["locale"]?.stringValue) ?? .preferred(language)
    }
}

/// A kind of email without texts. A test rules it out for the kinds of this program.
private struct MissingTemplate: Error {
    let kind: MailKind
}

extension MailKind {
    /// Its texts. Most have the same name.
    package var template: MailTemplateKind? {
        switch self {
        case .signUp: .confirmation
        case .magicLink: .magicLink
        case .linkConfirmation: .code
        default: MailTemplateKind(rawValue: rawValue)
        }
    }
}
