package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// By email or phone.
package struct SignUpRequest: Sendable {
    package let address: Recipient
    /// nil for an account that signs in with emailed codes.
    package let passwordHash: Secret?
    package let metadata: AuthJSONObject
    /// Whether auto-confirm confirms the address without an email.
    package let isConfirmed: Bool
    package var mail: MailRequest?
    /// Whether a sign-up email was just sent, so that a repeated sign-up sends none.
    package var isWithinInterval = false

    package init(_ address: Recipient, passwordHash: Secret?, metadata: AuthJSONObject, isConfirmed: Bool) {
        self.address = address
        self.passwordHash = passwordHash
        self.metadata = metadata
        self.isConfirmed = isConfirmed
    }

    package init(email: EmailAddress, passwordHash: Secret?, metadata: AuthJSONObject, isConfirmed: Bool) {
        self.init(.email(email), passwordHash: passwordHash, metadata: metadata, isConfirmed: isConfirmed)
    }
}

extension SignUpRequest {
    fileprivate func identityData(of user: UserID, isVerified: Bool) -> AuthJSONObject {
        switch address {
        case .email(let email):
            AccountMetadata.emailIdentity(user: user, email: email, isVerified: isVerified, data: metadata)
        case .phone: AccountMetadata.phoneSignUp(user: user, data: metadata)
        }
    }

    /// Whether the password is that of the sign-up that created the account, whose salt is equal: see
    /// ``ServerSecrets/signUpSalt(of:)``.
    fileprivate func isRepetition(of user: User) -> Bool {
        guard let passwordHash else { return user.passwordHash == nil }
        return user.passwordHash?.matches(passwordHash) ?? false
    }
}

package enum SignUpOutcome: Sendable {
    case signedIn(IssuedSession)
    case waits(Account)
    /// An earlier sign-up awaits confirmation. A different password waits as well, until a client proves the address
    /// and shows which one it chose.
    case waitsAlready
    /// A confirmed account has the address. Its owner gets an email.
    case taken
}

extension SignInStore {
    /// Creates an account, and opens a session if the address is confirmed.
    ///
    /// Repeating an unconfirmed sign-up with the same password changes nothing. Another password and its metadata wait
    /// until their client proves the address. A pending invitation is not replaced.
    package func signUp(_ signUp: SignUpRequest, from device: Device, at now: Instant) async throws -> SignUpOutcome {
        var account = newAccount(signUp, at: now)
        // The stored identity records an unproven address. An auto-confirmed sign-up's response says otherwise, as in
        // Supabase Auth.
        let answered = signUp.isConfirmed ? identityAnswered(account.identities[0], signUp) : account.identities[0]
        let session = accounts.newSession(of: account.user.id, by: .password, on: device, at: now)
        if signUp.isConfirmed { account.user.times.lastSignInAt = now }
        let fresh = account
        return try await database.write { db in
            if let existing = try db.accounts(Self.lookup(signUp.address)).first {
                return try repeated(existing, signUp, at: now, in: db)
            }
            try accounts.admit(fresh)
            var fresh = fresh
            if let mail = signUp.mail, !signUp.isConfirmed {
                fresh.user.times.confirmationSentAt = now
                try db.insert(fresh.user)
                // A number that just got a code for something else gets no second message.
                if signUp.address.phone == nil || !signUp.isWithinInterval {
                    try queueConfirmation(of: fresh, signUp.address, mail, at: now, in: db)
                }
            } else {
                try db.insert(fresh.user)
            }
            try db.insert(fresh.identities[0])
            let traits: AuthJSONObject = ["provider": .string(signUp.address.provider)]
            let signedUp = AuditEntry(
                .userSignedUp, actor: fresh.user.id, actorName: signUp.address.text, traits: traits)
            guard signUp.isConfirmed else {
                try accounts.record([signedUp], at: now, in: db)
                return .waits(fresh)
            }
            try accounts.mails.noteDevice(device, of: fresh.user, at: now, in: db)
            try db.insert(session, from: device)
            let login = AuditEntry(.login, actor: fresh.user.id, actorName: signUp.address.text, traits: traits)
            try accounts.record([signedUp, login], at: now, in: db)
            return .signedIn(
                try accounts.sessions.issue(session, to: Account(user: fresh.user, identities: [answered])))
        }
    }

    package func signUpAnonymously(
        metadata: AuthJSONObject, from device: Device, at now: Instant
    ) async throws -> IssuedSession {
        var user = accounts.newUser(at: now)
        user.isAnonymous = true
        user.userMetadata = AuthJSON.object(metadata).text
        user.times.lastSignInAt = now
        let account = Account(user: user, identities: [])
        let session = accounts.newSession(of: user.id, by: .anonymous, on: device, at: now)
        return try await database.write { db in
            try accounts.admit(account)
            try db.insert(account.user)
            try accounts.mails.noteDevice(device, of: account.user, at: now, in: db)
            try db.insert(session, from: device)
            let signedUp = AuditEntry(.userSignedUp, actor: account.user.id, actorName: "")
            let login = AuditEntry(.login, actor: account.user.id, actorName: "")
            try accounts.record([signedUp, login], at: now, in: db)
            return try accounts.sessions.issue(session, to: account)
        }
    }

    /// A fictitious account, which hides from the caller that the address is registered: the caller's input, with
    /// random ids.
    package func decoy(for signUp: SignUpRequest, at now: Instant) -> Account {
        var account = newAccount(
            SignUpRequest(
                signUp.address, passwordHash: signUp.passwordHash, metadata: signUp.metadata, isConfirmed: false),
            at: now)
        if signUp.mail != nil { account.user.times.confirmationSentAt = now }
        return account
    }

    package func newAccount(_ signUp: SignUpRequest, at now: Instant) -> Account {
        var user = accounts.newUser(at: now)
        user.passwordHash = signUp.passwordHash
        let provider = signUp.address.provider
        user.appMetadata = AuthJSON.object(AccountMetadata.providers([provider])).text
        user.userMetadata = AuthJSON.object(signUp.identityData(of: user.id, isVerified: signUp.isConfirmed)).text
        let confirmedAt = signUp.isConfirmed ? now : nil
        switch signUp.address {
        case .email(let email): (user.email, user.times.emailConfirmedAt) = (email.text, confirmedAt)
        case .phone(let phone): (user.phone, user.times.phoneConfirmedAt) = (phone.text, confirmedAt)
        }
        let identity = Identity(
            id: accounts.newID(), user: user.id, provider: provider, providerID: user.id.text,
            data: AuthJSON.object(signUp.identityData(of: user.id, isVerified: false)).text,
            email: signUp.address.email?.text, at: now)
        return Account(user: user, identities: [identity])
    }

    private func identityAnswered(_ identity: Identity, _ signUp: SignUpRequest) -> Identity {
        var identity = identity
        identity.data = AuthJSON.object(signUp.identityData(of: identity.user, isVerified: true)).text
        return identity
    }

    private func repeated(
        _ existing: Account, _ signUp: SignUpRequest, at now: Instant, in db: any Connection
    ) throws -> SignUpOutcome {
        guard existing.isAbandoned, existing.user.hasOwn(signUp.address) else {
            // A number's owner gets no message: strangers could cause costs.
            if let mail = signUp.mail, !signUp.isConfirmed, !signUp.isWithinInterval, signUp.address.phone == nil {
                let content = try accounts.mails.content(
                    .accountExists, to: signUp.address, of: existing.user, nil, mail)
                try accounts.mailQueue.queue(content, of: existing.user.id, until: now + mail.lifetime, at: now, in: db)
            }
            let entry = AuditEntry(
                .userRepeatedSignUp, actor: existing.user.id, actorName: existing.user.name,
                traits: ["provider": .string(signUp.address.provider)])
            try accounts.record([entry], at: now, in: db)
            return .taken
        }
        guard !signUp.isConfirmed else { return .waitsAlready }
        let isSame = signUp.isRepetition(of: existing.user)
        if !isSame { try wait(with: signUp, existing.user, at: now, in: db) }
        if let mail = signUp.mail, !signUp.isWithinInterval,
            try !accounts.codes.isInvited(existing.user.id, at: now, in: db)
        {
            let pending = PendingSignUp(passwordHash: signUp.passwordHash, data: signUp.metadata)
            try queueConfirmation(
                of: existing, signUp.address, mail, confirming: isSame ? nil : pending, at: now, in: db)
        }
        return .waitsAlready
    }

    /// Keeps the password of a sign-up that competes with an earlier one.
    private func wait(with signUp: SignUpRequest, _ user: User?, at now: Instant, in db: any Connection) throws {
        var setAside = user?.setAside ?? SetAside()
        if let hash = signUp.passwordHash {
            setAside.add(SetAside.Password(hash: hash, data: signUp.metadata, at: now))
        }
        try db.run("UPDATE users SET set_aside = \(setAside.stored) WHERE id = \(user?.id ?? Self.nobody)")
    }

    /// Records a sign-up that a limit refused. It competes with an earlier one, so the earlier email's code alone must
    /// not confirm the earlier password. Does the same work for every address.
    package func noteRefusedSignUp(_ signUp: SignUpRequest, at now: Instant) async throws {
        try await database.write { db in
            let found = try db.accounts(Self.lookup(signUp.address)).first {
                $0.isAbandoned && $0.user.hasOwn(signUp.address) && !signUp.isRepetition(of: $0.user)
            }
            try wait(with: signUp, found?.user, at: now, in: db)
        }
    }

    /// No account has the nil UUID.
    private static let nobody = UserID(bytes: Array(repeating: 0, count: 16))

    private func queueConfirmation(
        of account: Account, _ address: Recipient, _ request: MailRequest, confirming pending: PendingSignUp? = nil,
        at now: Instant, in db: any Connection
    ) throws {
        let content = try accounts.mails.mail(
            address.signUpKind, address.signUpSlot, to: address, of: account, request, confirming: pending, at: now,
            in: db)
        try accounts.mailQueue.queue(content, of: account.user.id, until: now + request.lifetime, at: now, in: db)
    }

    static func lookup(_ address: Recipient) -> SQL {
        switch address {
        case .email(let email): emailLookup(email)
        case .phone: ownLookup(address)
        }
    }

    /// By the account's own address, or an identity's verified one.
    static func emailLookup(_ email: EmailAddress) -> SQL {
        """
        SELECT \(columns: Accounts.userColumns), \(columns: Accounts.identityColumns)
        FROM users LEFT JOIN identities ON identities.user_id = users.id
        WHERE users.id IN (
            SELECT id FROM users WHERE email = \(email.text) AND is_sso_user = 0
            UNION ALL
            SELECT user_id FROM identities WHERE email = \(email.text) AND provider NOT LIKE 'sso:%'
                AND (provider = 'email' OR email_verified = 1) AND set_aside_at IS NULL)
        ORDER BY users.created_at, users.id, identities.created_at, identities.id
        """
    }
}
