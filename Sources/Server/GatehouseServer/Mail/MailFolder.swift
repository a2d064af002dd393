import AccountDomain
import AccountStore
import AuthServer
import Foundation
import GatehouseWire

/// Stores mails in a folder, for tests. A file appears complete, under a name that sorts by time.
struct MailFolder: Sendable {
    let path: String
    let now: @Sendable () -> Instant

    @Sendable func deliver(_ mail: OutgoingMail) async -> MailResult {
        let content = mail.content
        let members: [String: AuthJSON?] = [
            "message_id": .string(mail.messageID), "kind": .string(content.kind.rawValue),
            "to": .string(content.recipient.text), "link": mail.link.map(AuthJSON.string),
            "code": (content.code?.reveal()).map(AuthJSON.string), "new_email": content.newEmail.map(AuthJSON.string),
            "language": content.language.map(AuthJSON.string), "site_url": .string(mail.siteURL),
        ]
        let text = AuthJSON.object(AuthJSONObject(members.compactMapValues(\.self))).text
        let name = "\(now().microseconds)-\(mail.messageID).json"
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: path).appending(path: name), options: .atomic)
            return .sent
        } catch {
            return .failed(reason: "the folder of mails cannot be written")
        }
    }
}
