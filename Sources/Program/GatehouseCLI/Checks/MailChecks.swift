package import GatehouseServer
package import GatehouseWire
import SMTP

/// Checks the server that takes mails.
package struct MailChecks: Sendable {
    private let settings: MailSettings

    package init(_ settings: MailSettings) {
        var server = settings.server
        // A person waits.
        server.timeLimit = min(server.timeLimit, .seconds(30))
        self.settings = MailSettings(server: server, sender: settings.sender)
    }

    static var noServer: Finding {
        .problem("mail", "no server takes mails", "set \(Setting.smtpHost.environmentName)")
    }

    private var server: String { "\(settings.server.host):\(settings.server.port)" }

    /// The DNS records that a domain needs so that its emails are not treated as forged.
    private var senderRecords: String {
        let domain = settings.sender.address.domain
        return
            "mails from \(domain) count as forged without three records in its DNS, which are not checked here: SPF (TXT of "
            + "\(domain)) names the servers that may send for it, \(settings.server.host) or those behind it; DKIM (TXT of "
            + "NAME._domainkey.\(domain)) has the public key with which the server signs mails; DMARC (TXT of "
            + "_dmarc.\(domain), such as \"v=DMARC1; p=none\") says what receivers do with mails that pass neither. Your "
            + "mail provider knows the values"
    }

    /// Connects and authenticates.
    package func connection() async -> Finding {
        do throws(SMTPFailure) {
            try await SMTPTransport(settings.server).check()
            var finding = Finding.ok(
                "mail", "\(server) can be reached" + (hasCredential ? " and accepts the password" : ""))
            finding.advice = senderRecords
            return finding
        } catch {
            return problem(error)
        }
    }

    private var hasCredential: Bool {
        if case .none = settings.server.credential { false } else { true }
    }

    /// Sends a mail to an address.
    package func sending(
        to text: String, at now: Instant, randomBytes: (Int) -> [UInt8]
    ) async -> Finding {
        let recipient: MailAddress
        do throws(MailFault) { recipient = try MailAddress(text) } catch {
            return .problem("mail", "\(error)", "give one address after --send, such as you@example.com")
        }
        let sender = settings.sender.address
        let name = settings.sender.name ?? "Gatehouse"
        do {
            let mail = try MailMessage(
                from: settings.sender, to: Mailbox(recipient), subject: "Test mail from \(name)",
                text: Self.text(name), html: Self.html(name),
                id: MessageID(randomBytes: randomBytes(16), domain: sender.domain), date: now)
            let reply = try await SMTPTransport(settings.server)
                .send(mail.bytes(boundary: randomBytes(16)), from: sender, to: recipient)
            var finding = Finding.ok("mail", "\(server) accepted the mail (\(Self.words(reply)))")
            finding.advice = "if it does not arrive, look for it among the unwanted mails; \(senderRecords)"
            return finding
        } catch let failure as SMTPFailure {
            return problem(failure)
        } catch {
            return .problem("mail", "\(error)", "change \(Setting.smtpSenderName.environmentName)")
        }
    }

    private func problem(_ failure: SMTPFailure) -> Finding {
        let trouble = failure.trouble ?? SMTPTrouble(stage: .connection, cause: "\(failure)")
        let cause = trouble.reply.map { "the server answered \(Self.words($0))" } ?? trouble.cause
        let advice =
            switch trouble.stage {
            case .connection:
                "check \(Setting.smtpHost.environmentName) and \(Setting.smtpPort.environmentName), and that this "
                    + "machine may connect there"
            case .tls:
                "\(Setting.smtpHost.environmentName) has to be the name in the server's certificate; an authority of "
                    + "your own goes into \(Setting.smtpAuthorityFile.environmentName), and a server without TLS needs "
                    + "\(Setting.smtpTLS.environmentName)=off"
            case .authentication:
                "check \(Setting.smtpUser.environmentName) and \(Setting.smtpPassword.environmentName)"
            case .sender:
                "\(Setting.smtpSender.environmentName) has to be an address that the server accepts from this user"
            case .recipient: "the server does not accept mails to this address"
            case .message: "the server did not accept this mail; its log says more"
            }
        let text = "\(server), \(trouble.stage.rawValue): \(cause)"
        if case .unknown = failure {
            return .problem("mail", text, "the mail may arrive all the same; see the server's log")
        }
        return .problem("mail", text, advice)
    }

    /// For the terminal of the person that asked, not for a log: servers repeat addresses.
    private static func words(_ reply: SMTPReply) -> String { "\(reply.code) \(reply.text)" }

    private static func text(_ name: String) -> String {
        "This mail shows that \(name) can send mails.\n\n`gatehouse doctor --send` sent it. You need not answer.\n"
    }

    private static func html(_ name: String) -> String {
        let markup = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"]
        let safe = name.unicodeScalars.map { markup[String($0)] ?? String($0) }.joined()
        return
            "<!doctype html><html lang=\"en\"><title>Test mail</title><p>This mail shows that \(safe) can send mails.</p>"
            + "<p><code>gatehouse doctor --send</code> sent it. You need not answer.</p></html>\n"
    }
}
