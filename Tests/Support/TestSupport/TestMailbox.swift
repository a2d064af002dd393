package import AccountDomain
package import AccountStore
package import AuthServer
import GatehouseWire
import Logging
import Synchronization

/// Keeps emails instead of sending them. Returns scripted results, then success.
package final class TestMailbox: Sendable {
    private struct State {
        var mails: [OutgoingMail] = []
        var script: [MailResult] = []
        var hold: (@Sendable (OutgoingMail) async -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Including failed attempts.
    package var mails: [OutgoingMail] { state.withLock(\.mails) }

    /// The results of the next attempts.
    package func script(_ results: MailResult...) { state.withLock { $0.script = results } }

    /// Runs before the answer to each mail that was handed over.
    package func holds(_ hold: @escaping @Sendable (OutgoingMail) async -> Void) {
        state.withLock { $0.hold = hold }
    }

    @Sendable package func deliver(_ mail: OutgoingMail) async -> MailResult {
        let hold = state.withLock { state in
            state.mails.append(mail)
            return state.hold
        }
        await hold?(mail)
        return state.withLock { state in
            state.script.isEmpty ? .sent : state.script.removeFirst()
        }
    }

    fileprivate func take() -> [OutgoingMail] {
        state.withLock { state in
            defer { state.mails = [] }
            return state.mails
        }
    }
}

extension TestServer {
    /// Sends what is due, and returns the emails since the last call, in order.
    package func deliveredMails() async throws -> [OutgoingMail] {
        try await sendMails()
        return mailbox.take()
    }

    /// Sends what is due, and returns the newest code of these kinds; nil if there is none.
    package func mailedCode(to address: String, of kinds: Set<MailKind>) async throws -> String? {
        try await sendMails()
        let mail = mailbox.mails.last { kinds.contains($0.content.kind) && $0.content.recipient.text == address }
        return mail?.content.code?.reveal()
    }

    private func sendMails() async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        for lane in MailLane.allCases {
            while try await auth.mailDelivery.workMails(lane, logger: logger) > 0 {}
        }
    }

    /// Of the only email that is due.
    package func deliveredMail() async throws -> (code: String, path: String, mail: OutgoingMail) {
        let mails = try await deliveredMails()
        guard mails.count == 1, let mail = mails.first else { throw UnexpectedMails(count: mails.count) }
        let path = (mail.link ?? "").replacing(settings.externalURL, with: "/auth/v1")
        return (mail.content.code?.reveal() ?? "", path, mail)
    }
}

package struct UnexpectedMails: Error {
    package let count: Int
}
