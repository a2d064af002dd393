package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// A validated sign-up with email address and password.
package struct EmailSignUp: Sendable {
    package let email: EmailAddress
    package let passwordHash: Secret
    /// The caller's `user_metadata`.
    package let metadata: JSONObject
    /// Whether the address counts as confirmed without a mail (auto-confirm).
    package let isConfirmed: Bool

    package init(email: EmailAddress, passwordHash: Secret, metadata: JSONObject, isConfirmed: Bool) {
        self.email = email
        self.passwordHash = passwordHash
        self.metadata = metadata
        self.isConfirmed = isConfirmed
    }
}

/// The result of a sign-up.
package enum SignUpOutcome: Sendable {
    /// The account was created and its first session opened.
    case signedIn(IssuedSession)
    /// The account was created and awaits confirmation of its address.
    case waits(Account)
    /// An earlier sign-up with this address still awaits confirmation. Nothing changed.
    case waitsAlready
    /// The address belongs to a confirmed account.
    case taken
}

extension Accounts {
    /// Creates an account with its email identity and profile, and opens a session if the address is confirmed.
    ///
    /// A repeated sign-up for an unconfirmed address changes nothing, neither the password nor the metadata, so a
    /// second person cannot take over the first one's sign-up.
    ///
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` the account and its session may exist.
    package func signUp(_ signUp: EmailSignUp, from device: Device, at now: Instant) async throws -> SignUpOutcome {
        var account = newAccount(signUp, at: now)
        // The stored identity records that the address is unproven. The response of an auto-confirmed sign-up says
        // otherwise, as that of Supabase Auth does.
        let answered = signUp.isConfirmed ? identityAnswered(account.identities[0], signUp) : account.identities[0]
        let session = newSession(of: account.user.id, by: .password, at: now)
        if signUp.isConfirmed { account.user.times.lastSignInAt = now }
        let fresh = account
        return try await database.write { db in
            if let existing = try db.accounts(Self.emailLookup(signUp.email)).first {
                return try repeated(existing, signUp.email, at: now, in: db)
            }
            try db.insert(fresh.user)
            try db.insert(fresh.identities[0])
            let traits: JSONObject = ["provider": "email"]
            let signedUp = AuditEntry(.userSignedUp, actor: fresh.user.id, actorName: signUp.email.text, traits: traits)
            guard signUp.isConfirmed else {
                try record([signedUp], at: now, in: db)
                return .waits(fresh)
            }
            try db.insert(session, from: device)
            let login = AuditEntry(.login, actor: fresh.user.id, actorName: signUp.email.text, traits: traits)
            try record([signedUp, login], at: now, in: db)
            return .signedIn(issue(session, to: Account(user: fresh.user, identities: [answered])))
        }
    }

    /// Creates an anonymous account with a session. It has no sign-in method.
    ///
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` the account and its session may exist.
    package func signUpAnonymously(
        metadata: JSONObject, from device: Device, at now: Instant
    ) async throws -> IssuedSession {
        var user = newUser(at: now)
        user.isAnonymous = true
        user.userMetadata = AnyJSON.object(metadata).text
        user.times.lastSignInAt = now
        let account = Account(user: user, identities: [])
        let session = newSession(of: user.id, by: .anonymous, at: now)
        return try await database.write { db in
            try db.insert(account.user)
            try db.insert(session, from: device)
            let signedUp = AuditEntry(.userSignedUp, actor: account.user.id, actorName: "")
            let login = AuditEntry(.login, actor: account.user.id, actorName: "")
            try record([signedUp, login], at: now, in: db)
            return issue(session, to: account)
        }
    }

    /// The fictitious account returned for an address that is already registered, so that the caller cannot tell. Made
    /// from the caller's input, with random ids.
    package func decoy(for signUp: EmailSignUp, at now: Instant) -> Account {
        newAccount(
            EmailSignUp(
                email: signUp.email, passwordHash: signUp.passwordHash, metadata: signUp.metadata, isConfirmed: false),
            at: now)
    }

    func newAccount(_ signUp: EmailSignUp, at now: Instant) -> Account {
        var user = newUser(at: now)
        let data = AccountMetadata.emailIdentity(
            user: user.id, email: signUp.email, isVerified: false, data: signUp.metadata)
        let shown = AccountMetadata.emailIdentity(
            user: user.id, email: signUp.email, isVerified: signUp.isConfirmed, data: signUp.metadata)
        user.email = signUp.email.text
        user.passwordHash = signUp.passwordHash
        user.appMetadata = AnyJSON.object(AccountMetadata.providers(["email"])).text
        user.userMetadata = AnyJSON.object(shown).text
        if signUp.isConfirmed { user.times.emailConfirmedAt = now }
        let identity = Identity(
            id: newID(), user: user.id, provider: "email", providerID: user.id.text, data: AnyJSON.object(data).text,
            email: signUp.email.text, at: now)
        return Account(user: user, identities: [identity])
    }

    private func identityAnswered(_ identity: Identity, _ signUp: EmailSignUp) -> Identity {
        var identity = identity
        identity.data =
            AnyJSON.object(
                AccountMetadata.emailIdentity(
                    user: identity.user, email: signUp.email, isVerified: true, data: signUp.metadata)
            ).text
        return identity
    }

    private func repeated(
        _ existing: Account, _ email: EmailAddress, at now: Instant, in db: any Connection
    ) throws -> SignUpOutcome {
        guard existing.isAbandoned, existing.user.email == email.text else {
            let entry = AuditEntry(
                .userRepeatedSignUp, actor: existing.user.id, actorName: existing.user.email ?? "",
                traits: ["provider": "email"])
            try record([entry], at: now, in: db)
            return .taken
        }
        return .waitsAlready
    }

    /// Finds the account of an address: by its own column, or by an identity whose provider verified the address.
    static func emailLookup(_ email: EmailAddress) -> SQL {
        """
        SELECT \(columns: userColumns), \(columns: identityColumns)
        FROM users LEFT JOIN identities ON identities.user_id = users.id
        WHERE users.id IN (
            SELECT id FROM users WHERE email = \(email.text) AND is_sso_user = 0
            UNION ALL
            SELECT user_id FROM identities WHERE email = \(email.text) AND provider NOT LIKE 'sso:%'
                AND (provider = 'email' OR email_verified = 1))
        ORDER BY users.created_at, users.id, identities.created_at, identities.id
        """
    }
}
