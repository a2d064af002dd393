public import Foundation

/// Asks how to continue when a provider's verified address already belongs to an account.
///
/// The user either signs in to the account with one of ``signInMethods`` and redeems the ticket, or moves the address
/// to a new account.
public struct AuthLinkQuestion: Hashable, Sendable {
    /// Single-use, valid until ``expiresAt``.
    public var ticket: AuthLinkTicket
    /// By the server's clock.
    public var expiresAt: Date
    /// The shared address, in lower case.
    public var email: String
    /// `google`, `apple`, or another name.
    public var provider: String
    /// `password`, and provider names.
    public var signInMethods: [String]
    /// Whether the address may move to a new account instead.
    public var canRecover: Bool
    /// Whether a code emailed to the account's address can prove the account.
    public var canMailCode = false
    /// Whether a passkey can prove the account.
    public var canUsePasskey = false

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

    /// nil if a member is missing, or the time is after the year 9999.
    init?(_ members: WireMembers) {
        guard let ticket = members.text("link_ticket"), let expiresAt = members.number("link_ticket_expires_at"),
            WireMembers.times.contains(expiresAt), let email = members.text("email"),
            let provider = members.text("provider")
        else { return nil }
        self.init(
            ticket: AuthLinkTicket(ticket), expiresAt: Date(timeIntervalSince1970: expiresAt), email: email,
            provider: provider, signInMethods: members["sign_in_methods"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            canRecover: members.bool("can_recover"))
        canMailCode = members.bool("can_mail_code")
        canUsePasskey = members.bool("can_use_passkey")
    }

    /// `expiresAt` is in seconds since 1970.
    package static func members(
        ticket: String, expiresAt: Int64, email: String, provider: String, signInMethods: [String], canRecover: Bool,
        canMailCode: Bool = false, canUsePasskey: Bool = false
    ) -> [(name: StaticString, value: AuthJSON)] {
        [
            ("link_ticket", .string(ticket)), ("link_ticket_expires_at", .integer(expiresAt)),
            ("email", .string(email)), ("provider", .string(provider)),
            ("sign_in_methods", .array(signInMethods.map(AuthJSON.string))), ("can_recover", .bool(canRecover)),
        ] + (canMailCode ? [("can_mail_code", .bool(true))] : [])
            + (canUsePasskey ? [("can_use_passkey", .bool(true))] : [])
    }
}

/// An identity that waits for its link. Never printed; do not log, store or forward it.
public struct AuthLinkTicket: Hashable, Sendable {
    /// 43 characters.
    public let text: String

    /// For tests and previews; only the server issues valid tickets.
    public init(_ text: String) { self.text = text }
}

extension AuthLinkTicket: Unprinted {
    public var description: String { "<secret>" }
}

// Also hides the email address.
extension AuthLinkQuestion: Unprinted {
    public var description: String { "AuthLinkQuestion(provider: \(provider), ticket: <secret>)" }
}
