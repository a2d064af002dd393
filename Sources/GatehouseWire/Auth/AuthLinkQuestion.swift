public import Foundation

/// What a person is asked who came with a provider's identity, and whose address an account has already.
///
/// Whoever holds it has just shown to have that address. They sign in to the account in one of ``signInMethods`` and
/// redeem the ticket; or, where nobody has proven the address, take it with a new account.
public struct AuthLinkQuestion: Hashable, Sendable {
    /// Good once, and until ``expiresAt``.
    public var ticket: AuthLinkTicket
    /// By the server's clock.
    public var expiresAt: Date
    /// The address that both have; lower case.
    public var email: String
    /// Who vouches for the address: `google`, `apple`, or another name.
    public var provider: String
    /// How the account can be entered: `password`, and names of providers.
    public var signInMethods: [String]
    /// Whether the person may take the address instead. What belonged to the account goes with it then.
    public var canRecover: Bool

    /// For tests and previews.
    public init(
        ticket: AuthLinkTicket, expiresAt: Date, email: String, provider: String, signInMethods: [String],
        canRecover: Bool
    ) {
        self.ticket = ticket
        self.expiresAt = expiresAt
        self.email = email
        self.provider = provider
        self.signInMethods = signInMethods
        self.canRecover = canRecover
    }

    /// - Returns: nil when a member is missing without which nothing can be asked.
    init?(_ members: WireMembers) {
        guard let ticket = members.text("link_ticket"), let expiresAt = members.number("link_ticket_expires_at"),
            expiresAt.isFinite, let email = members.text("email"), let provider = members.text("provider")
        else { return nil }
        self.init(
            ticket: AuthLinkTicket(ticket), expiresAt: Date(timeIntervalSince1970: expiresAt), email: email,
            provider: provider, signInMethods: members["sign_in_methods"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            canRecover: members.bool("can_recover"))
    }
}

/// Stands for an identity that waits for its link. It does not print itself; never log, store or send it yourself.
public struct AuthLinkTicket: Hashable, Sendable {
    /// 43 characters.
    public let text: String

    /// For tests and previews; the server makes the ones that open something.
    public init(_ text: String) { self.text = text }
}

extension AuthLinkTicket: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<secret>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

// A person's address is no text for logs either.
extension AuthLinkQuestion: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "AuthLinkQuestion(provider: \(provider), ticket: <secret>)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        Mirror(self, children: ["provider": provider, "signInMethods": signInMethods, "canRecover": canRecover])
    }
}
