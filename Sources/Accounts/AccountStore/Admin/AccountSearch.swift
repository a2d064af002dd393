package import AccountDomain
package import GatehouseWire

/// An administrator's search. nil accepts every account.
package struct AccountSearch: Sendable {
    /// The id of an account, or else the beginning of its address or of its `user_metadata.full_name`, in any case of
    /// ASCII letters. At most ``longestText`` bytes, without U+0000.
    package var text: String?
    /// The provider of one of the account's identities, such as `email` or `google`.
    package var method: String?
    package var state: State?
    /// The last sign-in was then or later.
    package var seenAfter: Instant?
    /// The last sign-in was earlier. An account without a sign-in does not match.
    package var seenBefore: Instant?

    package static let longestText = 256

    /// The raw values are the admin API's.
    package enum State: String, CaseIterable, Sendable {
        /// In none of the other states.
        case active
        /// With neither a confirmed address nor a confirmed phone number.
        case unconfirmed
        case banned, anonymous
        /// Softly: the row is still there.
        case deleted
    }

    package init() {}

    var isFiltered: Bool { method != nil || state != nil || seenAfter != nil || seenBefore != nil }
}

/// An account as a list shows it.
package struct FoundAccount: Sendable {
    package let id: UserID
    package let email: String?
    package let phone: String?
    /// At most 256 characters.
    package let fullName: String?
    package let createdAt: Instant
    package let lastSignInAt: Instant?
    package let emailConfirmedAt: Instant?
    package let bannedUntil: Instant?
    package let deletedAt: Instant?
    package let isAnonymous: Bool
    /// The providers of its identities, each once, in alphabetical order.
    package let providers: [String]
}

/// One page of a search.
package struct SearchPage: Sendable {
    package let accounts: [FoundAccount]
    /// Where the next page begins; nil at the end. Sealed: it may contain an address or a name.
    package let next: String?
}

/// A cursor that this server did not make, or not for this kind of search.
package struct MalformedCursor: Error, Equatable, Sendable {}
