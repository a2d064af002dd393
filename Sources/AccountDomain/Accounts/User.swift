package import GatehouseWire

/// A person's account as the store keeps it.
package struct User: Sendable {
    package var id: UserID
    package var audience: String
    package var role: String
    package var email: String?
    package var phone: String?
    /// PHC or crypt text; nil when the account has no password of its own.
    package var passwordHash: Secret?
    /// JSON objects as text: they pass from the database to the answer without being taken apart.
    package var appMetadata = "{}"
    package var userMetadata = "{}"
    package var isAnonymous = false
    package var times: UserTimes
    /// Pending changes of address.
    package var newEmail: String?
    package var newPhone: String?

    package init(id: UserID, audience: String, role: String, times: UserTimes) {
        self.id = id
        self.audience = audience
        self.role = role
        self.times = times
    }

    package func isBanned(at now: Instant) -> Bool { times.bannedUntil.map { $0 > now } ?? false }

    /// The earlier of the two confirmations.
    package var confirmedAt: Instant? {
        [times.emailConfirmedAt, times.phoneConfirmedAt].compactMap(\.self).min()
    }
}

/// When what happened to an account.
package struct UserTimes: Sendable {
    package var createdAt: Instant
    package var updatedAt: Instant
    /// The address may be used to sign in: confirmed by its person, by an administrator, or by the settings.
    package var emailConfirmedAt: Instant?
    /// The account's person has shown to have the address. Never without ``emailConfirmedAt``.
    package var emailProvenAt: Instant?
    package var phoneConfirmedAt: Instant?
    package var lastSignInAt: Instant?
    package var invitedAt: Instant?
    package var confirmationSentAt: Instant?
    package var recoverySentAt: Instant?
    package var emailChangeSentAt: Instant?
    package var phoneChangeSentAt: Instant?
    package var reauthenticationSentAt: Instant?
    package var bannedUntil: Instant?
    package var deletedAt: Instant?

    package init(createdAt: Instant) {
        self.createdAt = createdAt
        self.updatedAt = createdAt
    }
}

/// One way of signing in to an account.
package struct Identity: Sendable {
    package var id: IdentityID
    package var user: UserID
    /// `email`, `phone`, `apple`, `google`, …
    package var provider: String
    /// The provider's name for the person; for `email` and `phone` the account's own id.
    package var providerID: String
    /// A JSON object as text.
    package var data: String
    /// Lower-cased address of ``data``.
    package var email: String?
    /// Whether the provider vouches for ``email``. Never for `email` and `phone`.
    package var isEmailVerified = false
    package var lastSignInAt: Instant?
    package var createdAt: Instant
    package var updatedAt: Instant

    package init(
        id: IdentityID, user: UserID, provider: String, providerID: String, data: String, email: String?,
        at now: Instant
    ) {
        self.id = id
        self.user = user
        self.provider = provider
        self.providerID = providerID
        self.data = data
        self.email = email
        lastSignInAt = now
        createdAt = now
        updatedAt = now
    }
}

/// An account and the ways to sign in to it, oldest first.
package struct Account: Sendable {
    package var user: User
    package var identities: [Identity]

    package init(user: User, identities: [Identity]) {
        self.user = user
        self.identities = identities
    }
}
