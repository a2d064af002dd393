package import AccountDomain
package import GatehouseWire

/// nil accepts every account.
package struct AccountSearch: Sendable {
    /// Recognized by its form; see ``SearchText``. At most ``longestText`` bytes, without U+0000.
    package var text: String?
    /// Of one of its identities, such as `email` or `google`.
    package var method: String?
    package var state: State?
    /// Inclusive.
    package var seenAfter: Instant?
    /// Exclusive. An account without a sign-in does not match.
    package var seenBefore: Instant?

    /// Of a list without a text.
    package var isOldestFirst = false

    package static let longestText = 256

    /// Raw values are the admin API's.
    package enum State: String, CaseIterable, Sendable {
        /// In none of the other states.
        case active
        /// Neither address nor phone number is confirmed.
        case unconfirmed
        case banned, anonymous
        /// Soft-deleted.
        case deleted
    }

    package init() {}

    var isFiltered: Bool { method != nil || state != nil || seenAfter != nil || seenBefore != nil }
}

package struct FoundAccount: Sendable {
    package let id: UserID
    package let email: String?
    package let phone: String?
    /// By the metadata or the profile, at most 256 code points.
    package let fullName: String?
    package let createdAt: Instant
    package let lastSignInAt: Instant?
    package let emailConfirmedAt: Instant?
    package let bannedUntil: Instant?
    package let deletedAt: Instant?
    package let isAnonymous: Bool
    /// Without duplicates, in alphabetical order.
    package let providers: [String]
}

package struct SearchPage: Sendable {
    package let accounts: [FoundAccount]
    /// nil at the end. Encrypted: it may contain an address or a name.
    package let next: String?
    /// True until accounts from an earlier release are indexed: their names may be missing.
    package let isIncomplete: Bool
    /// True if more accounts have the number. There is no ``next``.
    package let isCut: Bool
}

/// Not this server's cursor, or for another kind of search.
package struct MalformedCursor: Error, Equatable, Sendable {}
