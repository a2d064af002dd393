package import AccountDomain
import GatehouseWire

package enum Admission: Sendable {
    case isOpen
    /// Refuses every new account with ``AccountNeedsAdmission`` first.
    case asks
    /// Admits the next new account, and gives it this id.
    case given(UserID)
}

/// The transaction would create this account, and was rolled back so that a hook can decide.
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

    /// Call before inserting an account; not for the admin API and imports.
    func admit(_ account: Account) throws {
        if case .asks = admission { throw AccountNeedsAdmission(account: account) }
    }
}
