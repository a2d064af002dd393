package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// nil keeps a field.
package struct UserUpdate: Sendable {
    /// Merged at the top level; null deletes a key.
    package var metadata: AuthJSONObject?
    package var passwordHash: Secret?
    /// If the stored hash differs, the update does nothing.
    package var checkedHash: Secret?
    /// Takes effect immediately; confirmed but not proven.
    package var email: EmailAddress?
    /// Takes effect when emailed codes confirm it.
    package var emailChange: EmailChange?
    /// Takes effect immediately; confirmed but not proven.
    package var phone: PhoneNumber?
    /// Takes effect when a texted code confirms it.
    package var phoneChange: PhoneChange?
    package var device: Device?
    /// Replaces the current password, and is used up.
    package var reauthentication: MailedReauthentication?

    package init(device: Device? = nil) { self.device = device }

    var newPhone: PhoneNumber? { phone ?? phoneChange?.phone }
}

package struct EmailChange: Sendable {
    package let email: EmailAddress
    package let mail: MailRequest
    package let asksBoth: Bool

    package init(email: EmailAddress, mail: MailRequest, asksBoth: Bool) {
        self.email = email
        self.mail = mail
        self.asksBoth = asksBoth
    }
}

/// Only `updated` has changed anything.
package enum UserUpdateOutcome: Sendable {
    case updated(Account)
    case emailTaken, phoneTaken
    case changedMeanwhile
    /// Used by another change, or expired.
    case codeSpent
    case gone
    /// Or the user was banned.
    case sessionEnded
    /// The merged metadata does not fit into an access token.
    case metadataTooLong
}

extension Accounts {
    /// Applies a user's changes. A new password ends all other sessions and deletes pending authorization codes.
    /// Refusals precede the first write, because a returned outcome commits.
    ///
    /// - Parameter session: It stays active.
    package func update(
        _ user: UserID, _ update: UserUpdate, keeping session: SessionID?, at now: Instant
    ) async throws -> UserUpdateOutcome {
        try await sessions.revoking(at: now) { db in
            let changer = try changer(user, by: session, at: now, in: db)
            guard case .good(var account) = changer else { return changer.isGone ? .gone : .sessionEnded }
            var entries: [AuditEntry] = []
            let before = account.user
            let name = before.name
            if let taken = try db.taken(by: update, of: before) { return taken }
            account.user.times.updatedAt = now
            if let metadata = update.metadata {
                account.user.userMetadata = try Self.merged(metadata, into: account.user.userMetadata)
                guard tokenRoom.admits(account.user, after: before) else { return .metadataTooLong }
                entries.append(AuditEntry(.userModified, actor: user, actorName: name))
            }
            if update.passwordHash != nil, account.user.passwordHash?.reveal() != update.checkedHash?.reveal() {
                return .changedMeanwhile
            }
            if let code = update.reauthentication, try !db.spend(code, of: user, at: now) { return .codeSpent }
            if let hash = update.passwordHash {
                try setPassword(hash, of: &account.user, keeping: session, from: update.device, at: now, in: db)
                entries.append(AuditEntry(.userUpdatedPassword, actor: user, actorName: name))
            }
            if let email = update.email, email.text != account.user.email {
                try setConfirmedEmail(email, of: &account, at: now, in: db)
                entries.append(AuditEntry(.userModified, actor: user, actorName: email.text))
            }
            if let change = update.emailChange { try begin(change, of: &account, in: session, at: now, in: db) }
            if let number = update.newPhone, number.text != before.phone {
                try change(number, update, of: &account, in: session, at: now, in: db)
                entries.append(AuditEntry(.userModified, actor: user, actorName: name))
            }
            try notify(update, of: before, at: now, in: db)
            try db.update(account.user)
            try record(entries, at: now, in: db)
            return .updated(account)
        }
    }

    package func isTaken(_ email: EmailAddress, besides user: UserID) async throws -> Bool {
        try await database.read { try $0.isTaken(email, besides: user) }
    }

    private func setPassword(
        _ hash: Secret, of user: inout User, keeping session: SessionID?, from device: Device?, at now: Instant,
        in db: any Connection
    ) throws {
        user.passwordHash = hash
        user.setAside.passwords = []
        // Its codes are void, and no repeated email may restore them.
        (user.newEmail, user.newPhone) = (nil, nil)
        let end = SessionEnd.byUser(.passwordChanged, in: session, from: device)
        try sessions.endSessions(of: user.id, keeping: session, end, at: now, in: db)
        try db.voidCodes(of: user.id)
        try db.voidTokens(of: user.id)
        try db.forgetMails(of: &user)
    }

    private func setConfirmedEmail(
        _ email: EmailAddress, of account: inout Account, at now: Instant, in db: any Connection
    ) throws {
        try setEmail(email, of: &account, isVerified: false, at: now, in: db)
        account.user.times.emailConfirmedAt = now
        account.user.isAnonymous = false
        account.user.appMetadata = try Self.providersRecomputed(account)
    }

    private func notify(_ update: UserUpdate, of before: User, at now: Instant, in db: any Connection) throws {
        if update.passwordHash != nil {
            try mails.notify(.passwordChanged, before, from: update.device, at: now, in: db)
        }
        if let email = update.email, email.text != before.email {
            try mails.notify(.emailChanged, before, newEmail: email.text, from: update.device, at: now, in: db)
        }
        if let phone = update.phone, phone.text != before.phone {
            try mails.notifyPhone(before.phone, to: phone.text, before, from: update.device, at: now, in: db)
        }
    }

    /// Emails the codes. The caller stores the account.
    ///
    /// - Parameter session: The change ends with it. nil for an address that the account got at its creation.
    func begin(
        _ change: EmailChange, of account: inout Account, in session: SessionID?, at now: Instant,
        in db: any Connection
    ) throws {
        // Codes of a change to another address must not confirm this one.
        if account.user.newEmail != change.email.text { try db.endAddressChange(of: account.user.id, at: now) }
        account.user.newEmail = change.email.text
        account.user.addressChangeSession = session
        account.user.times.emailChangeSentAt = now
        try mails.changeMails(
            account, to: change.email, change.mail, confirmsBoth: change.asksBoth, at: now, in: db)
    }

    static func merged(_ changes: AuthJSONObject, into text: String) throws -> String {
        var members = try JSONReader.read(text).objectValue ?? [:]
        members.merge(deletingNulls: changes)
        return AuthJSON.object(members).text
    }

    static func providersRecomputed(_ account: Account) throws -> String {
        let members = try JSONReader.read(account.user.appMetadata).objectValue ?? [:]
        return AuthJSON.object(AccountMetadata.providers(account.identities.map(\.provider), over: members)).text
    }

    /// Sets the address, and voids codes emailed to the old one and a pending change of address.
    func setEmail(
        _ email: EmailAddress, of account: inout Account, isVerified: Bool, at now: Instant, in db: any Connection
    ) throws {
        account.user.email = email.text
        (account.user.formerEmail, account.user.times.formerEmailMovedAt) = (nil, nil)
        account.user.times.emailUndeliverableAt = nil
        account.user.newEmail = nil
        for slot in TokenSlot.allCases where slot != .phoneChange { try db.voidTokens(of: account.user.id, slot) }
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
                data: AuthJSON.object(data).text, email: email.text, at: now)
            try db.insert(identity)
            account.identities.append(identity)
        }
    }
}

extension Connection {
    fileprivate func taken(by update: UserUpdate, of user: User) throws -> UserUpdateOutcome? {
        if let email = update.email ?? update.emailChange?.email, email.text != user.email,
            try isTaken(email, besides: user.id)
        {
            return .emailTaken
        }
        if let phone = update.phone, phone.text != user.phone, try isTaken(phone, besides: user.id) {
            return .phoneTaken
        }
        guard let phone = update.phoneChange?.phone, phone.text != user.phone,
            try isConfirmed(phone, besides: user.id)
        else { return nil }
        return .phoneTaken
    }

    /// Whether another account has the address, in its own column or in an identity.
    func isTaken(_ email: EmailAddress, besides user: UserID) throws -> Bool {
        try row(
            """
            SELECT 1 FROM users WHERE email = \(email.text) AND is_sso_user = 0 AND id <> \(user)
            UNION ALL
            SELECT 1 FROM identities WHERE email = \(email.text) AND user_id <> \(user) AND provider NOT LIKE 'sso:%'
                AND (provider = 'email' OR email_verified = 1) AND set_aside_at IS NULL
            """
        ) { _ in true } ?? false
    }

    func isTaken(_ phone: PhoneNumber, besides user: UserID) throws -> Bool {
        try row("SELECT 1 FROM users WHERE phone = \(phone.text) AND id <> \(user)") { _ in true } ?? false
    }

    func isConfirmed(_ phone: PhoneNumber, besides user: UserID) throws -> Bool {
        try row(
            "SELECT 1 FROM users WHERE phone = \(phone.text) AND phone_confirmed_at IS NOT NULL AND id <> \(user)"
        ) { _ in true } ?? false
    }

    func update(_ user: User) throws {
        try noteUpdate(of: user)
        let times = user.times
        let changeSession = user.newEmail == nil ? nil : user.addressChangeSession
        let phoneSession = user.newPhone == nil ? nil : user.phoneChangeSession
        try run(
            """
            UPDATE users SET
                aud = \(user.audience), role = \(user.role), email = \(user.email), phone = \(user.phone),
                password_hash = \(user.passwordHash?.reveal()), app_metadata = \(user.appMetadata),
                user_metadata = \(user.userMetadata), is_anonymous = \(user.isAnonymous), new_email = \(user.newEmail),
                new_phone = \(user.newPhone), address_change_session = \(changeSession), updated_at = \(times.updatedAt),
                email_confirmed_at = \(times.emailConfirmedAt), email_proven_at = \(times.emailProvenAt),
                phone_confirmed_at = \(times.phoneConfirmedAt), phone_proven_at = \(times.phoneProvenAt),
                phone_change_session = \(phoneSession),
                last_sign_in_at = \(times.lastSignInAt), banned_until = \(times.bannedUntil),
                deleted_at = \(times.deletedAt), set_aside = \(user.storedSetAside),
                former_email = \(user.formerEmail), former_email_moved_at = \(times.formerEmailMovedAt),
                email_undeliverable_at = CASE WHEN email = \(user.email) THEN email_undeliverable_at END
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
