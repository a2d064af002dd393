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
        of account: inout Account, to phone: PhoneNumber, at now: Instant, in db: any Connection
    ) throws -> [AuditEntry] {
        try accounts.setPhone(phone, of: &account, isProven: true, at: now, in: db)
        return [AuditEntry(.userModified, actor: account.user.id, actorName: phone.text)]
    }

    /// Removes a number that may be a stranger's from an account whose email address is proven for the first time. The
    /// owner can add it again with a code.
    func detachPhone(of account: inout Account, at now: Instant, in db: any Connection) throws -> [AuditEntry] {
        guard account.user.phone != nil else { return [] }
        account.user.dropPhone()
        for identity in account.identities where identity.provider == "phone" {
            try db.run("DELETE FROM identities WHERE id = \(identity.id)")
        }
        account.identities.removeAll { $0.provider == "phone" }
        account.user.appMetadata = try Accounts.providersRecomputed(account)
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
