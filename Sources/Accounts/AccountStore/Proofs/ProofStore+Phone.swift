import AccountDomain
import GatehouseWire
import SQLDatabase

extension ProofStore {
    func confirmPhone(_ account: inout Account, at now: Instant) throws {
        account.user.times.phoneConfirmedAt = now
        if account.user.isAnonymous { account.user.appMetadata = try Accounts.providersRecomputed(account) }
        account.user.isAnonymous = false
    }

    /// Sets nothing aside: the account's own session began the change, and no stranger claimed the account by this number.
    func changePhone(
        of account: inout Account, to phone: PhoneNumber, from device: Device, at now: Instant, in db: any Connection
    ) throws -> [AuditEntry] {
        try accounts.mails.notifyPhone(
            account.user.phone, to: phone.text, account.user, from: device, at: now, in: db)
        let entries = try release(phone, to: account.user.id, at: now, in: db)
        try accounts.setPhone(phone, of: &account, isProven: true, at: now, in: db)
        return entries + [AuditEntry(.userModified, actor: account.user.id, actorName: phone.text)]
    }

    /// Takes the number from an account that has not confirmed it, such as an abandoned sign-up, which keeps
    /// everything else.
    private func release(
        _ phone: PhoneNumber, to user: UserID, at now: Instant, in db: any Connection
    ) throws -> [AuditEntry] {
        guard var holder = try db.accounts(SignInStore.lookup(.phone(phone))).first(where: { $0.user.id != user }),
            holder.user.times.phoneConfirmedAt == nil
        else { return [] }
        let name = holder.user.name
        let pending = holder.user.newPhone
        try accounts.mails.notifyPhone(phone.text, to: nil, holder.user, from: nil, at: now, in: db)
        try removePhone(of: &holder, at: now, in: db)
        holder.user.newPhone = pending
        holder.user.times.updatedAt = now
        try db.voidTokens(of: holder.user.id, .phoneConfirmation)
        try db.update(holder.user)
        return [AuditEntry(.addressMoved, actor: holder.user.id, actorName: name, traits: ["provider": "phone"])]
    }

    private func removePhone(of account: inout Account, at now: Instant, in db: any Connection) throws {
        account.user.dropPhone()
        for identity in account.identities where identity.provider == "phone" {
            try db.removeIdentity(identity, at: now)
        }
        account.identities.removeAll { $0.provider == "phone" }
        account.user.appMetadata = try Accounts.providersRecomputed(account)
    }

    /// Removes a number that may be a stranger's from an account whose email address is proven for the first time. The
    /// owner can add it again with a code.
    func detachPhone(
        of account: inout Account, from device: Device, at now: Instant, in db: any Connection
    ) throws -> [AuditEntry] {
        guard let phone = account.user.phone else { return [] }
        var owner = account.user
        // The caller proves it.
        owner.times.emailProvenAt = now
        try accounts.mails.notifyPhone(phone, to: nil, owner, from: device, at: now, in: db)
        try removePhone(of: &account, at: now, in: db)
        return [
            AuditEntry(
                .credentialsSetAside, actor: account.user.id, actorName: account.user.name,
                traits: ["methods": ["phone"]])
        ]
    }

    /// Checks that the session that began the pending change is still active, and otherwise ends the change.
    func phoneChangeWaits(of user: User, at now: Instant, in db: any Connection) throws -> Bool {
        guard let session = user.phoneChangeSession else { return true }
        if case .good = try accounts.changer(user.id, by: session, at: now, in: db) { return true }
        try db.endPhoneChange(of: user.id, at: now)
        return false
    }
}
