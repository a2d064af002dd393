import AccountDomain
import GatehouseWire
import SQLDatabase

struct SetAsideIdentity: Sendable {
    let id: IdentityID
    let user: UserID
}

extension LinkingTransaction {
    /// Restores the identity on its account. Used for another account, its row is removed.
    ///
    /// - Returns: The remaining row's id; nil if there is none on this account.
    func take(
        _ setAside: SetAsideIdentity?, of identity: ProviderIdentity, for account: inout Account
    ) throws -> IdentityID? {
        guard let setAside, setAside.user == account.user.id else {
            try detach(setAside)
            return nil
        }
        account.user.setAside.identities.removeAll { $0.id == setAside.id }
        try db.run("DELETE FROM link_undos WHERE identity_id = \(setAside.id)")
        try accounts.record([ProofStore.restored(identity.provider, account.user)], at: now, in: db)
        return setAside.id
    }

    /// Removes a set-aside identity's row, because its holder uses it for another account.
    func detach(_ setAside: SetAsideIdentity?) throws {
        guard let setAside, var owner = try db.account(setAside.user)?.user else { return }
        try db.run("DELETE FROM identities WHERE id = \(setAside.id)")
        owner.setAside.identities.removeAll { $0.id == setAside.id }
        try db.update(owner)
    }
}

extension Connection {
    func restore(_ identity: Identity) throws {
        journal?.add(.linked(identity), at: identity.createdAt)
        try run(
            "UPDATE identities SET set_aside_at = NULL, created_at = \(identity.createdAt) WHERE id = \(identity.id)")
        try update(identity)
    }
}
