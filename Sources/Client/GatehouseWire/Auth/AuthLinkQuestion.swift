public import Foundation

/// A question to a user who signed in with a provider and whose address already belongs to an account.
///
/// The provider has verified that the user has the address. The user either signs in to the account with one of
/// ``signInMethods`` and redeems the ticket, or moves the address to a new account.
public struct AuthLinkQuestion: Hashable, Sendable {
    /// Single-use, valid until ``expiresAt``.
    public var ticket: AuthLinkTicket
    /// By the server's clock.
    public var expiresAt: Date
    /// The common address, in lower case.
    public var email: String
    /// The provider that verified the address: `google`, `apple`, or another name.
    public var provider: String
    /// The account's sign-in methods: `password`, and provider names.
    public var signInMethods: [String]
    /// Whether the user may start over instead: a new account gets the address. The account that has it keeps everything
    /// else.
    public var canRecover: Bool
    /// Whether the server mails a code to the account's address that proves the account, as a sign-in would.
    public var canMailCode = false
    /// Whether the account has a passkey, which proves it too.
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

    /// - Returns: nil if a required member is missing, or the time is after the year 9999.
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

    /// The members that ``init(_:)`` reads.
    ///
    /// - Parameter expiresAt: In seconds since 1970.
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

/// Represents an identity that waits for its link. Does not print itself; never log, store or forward it.
public struct AuthLinkTicket: Hashable, Sendable {
    /// 43 characters.
    public let text: String

    /// For tests and previews; only the server issues valid tickets.
    public init(_ text: String) { self.text = text }
}

extension AuthLinkTicket: Unprinted {
    public var description: String { "<secret>" }
}

// Hides the email address too.
extension AuthLinkQuestion: Unprinted {
    public var description: String { "AuthLinkQuestion(provider: \(provider), ticket: <secret>)" }
}
