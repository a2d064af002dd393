import Foundation
import GatehouseWire
package import SMTP

package struct MailSettings: Sendable {
    package let server: SMTPServer
    package let sender: Mailbox

    package init(server: SMTPServer, sender: Mailbox) { (self.server, self.sender) = (server, sender) }
}

extension SettingsReader {
    /// - Returns: nil without a mail server. The other settings still need a valid form.
    mutating func mail() -> MailSettings? {
        let sender = sender()
        let (port, connections) = (number(.smtpPort), number(.smtpConnections))
        let security = choice(
            .smtpTLS, ["starttls": SMTPServer.Security.startTLS, "tls": .tls, "off": .off])
        let timeLimit = duration(.smtpTimeLimit) ?? .seconds(120)
        if !(Duration.seconds(1)...Duration.seconds(600)).contains(timeLimit) {
            refuse(.smtpTimeLimit, "expected a duration from 1s to 10m")
        }
        guard let host = text(.smtpHost) else { return nil }
        guard var server = SMTPServer(host: host, port: port, security: security ?? .startTLS) else {
            refuse(.smtpHost, "expected the name of a server, or its IP address without brackets")
            return nil
        }
        if text(.smtpSender) == nil {
            refuse(.smtpSender, "is missing: expected the address that mails come from")
        }
        if security == nil { server.security = server.isLoopback ? .off : port == 465 ? .tls : .startTLS }
        server.authorityFile = authorityFile()
        server.credential = credential()
        server.clientName = clientName()
        server.connections = connections
        server.timeLimit = timeLimit
        server.connectTimeLimit = min(server.connectTimeLimit, timeLimit)
        return sender.map { MailSettings(server: server, sender: $0) }
    }

    private mutating func sender() -> Mailbox? {
        let name = text(.smtpSenderName)
        guard let text = text(.smtpSender) else { return nil }
        do throws(MailFault) {
            return try Mailbox(MailAddress(text), name: name)
        } catch .controlCharacter(.name), .tooLong(.name, _) {
            refuse(.smtpSenderName, "expected a name in one line, of at most 256 bytes")
        } catch {
            refuse(.smtpSender, "expected an address such as no-reply@example.com")
        }
        return nil
    }

    /// For EHLO: the host of our URL, which other servers can look up.
    private func clientName() -> String? {
        guard let host = text(.externalURL).flatMap({ URL(string: $0)?.host }), host.contains(ascii: "."),
            IPAddress(host) == nil, let named = SMTPServer(host: host, port: 25, security: .off)
        else { return nil }
        return named.host
    }

    private mutating func authorityFile() -> String? {
        guard let path = text(.smtpAuthorityFile) else { return nil }
        do throws(UnreadableFile) {
            if try GivenSettings.readText(path).contains("-----BEGIN CERTIFICATE-----") { return path }
            refuse(.smtpAuthorityFile, "names a file without a certificate in PEM")
        } catch {
            refuse(.smtpAuthorityFile, "names a file that cannot be read: \(error)")
        }
        return nil
    }

    private mutating func credential() -> SMTPServer.Credential {
        let (password, tokenFile) = (given[.smtpPassword]?.text, text(.smtpTokenFile))
        if password != nil, tokenFile != nil {
            refuse(.smtpTokenFile, "is set together with \(Setting.smtpPassword.environmentName): keep one of them")
        }
        guard let user = text(.smtpUser) else {
            if tokenFile != nil { refuse(.smtpUser, "is missing: expected the user whose token the file contains") }
            return .none
        }
        for (setting, text) in [(Setting.smtpUser, user), (.smtpPassword, password ?? "")]
        where text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            refuse(setting, "has a control character")
        }
        if let tokenFile {
            return .token(user: user) { Secret(try GivenSettings.readSecret(tokenFile)) }
        }
        guard let password else {
            if !given.has(.smtpPassword) {
                refuse(.smtpPassword, "is missing: expected the password of \(Setting.smtpUser.environmentName)")
            }
            return .none
        }
        return .password(user: user, Secret(password))
    }
}
