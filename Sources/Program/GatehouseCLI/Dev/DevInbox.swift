import AccountDomain
import AccountStore
import AuthServer
import DevStack
import Foundation
import GatehouseServer
import GatehouseWire
import HTTPServing
import SMTP

/// Replaces a mail server.
struct DevInbox: Sendable {
    let inbox: Inbox
    let url: String
    private let root: String

    /// - Throws: ``CommandFailure`` if the folder cannot be used.
    init(at root: String, in folder: DevFolder) throws {
        do {
            inbox = try Inbox(folder: folder.inbox)
        } catch {
            throw CommandFailure("The folder \(folder.inbox) cannot be used: \(error.localizedDescription)")
        }
        self.root = root
        url = root + Inbox.path
    }

    func table(_ runtime: ServerRuntime) -> RouteTable { inbox.table(runtime: runtime, external: root) }

    /// - Throws: Never: the address is valid.
    func keeper() throws -> MailKeeper {
        let sender = try Mailbox(MailAddress("no-reply@example.com"), name: "gatehouse dev")
        return MailKeeper(sender: sender) { [inbox] mail in
            do {
                try inbox.keep(InboxMail(mail))
                return .sent
            } catch {
                return .failed(reason: "the folder of the inbox cannot be written")
            }
        }
    }

    /// - Parameter isLimited: An address has to wait between two emails, as with `serve`.
    static func rules(isLimited: Bool) -> MailRules {
        var rules = MailRules()
        if !isLimited { rules.interval = .zero }
        return rules
    }
}

extension InboxMail {
    fileprivate init(_ mail: WrittenMail) {
        self.init(
            id: mail.mail.messageID, sentAt: mail.writtenAt, recipient: mail.recipient.text, subject: mail.subject,
            text: mail.text, html: mail.html, source: String(decoding: mail.bytes, as: UTF8.self),
            link: mail.mail.link, code: mail.mail.content.code?.reveal())
    }
}
