public import Foundation
public import Gatehouse
import GatehouseWire

extension InMemoryAuthService {
    /// An email that the server has sent. Its code is ``InMemoryAuthService/mailCode(_:to:)``.
    public struct Mail: Hashable, Sendable {
        /// An email's purpose.
        public enum Kind: String, Hashable, Sendable {
            /// Resets the password.
            case recovery
            /// Confirms a sign-up.
            case confirmation
            /// Signs in.
            case signIn
            /// Confirms an email change, at the new or the current address.
            case emailChange
            /// Contains the code that answers a link question, and no link.
            case link
            /// Notifies an account's owner of a sign-up with its address. Has neither code nor link.
            case accountExists
        }

        /// The purpose.
        public var kind: Kind
        /// The address, in lower case.
        public var email: String

        /// Creates a value to compare with.
        public init(kind: Kind, email: String) {
            self.kind = kind
            self.email = email
        }
    }

    /// The server's public settings, initially with Apple, Google and email.
    public var serverSettings: AuthServerSettings {
        get { state.withLock { $0.server.settings } }
        set { state.withLock { $0.server.settings = newValue } }
    }

    /// The requested emails in order, even to unknown addresses.
    public var mails: [Mail] { state.withLock { $0.server.mails } }

    /// The newest usable code of a kind to an address.
    ///
    /// It is valid for an hour (a link question's for ten minutes) and five attempts, until one of the last three codes
    /// is used or the password changes.
    public func mailCode(_ kind: Mail.Kind, to email: String) -> String? {
        let now = clock.now
        return state.withLock { $0.server.mailing.code(kind, email, at: now)?.text }
    }

    /// The link of an email that this device requested; nil without ``redirectTo``.
    ///
    /// `AuthManager.Mail.openLink(_:)` accepts it until the account is removed; an email change's, as long as its code.
    /// The first of an email change's two links confirms one address, and throws.
    public func mailLink(_ kind: Mail.Kind, to email: String) -> URL? {
        let mail = Mail(kind: kind, email: email.lowercased())
        state.withLock { $0.keepFlow(of: mail) }
        return redirectTo?.appending(queryItems: [URLQueryItem(name: "code", value: mail.code)])
    }

    /// The number of an account's sessions on all devices.
    public func sessionCount(of email: String) -> Int {
        state.withLock { state in
            let id = state.server.account(email: email)?.user.id
            return state.server.sessions.values.count { $0 == id }
        }
    }

    /// Adds a session on another device of an existing account.
    public func addDevice(userAgent: String?, of email: String = "ada@example.com") {
        let now = clock.now
        state.withLock { state in
            guard let id = state.server.account(email: email)?.user.id else { return }
            let number = state.server.number()
            state.server.sessions[number] = id
            state.server.devices[number] = SessionInfo(id: Fixtures.id(number), createdAt: now, userAgent: userAgent)
        }
    }
}

extension InMemoryAuthService.Mail {
    /// The link's code.
    var code: String { Base64URL.text(Array("\(kind.rawValue) \(email)".utf8)) }

    /// - Returns: nil for any other code.
    init?(code: String) {
        let words = String(decoding: Base64URL.decode(code) ?? [], as: UTF8.self).split(separator: " ", maxSplits: 1)
        guard words.count == 2, let kind = Kind(rawValue: String(words[0])) else { return nil }
        self.init(kind: kind, email: String(words[1]))
    }
}
