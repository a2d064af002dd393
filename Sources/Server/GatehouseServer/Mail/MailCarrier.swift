import AccountDomain
package import AccountStore
package import AuthServer
package import GatehouseWire
package import MailTemplates
package import SMTP

package struct WrittenMail: Sendable {
    package let mail: OutgoingMail
    package let sender: MailAddress
    package let recipient: MailAddress
    package let writtenAt: Instant
    package let subject: String
    package let text: String
    package let html: String
    /// RFC 5322.
    package let bytes: [UInt8]
}

/// Keeps mails instead of sending them, for `gatehouse dev`.
package struct MailKeeper: Sendable {
    let sender: Mailbox
    let keep: @Sendable (WrittenMail) async -> MailResult

    /// - Parameter sender: Its name is the app's.
    package init(sender: Mailbox, keep: @escaping @Sendable (WrittenMail) async -> MailResult) {
        (self.sender, self.keep) = (sender, keep)
    }
}

struct MailCarrier: Sendable {
    let writer: MailWriter
    let sender: Mailbox
    let appName: String
    let now: @Sendable () -> Instant
    let randomBytes: @Sendable (Int) -> [UInt8]
    let hand: @Sendable (WrittenMail) async -> MailResult

    @Sendable func deliver(_ mail: OutgoingMail) async -> MailResult {
        let written: WrittenMail
        do {
            written = try write(mail)
        } catch {
            // Every attempt would fail. The error names the part, never its text.
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
            values.provider = notice.provider.map { ProviderTitle.text(of: $0) }
            (values.factorType, values.removalTime) = (notice.factor?.rawValue, notice.removalAt)
            values.authenticator = notice.authenticator
            (values.phone, values.oldPhone) = (notice.phone, notice.oldPhone)
            (values.clientName, values.appsURL) = (notice.client, notice.page)
            if let page = notice.page, let token = notice.reportToken {
                values.reportURL = "\(page)?token=\(token.reveal())"
            }
            values.access = notice.access.map { ($0.name, $0.text) }
        }
        return values
    }
}

extension SMTPTransport {
    func deliver(_ mail: WrittenMail) async -> MailResult {
        do throws(SMTPFailure) {
            _ = try await send(mail.bytes, from: mail.sender, to: mail.recipient)
            return .sent
        } catch {
            // Even after an unknown outcome: a second copy has the same Message-ID, but a lost mail stays lost.
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
    /// The mailbox or domain. A code without a status may be about our server or the sender.
    fileprivate var isOfAddress: Bool {
        guard stage == .recipient, let status = reply?.status else { return false }
        // RFC 3463 §3.2 and §3.3: bad mailbox, bad domain, bad syntax, moved, disabled. RFC 7505 §4.2: null MX.
        return ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"].contains(status)
    }
}

extension MailContent {
    /// The user's choice, else the request's.
    var templateLanguage: MailLanguage {
        MailLanguage.matching(data["locale"]?.stringValue) ?? .preferred(language)
    }
}

/// A test rules this out for this program's kinds.
private struct MissingTemplate: Error {
    let kind: MailKind
}

extension MailKind {
    package var template: MailTemplateKind? {
        switch self {
        case .signUp: .confirmation
        case .magicLink: .magicLink
        case .linkConfirmation: .code
        default: MailTemplateKind(rawValue: rawValue)
        }
    }
}
