import AccountDomain
import AccountStore
import AuthServer
import DevStack
import Foundation
import GatehouseServer
import GatehouseWire
import HTTPServing
import SMTP

/// Replaces a mail server, and a provider of text messages.
struct DevInbox: Sendable {
    let inbox: Inbox
    let url: String
    /// The value of `hook_send_sms_secrets`, new at each start.
    let textSecret: Secret
    private let textHook: InboxTextHook?
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
        textSecret = Secret("v1,whsec_" + Data(System.randomBytes(32)).base64EncodedString())
        textHook = InboxTextHook(secret: textSecret)
    }

    /// The value of `hook_send_sms_uri`.
    var textURL: String { root + Inbox.textsPath }

    func table(_ runtime: ServerRuntime) -> RouteTable {
        inbox.table(runtime: runtime, external: root, textHook: textHook)
    }

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

    /// Emails and text messages arrive here.
    ///
    /// - Parameter isLimited: An address has to wait between two emails, as with `serve`.
    func configure(_ settings: inout ServerSettings, isLimited: Bool) {
        var (mail, texts) = (MailRules(), TextRules())
        if !isLimited { (mail.interval, texts.interval) = (.zero, .zero) }
        texts.confirmsAutomatically = settings.auth.confirmsAutomatically
        (settings.auth.mail, settings.auth.texts, settings.auth.allowsPhone) = (mail, texts, true)
        settings.factors.enrolling.insert(.phone)
        settings.factors.verifying.insert(.phone)
        guard let secrets = WebhookSecret.list(textSecret) else { return }
        settings.hooks.hooks[.sendSMS] = Hook(url: textURL, secrets: secrets, continuesOnFailure: false)
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
