package import GatehouseServer
package import GatehouseWire
import SMTP

package struct MailChecks: Sendable {
    private let settings: MailSettings

    package init(_ settings: MailSettings) {
        var server = settings.server
        // A person waits.
        server.timeLimit = min(server.timeLimit, .seconds(30))
        self.settings = MailSettings(server: server, sender: settings.sender)
    }

    static var noServer: Finding {
        .problem("mail", "no mail server is configured", "set \(Setting.smtpHost.environmentName)")
    }

    private var server: String { "\(settings.server.host):\(settings.server.port)" }

    /// DNS records that keep a domain's emails from being treated as forged.
    private var senderRecords: String {
        let domain = settings.sender.address.domain
        return
            "receivers reject emails from \(domain) as forged without three DNS records, which are not checked here: SPF "
            + "(TXT of \(domain)) lists the servers that send for it, such as \(settings.server.host); DKIM (TXT of "
            + "NAME._domainkey.\(domain)) has the server's public signing key; DMARC (TXT of _dmarc.\(domain), such as "
            + "\"v=DMARC1; p=none\") says what to do with emails that fail both. Your mail provider has the values"
    }

    package func connection() async -> Finding {
        do throws(SMTPFailure) {
            try await SMTPTransport(settings.server).check()
            var finding = Finding.ok(
                "mail", "\(server) is reachable" + (hasCredential ? " and accepts the password" : ""))
            finding.advice = senderRecords
            return finding
        } catch {
            return problem(error)
        }
    }

    private var hasCredential: Bool {
        if case .none = settings.server.credential { false } else { true }
    }

    package func sending(
        to text: String, at now: Instant, randomBytes: (Int) -> [UInt8]
    ) async -> Finding {
        let recipient: MailAddress
        do throws(MailFault) { recipient = try MailAddress(text) } catch {
            return .problem("mail", "\(error)", "pass one address with --send, such as you@example.com")
        }
        let sender = settings.sender.address
        let name = settings.sender.name ?? "Gatehouse"
        do {
            let mail = try MailMessage(
                from: settings.sender, to: Mailbox(recipient), subject: "Test email from \(name)",
                text: Self.text(name), html: Self.html(name),
                id: MessageID(randomBytes: randomBytes(16), domain: sender.domain), date: now)
            let reply = try await SMTPTransport(settings.server)
                .send(mail.bytes(boundary: randomBytes(16)), from: sender, to: recipient)
            var finding = Finding.ok("mail", "\(server) accepted the email (\(Self.words(reply)))")
            finding.advice = "if it does not arrive, check the spam folder; \(senderRecords)"
            return finding
        } catch let failure as SMTPFailure {
            return problem(failure)
        } catch {
            return .problem("mail", "\(error)", "change \(Setting.smtpSenderName.environmentName)")
        }
    }

    private func problem(_ failure: SMTPFailure) -> Finding {
        let trouble = failure.trouble ?? SMTPTrouble(stage: .connection, cause: "\(failure)")
        let cause = trouble.reply.map { "the server replied \(Self.words($0))" } ?? trouble.cause
        let advice =
            switch trouble.stage {
            case .connection:
                "check \(Setting.smtpHost.environmentName) and \(Setting.smtpPort.environmentName), and that this "
                    + "machine can connect to it"
            case .tls:
                "\(Setting.smtpHost.environmentName) must be the name in the server's certificate; a private authority "
                    + "goes into \(Setting.smtpAuthorityFile.environmentName); a server without TLS needs "
                    + "\(Setting.smtpTLS.environmentName)=off"
            case .authentication:
                "check \(Setting.smtpUser.environmentName) and \(Setting.smtpPassword.environmentName)"
            case .sender:
                "\(Setting.smtpSender.environmentName) must be an address that the server accepts from this user"
            case .recipient: "the server does not accept email to this address"
            case .message: "the server did not accept this email; see its log"
            }
        let text = "\(server), \(trouble.stage.rawValue): \(cause)"
        if case .unknown = failure {
            return .problem("mail", text, "the email may still arrive; see the server's log")
        }
        return .problem("mail", text, advice)
    }

    /// For the terminal, not for a log: servers repeat addresses.
    private static func words(_ reply: SMTPReply) -> String { "\(reply.code) \(reply.text)" }

    private static func text(_ name: String) -> String {
        "This email shows that \(name) can send emails.\n\nIt was sent by `gatehouse doctor --send`. No reply is needed.\n"
    }

    private static func html(_ name: String) -> String {
        let markup = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"]
        let safe = name.unicodeScalars.map { markup[String($0)] ?? String($0) }.joined()
        return
            "<!doctype html><html lang=\"en\"><title>Test email</title><p>This email shows that \(safe) can send emails.</p>"
            + "<p>It was sent by <code>gatehouse doctor --send</code>. No reply is needed.</p></html>\n"
    }
}
