package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// A user's changes to the user's own account. nil keeps a field.
package struct UserUpdate: Sendable {
    /// Merged at the top level; null deletes a key.
    package var metadata: JSONObject?
    package var passwordHash: Secret?
    /// The hash that the caller verified. If it has changed since, the update does nothing.
    package var checkedHash: Secret?
    /// Takes effect immediately; counts as confirmed but not as proven.
    package var email: EmailAddress?

    package init() {}
}

/// The result of a user's change. Only `updated` has changed anything.
package enum UserUpdateOutcome: Sendable {
    case updated(Account)
    case emailTaken
    /// Another request changed the password in between.
    case changedMeanwhile
    case gone
    /// The caller's session has ended, or the user was banned.
    case sessionEnded
    /// The merged metadata exceeds ``AccountMetadata/maximumBytes``.
    case metadataTooLong
}

extension Accounts {
    /// Applies a user's changes. A new password ends all other sessions and deletes pending authorization codes. Every
    /// refusal happens before the first write, because a returned outcome commits.
    ///
    /// - Parameter session: The session of the caller's token, if it names one. It stays active.
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` the account may have changed.
    package func update(
        _ user: UserID, _ update: UserUpdate, keeping session: SessionID?, at now: Instant
    ) async throws -> UserUpdateOutcome {
        try await revoking(at: now) { db in
            let changer = try changer(user, by: session, at: now, in: db)
            guard case .good(var account) = changer else { return changer.isGone ? .gone : .sessionEnded }
            var entries: [AuditEntry] = []
            let name = account.user.email ?? ""
            if let email = update.email, email.text != account.user.email, try db.isTaken(email, besides: user) {
                return .emailTaken
            }
            account.user.times.updatedAt = now
            if let metadata = update.metadata {
                account.user.userMetadata = try Self.merged(metadata, into: account.user.userMetadata)
                guard account.user.userMetadata.utf8.count <= AccountMetadata.maximumBytes else {
                    return .metadataTooLong
                }
                entries.append(AuditEntry(.userModified, actor: user, actorName: name))
            }
            if let hash = update.passwordHash {
                guard account.user.passwordHash?.reveal() == update.checkedHash?.reveal() else {
                    return .changedMeanwhile
                }
                account.user.passwordHash = hash
                try db.endSessions(of: user, keeping: session, at: now)
                try db.voidCodes(of: user)
                entries.append(AuditEntry(.userUpdatedPassword, actor: user, actorName: name))
            }
            if let email = update.email, email.text != account.user.email {
                try setEmail(email, of: &account, isVerified: false, at: now, in: db)
                account.user.times.emailConfirmedAt = now
                account.user.isAnonymous = false
                account.user.appMetadata = try Self.providersRecomputed(account)
                entries.append(AuditEntry(.userModified, actor: user, actorName: email.text))
            }
            try db.update(account.user)
            try record(entries, at: now, in: db)
            return .updated(account)
        }
    }

    static func merged(_ changes: JSONObject, into text: String) throws -> String {
        var members = try JSONReader.read(text).objectValue ?? [:]
        members.merge(deletingNulls: changes)
        return AnyJSON.object(members).text
    }

    static func providersRecomputed(_ account: Account) throws -> String {
        let members = try JSONReader.read(account.user.appMetadata).objectValue ?? [:]
        return AnyJSON.object(AccountMetadata.providers(account.identities.map(\.provider), over: members)).text
    }

    /// Sets the email address of the account and of its email identity.
    func setEmail(
        _ email: EmailAddress, of account: inout Account, isVerified: Bool, at now: Instant, in db: any Connection
    ) throws {
        account.user.email = email.text
        // A new address is unproven, unless a linked provider verified it.
        let isProven = account.identities.contains { $0.vouches(for: email.text) }
        account.user.times.emailProvenAt = isProven ? account.user.times.emailConfirmedAt : nil
        if let index = account.identities.firstIndex(where: { $0.provider == "email" }) {
            account.identities[index].data = try Self.merged(
                ["email": .string(email.text), "email_verified": .bool(isVerified)],
                into: account.identities[index].data)
            account.identities[index].email = email.text
            account.identities[index].updatedAt = now
            try db.update(account.identities[index])
        } else {
            let data = AccountMetadata.emailIdentity(
                user: account.user.id, email: email, isVerified: isVerified, data: [:])
            let identity = Identity(
                id: newID(), user: account.user.id, provider: "email", providerID: account.user.id.text,
                data: AnyJSON.object(data).text, email: email.text, at: now)
            try db.insert(identity)
            account.identities.append(identity)
        }
    }
}

extension Connection {
    /// Whether another account has the address, in its own column or in an identity.
    func isTaken(_ email: EmailAddress, besides user: UserID) throws -> Bool {
        try row(
            """
            SELECT 1 FROM users WHERE email = \(email.text) AND is_sso_user = 0 AND id <> \(user)
            UNION ALL
            SELECT 1 FROM identities WHERE email = \(email.text) AND user_id <> \(user) AND provider NOT LIKE 'sso:%'
                AND (provider = 'email' OR email_verified = 1)
            """
        ) { _ in true } ?? false
    }

    func isTaken(_ phone: PhoneNumber, besides user: UserID) throws -> Bool {
        try row("SELECT 1 FROM users WHERE phone = \(phone.text) AND id <> \(user)") { _ in true } ?? false
    }

    func update(_ user: User) throws {
        let times = user.times
        try run(
            """
            UPDATE users SET
                aud = \(user.audience), role = \(user.role), email = \(user.email), phone = \(user.phone),
                password_hash = \(user.passwordHash?.reveal()), app_metadata = \(user.appMetadata),
                user_metadata = \(user.userMetadata), is_anonymous = \(user.isAnonymous), new_email = \(user.newEmail),
                new_phone = \(user.newPhone), updated_at = \(times.updatedAt),
                email_confirmed_at = \(times.emailConfirmedAt), email_proven_at = \(times.emailProvenAt),
                phone_confirmed_at = \(times.phoneConfirmedAt),
                last_sign_in_at = \(times.lastSignInAt), banned_until = \(times.bannedUntil),
                deleted_at = \(times.deletedAt)
            WHERE id = \(user.id)
            """)
    }

    func update(_ identity: Identity) throws {
        try run(
            """
            UPDATE identities SET provider_id = \(identity.providerID), identity_data = \(identity.data),
                email = \(identity.email), email_verified = \(identity.isEmailVerified),
                last_sign_in_at = \(identity.lastSignInAt), updated_at = \(identity.updatedAt)
            WHERE id = \(identity.id)
            """)
    }
}
