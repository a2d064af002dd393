public import Foundation

/// A credential added before the account's address was proven. It is refused until used together with proof of the
/// mailbox.
public struct AuthSetAsideCredential: Hashable, Sendable {
    /// The credential.
    public enum Kind: Hashable, Sendable {
        /// The password.
        case password
        /// A passkey.
        case passkey(id: UUID, name: String?)
        /// A provider's identity, by `identity_id`.
        case identity(id: UUID, provider: String)
    }

    /// The credential.
    public var kind: Kind
    /// When the address was first proven.
    public var setAsideAt: Date

    /// For tests and previews.
    public init(_ kind: Kind, setAsideAt: Date) {
        self.kind = kind
        self.setAsideAt = setAsideAt
    }
}

extension AuthSetAsideCredential {
    /// Also throws for unknown types.
    init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "set_aside")
        let kind: Kind =
            switch try members.required("type") {
            case "password": .password
            case "passkey": .passkey(id: try members.uuid("id"), name: members.text("name"))
            case "identity": .identity(id: try members.uuid("id"), provider: try members.required("provider"))
            default: throw WireProblem("set_aside.type: unknown")
            }
        self.init(kind, setAsideAt: try members.requiredDate("set_aside_at"))
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        switch kind {
        case .password: writer.member("type", "password")
        case .passkey(let id, let name):
            writer.member("type", "passkey")
            writer.member("id", id.uuidString.lowercased())
            writer.member("name", ifPresent: name)
        case .identity(let id, let provider):
            writer.member("type", "identity")
            writer.member("id", id.uuidString.lowercased())
            writer.member("provider", provider)
        }
        writer.member("set_aside_at", setAsideAt.instant)
        writer.endObject()
    }
}

/// A set-aside passkey that just signed in; an emailed code restores it. Never printed; do not log, store or forward
/// it.
public struct AuthSetAsideTicket: Hashable, Sendable {
    /// An opaque string.
    public let text: String
    /// By the server's clock.
    public let expiresAt: Date

    /// For tests and previews; only the server issues valid tickets.
    public init(_ text: String, expiresAt: Date) {
        self.text = text
        self.expiresAt = expiresAt
    }

    /// nil if a member is missing, or the time is after the year 9999.
    init?(_ members: WireMembers) {
        guard let text = members.text("set_aside_ticket"), let time = members.number("set_aside_ticket_expires_at"),
            WireMembers.times.contains(time)
        else { return nil }
        self.init(text, expiresAt: Date(timeIntervalSince1970: time))
    }
}

extension AuthSetAsideTicket: Unprinted {
    public var description: String { "<secret>" }
}
