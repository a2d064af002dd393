package import AccountDomain
import GatehouseWire

package enum Admission: Sendable {
    case isOpen
    /// Refuses every new account with ``AccountNeedsAdmission``.
    case asks
    /// Admits the next new account under this id.
    case given(UserID)
}

/// Thrown to roll the transaction back, so that a hook can decide about the account.
package struct AccountNeedsAdmission: Error, Sendable, Unprinted {
    package let account: Account

    package var description: String { "an account needs admission" }
}

extension Accounts {
    package func admitting(_ user: UserID) -> Accounts {
        var accounts = self
        accounts.admission = .given(user)
        return accounts
    }

    /// Call before inserting an account, except in the admin API and imports.
    func admit(_ account: Account) throws {
        if case .asks = admission { throw AccountNeedsAdmission(account: account) }
    }
}
