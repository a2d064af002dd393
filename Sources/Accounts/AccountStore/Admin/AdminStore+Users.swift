package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension AdminStore {
    /// Without identities; newest first unless `ascending`.
    ///
    /// - Parameter filter: A substring of the email or `user_metadata.full_name`, ignoring ASCII case.
    package func list(
        filter: String?, ascending: Bool, page: PageRequest
    ) async throws -> Page<Account> {
        let condition = AdminStore.condition(filter, database.dialect)
        return try await database.read { db in
            let total = try db.row("SELECT count(*) FROM users WHERE \(condition)") { Int($0.int()) }
            let matching: SQL = "SELECT id FROM users WHERE \(condition)"
            let ids: [String] =
                ascending
                ? try db.rows(
                    """
                    \(matching) ORDER BY created_at, id LIMIT \(page.size) OFFSET \(page.offset)
                    """
                ) { $0.text() }
                : try db.rows(
                    """
                    \(matching) ORDER BY created_at DESC, id DESC LIMIT \(page.size) OFFSET \(page.offset)
                    """
                ) { $0.text() }
            // Without identities: the list does not show them, and an account can have many.
            let accounts = try ids.compactMap { id in
                try db.row("SELECT \(columns: Accounts.userColumns) FROM users WHERE id = \(id)") { row in
                    Account(user: row.user(), identities: [])
                }
            }
            return Page(elements: accounts, total: total ?? 0)
        }
    }

    package func account(_ id: UserID) async throws -> Account? {
        try await database.accounts(Accounts.accountLookup(id)).first
    }

    package func create(
        _ attributes: AdminAttributes, from device: Device? = nil, at now: Instant
    ) async throws -> AdminOutcome {
        var user = User(
            id: attributes.id ?? accounts.newID(), audience: attributes.audience ?? audience,
            role: attributes.role ?? role,
            times: UserTimes(createdAt: now))
        (user.email, user.phone) = (attributes.email?.text, attributes.phone?.text)
        user.passwordHash = attributes.passwordHash
        let identities = newIdentities(of: user.id, attributes, at: now)
        var userMetadata = attributes.userMetadata ?? [:]
        if attributes.confirmsEmail, attributes.email != nil {
            (user.times.emailConfirmedAt, user.times.emailProvenAt) = (now, now)
            userMetadata["email_verified"] = true
        }
        if attributes.confirmsPhone, attributes.phone != nil { user.times.phoneConfirmedAt = now }
        if case .lasting(let duration) = attributes.ban { user.times.bannedUntil = now + duration }
        user.userMetadata = AuthJSON.object(userMetadata.filter { !$0.value.isNull }).text
        user.appMetadata =
            AuthJSON.object(
                AccountMetadata.providers(identities.map(\.provider))
                    .merging(attributes.appMetadata ?? [:]) { $1 }.filter { !$0.value.isNull }
            ).text
        guard tokenRoom.fits(user) else { return .metadataTooLong }
        let account = Account(user: user, identities: identities)
        return try await accounts.sessions.revoking(at: now) { db in
            let id = account.user.id
            if try db.row("SELECT 1 FROM users WHERE id = \(id)", { _ in true }) == true { return .idTaken }
            if let email = attributes.email, try db.isTaken(email, besides: id) { return .emailTaken }
            if let phone = attributes.phone, try db.isTaken(phone, besides: id) { return .phoneTaken }
            try db.insert(account.user)
            // An account with this id may have been deleted today.
            if attributes.id != nil { try db.revoke(id, until: now, at: now) }
            for identity in account.identities { try db.insert(identity) }
            let ban = try noteBan(attributes, of: account.user, from: device, at: now, in: db)
            let made = Self.adminEntry(.userSignedUp, account.user, from: device)
            try accounts.record([made] + Self.roleEntry(role, account.user, from: device) + ban, at: now, in: db)
            return .done(account)
        }
    }

    /// Does not change an erased account. A new password ends all sessions and deletes pending authorization codes.
    package func update(
        _ id: UserID, _ attributes: AdminAttributes, from device: Device? = nil, at now: Instant
    ) async throws -> AdminOutcome {
        do {
            return try await change(id, attributes, from: device, at: now)
        } catch is MetadataTooLong {
            return .metadataTooLong
        }
    }

    private func change(
        _ id: UserID, _ attributes: AdminAttributes, from device: Device?, at now: Instant
    ) async throws -> AdminOutcome {
        try await accounts.sessions.revoking(at: now) { db in
            guard var account = try db.account(id), account.user.times.deletedAt == nil else { return .unknownUser }
            let before = account.user
            if attributes.protectedRoles.contains(where: { $0.utf8.elementsEqual(before.role.utf8) }) {
                return .refusedRole
            }
            if let email = attributes.email, try db.isTaken(email, besides: id) { return .emailTaken }
            if let phone = attributes.phone, try db.isTaken(phone, besides: id) { return .phoneTaken }
            if let email = attributes.email, email.text != account.user.email {
                try accounts.setEmail(email, of: &account, isVerified: attributes.confirmsEmail, at: now, in: db)
                // An administrator vouches for a confirmed account's address.
                if account.user.times.emailConfirmedAt != nil { account.user.times.emailProvenAt = now }
                try accounts.mails.notify(.emailChanged, before, newEmail: email.text, from: nil, at: now, in: db)
            }
            try changePhone(attributes, of: &account, at: now, in: db)
            if attributes.makesPermanent(account.user) {
                account.user.appMetadata = try Accounts.providersRecomputed(account)
            }
            try Self.apply(attributes, to: &account, at: now)
            guard tokenRoom.admits(account.user, after: before) else { throw MetadataTooLong() }
            try endOldAccess(attributes, to: &account, before, from: device, at: now, in: db)
            if attributes.ban != nil { try db.revoke(id, until: account.user.times.bannedUntil ?? now, at: now) }
            try db.update(account.user)
            let ban = try noteBan(attributes, of: account.user, from: device, at: now, in: db)
            let entry = Self.adminEntry(
                .userModified, account.user, attributes.passwordHash == nil ? [:] : ["password_set": true], from: device
            )
            let role = Self.roleEntry(before.role, account.user, from: device)
            try accounts.record([entry] + role + ban, at: now, in: db)
            return .done(account)
        }
    }

    private func endOldAccess(
        _ attributes: AdminAttributes, to account: inout Account, _ before: User, from device: Device?, at now: Instant,
        in db: any Connection
    ) throws {
        let changesRole = attributes.roleNeedsNewSignIn && !before.role.utf8.elementsEqual(account.user.role.utf8)
        guard attributes.passwordHash != nil || changesRole else { return }
        let id = account.user.id
        (account.user.newEmail, account.user.newPhone) = (nil, nil)
        let reason: SessionEnd.Reason = attributes.passwordHash == nil ? .signedOutEverywhere : .passwordChanged
        try accounts.sessions.endSessions(
            of: id, keeping: nil, .byAdministrator(reason, from: device), at: now, in: db)
        try db.voidCodes(of: id)
        try db.voidTokens(of: id)
        try db.forgetMails(of: &account.user)
        if attributes.passwordHash != nil {
            try accounts.mails.notify(.passwordChanged, before, from: nil, at: now, in: db)
        }
    }

    private func changePhone(
        _ attributes: AdminAttributes, of account: inout Account, at now: Instant, in db: any Connection
    ) throws {
        let before = account.user
        guard let phone = attributes.phone, attributes.confirmsPhone || phone.text != before.phone else { return }
        try set(phone, isConfirmed: attributes.confirmsPhone, of: &account, at: now, in: db)
        guard phone.text != before.phone else { return }
        try accounts.mails.notifyPhone(before.phone, to: phone.text, before, from: nil, at: now, in: db)
    }

    private func set(
        _ phone: PhoneNumber, isConfirmed: Bool, of account: inout Account, at now: Instant, in db: any Connection
    ) throws {
        if phone.text != account.user.phone {
            (account.user.phone, account.user.newPhone) = (phone.text, nil)
            // An administrator vouches for a confirmed account's number.
            account.user.times.phoneProvenAt = account.user.times.phoneConfirmedAt == nil ? nil : now
            for slot in [TokenSlot.phoneConfirmation, .phoneChange] { try db.voidTokens(of: account.user.id, slot) }
        }
        try db.insertPhoneIdentity(phone, of: &account, id: accounts.newID(), isVerified: isConfirmed, at: now)
    }

    private static func apply(_ attributes: AdminAttributes, to account: inout Account, at now: Instant) throws {
        account.user.times.updatedAt = now
        if let role = attributes.role { account.user.role = role }
        if let hash = attributes.passwordHash {
            account.user.passwordHash = hash
            account.user.setAside.passwords = []
        }
        if let changes = attributes.userMetadata {
            account.user.userMetadata = try Accounts.merged(changes, into: account.user.userMetadata)
        }
        if let changes = attributes.appMetadata {
            account.user.appMetadata = try Accounts.merged(changes, into: account.user.appMetadata)
        }
        if attributes.confirmsEmail, account.user.email != nil {
            account.user.times.emailConfirmedAt = account.user.times.emailConfirmedAt ?? now
            account.user.times.emailProvenAt = account.user.times.emailProvenAt ?? now
            account.user.userMetadata = try Accounts.merged(["email_verified": true], into: account.user.userMetadata)
            account.user.isAnonymous = false
        }
        if attributes.confirmsPhone, account.user.phone != nil {
            account.user.times.phoneConfirmedAt = account.user.times.phoneConfirmedAt ?? now
            account.user.times.phoneProvenAt = account.user.times.phoneProvenAt ?? now
            account.user.isAnonymous = false
        }
        switch attributes.ban {
        case .lifted: account.user.times.bannedUntil = nil
        case .lasting(let duration): account.user.times.bannedUntil = now + duration
        case nil: break
        }
    }

    private func newIdentities(of user: UserID, _ attributes: AdminAttributes, at now: Instant) -> [Identity] {
        var identities: [Identity] = []
        if let email = attributes.email {
            let data = AccountMetadata.emailIdentity(user: user, email: email, isVerified: false, data: [:])
            identities.append(
                Identity(
                    id: accounts.newID(), user: user, provider: "email", providerID: user.text,
                    data: AuthJSON.object(data).text,
                    email: email.text, at: now))
        }
        if let phone = attributes.phone {
            let data = AccountMetadata.phoneIdentity(user: user, phone: phone, isVerified: false)
            identities.append(
                Identity(
                    id: accounts.newID(), user: user, provider: "phone", providerID: user.text,
                    data: AuthJSON.object(data).text,
                    email: nil, at: now))
        }
        return identities
    }

    /// - Parameter traits: Besides the user's id and address.
    private static func roleEntry(_ former: String, _ user: User, from device: Device?) -> [AuditEntry] {
        guard !former.utf8.elementsEqual(user.role.utf8) else { return [] }
        let traits: AuthJSONObject = ["from": .string(former), "to": .string(user.role)]
        return [adminEntry(.userRoleChanged, user, traits, from: device)]
    }

    static func adminEntry(
        _ action: AuditEntry.Action, _ user: User, _ traits: AuthJSONObject = [:], from device: Device?
    ) -> AuditEntry {
        let about: AuthJSONObject = ["user_id": .string(user.id.text), "user_email": .string(user.email ?? "")]
        return AuditEntry(action, administrator: device?.administrator, traits: about.merging(traits) { $1 })
    }
}

/// Thrown to roll back: a returned outcome commits.
struct MetadataTooLong: Error {}

extension Connection {
    func insertPhoneIdentity(
        _ phone: PhoneNumber, of account: inout Account, id: IdentityID, isVerified: Bool, at now: Instant
    ) throws {
        let data = AuthJSON.object(
            AccountMetadata.phoneIdentity(user: account.user.id, phone: phone, isVerified: isVerified)
        ).text
        if let index = account.identities.firstIndex(where: { $0.provider == "phone" }) {
            account.identities[index].data = data
            account.identities[index].updatedAt = now
            try update(account.identities[index])
        } else {
            let identity = Identity(
                id: id, user: account.user.id, provider: "phone", providerID: account.user.id.text, data: data,
                email: nil, at: now)
            try insert(identity)
            account.identities.append(identity)
        }
    }
}
