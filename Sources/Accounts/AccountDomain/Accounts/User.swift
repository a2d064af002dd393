package import GatehouseWire

package struct User: Sendable {
    package var id: UserID
    package var audience: String
    package var role: String
    package var email: String?
    package var phone: String?
    /// In PHC or crypt format; nil without a password.
    package var passwordHash: Secret?
    /// JSON text, passed through unparsed.
    package var appMetadata = "{}"
    package var userMetadata = "{}"
    package var isAnonymous = false
    /// The API's JSON array; nil without any. Updated with every change of a factor.
    package var factors: String?
    /// Whether a factor is verified. A session without it may then do less.
    package var hasSecondFactor = false
    package var times: UserTimes
    package var newEmail: String?
    package var newPhone: String?
    /// The session that began the change to ``newEmail``, which ends with it. nil if a sign-up, an administrator or an
    /// earlier release began it.
    package var addressChangeSession: SessionID?
    /// Likewise for ``newPhone``.
    package var phoneChangeSession: SessionID?
    /// Credentials that open nothing by themselves (``SetAside``); nil without any.
    package var storedSetAside: String?
    /// The address that moved to another account when its owner started over. The password still signs in with it.
    package var formerEmail: String?

    package init(id: UserID, audience: String, role: String, times: UserTimes) {
        self.id = id
        self.audience = audience
        self.role = role
        self.times = times
    }

    package var setAside: SetAside {
        get { SetAside(stored: storedSetAside) }
        set { storedSetAside = newValue.stored }
    }

    /// Whether the user has proved ownership of the email or the number.
    package var isProven: Bool { times.emailProvenAt != nil || times.phoneProvenAt != nil }

    package func isBanned(at now: Instant) -> Bool { times.bannedUntil.map { $0 > now } ?? false }

    package var confirmedAt: Instant? {
        [times.emailConfirmedAt, times.phoneConfirmedAt].compactMap(\.self).min()
    }
}

package struct UserTimes: Sendable {
    package var createdAt: Instant
    package var updatedAt: Instant
    /// When the owner, an administrator or the settings confirmed the email for sign-in.
    package var emailConfirmedAt: Instant?
    /// When the user proved ownership of the email. Requires ``emailConfirmedAt``.
    package var emailProvenAt: Instant?
    package var phoneConfirmedAt: Instant?
    /// When the user proved ownership of the number. Requires ``phoneConfirmedAt``.
    package var phoneProvenAt: Instant?
    package var lastSignInAt: Instant?
    package var invitedAt: Instant?
    package var confirmationSentAt: Instant?
    package var recoverySentAt: Instant?
    package var emailChangeSentAt: Instant?
    package var phoneChangeSentAt: Instant?
    package var reauthenticationSentAt: Instant?
    package var bannedUntil: Instant?
    package var deletedAt: Instant?
    /// When a mail server permanently refused ``User/email``. Cleared by an accepted email or a new address.
    package var emailUndeliverableAt: Instant?
    package var formerEmailMovedAt: Instant?

    package init(createdAt: Instant) {
        self.createdAt = createdAt
        self.updatedAt = createdAt
    }
}

package struct Identity: Sendable {
    package var id: IdentityID
    package var user: UserID
    /// `email`, `phone`, `apple`, `google`, …
    package var provider: String
    /// The user's id at the provider; the account's id for `email` and `phone`.
    package var providerID: String
    package var data: String
    /// From ``data``, in lower case.
    package var email: String?
    /// Always false for `email` and `phone`.
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

package struct Account: Sendable {
    package var user: User
    package var identities: [Identity]

    package init(user: User, identities: [Identity]) {
        self.user = user
        self.identities = identities
    }
}
