package import AccountDomain
import GatehouseWire

/// Whether accounts may be created without a question.
package enum Admission: Sendable {
    case isOpen
    /// Every new account is refused with ``AccountNeedsAdmission`` first.
    case asks
    /// The next new account is admitted, and has this id.
    case given(UserID)
}

/// The transaction would create this account, and was rolled back so that a hook can be asked.
package struct AccountNeedsAdmission: Error, Sendable, Unprinted {
    package let account: Account

    package var description: String { "an account needs admission" }
}

extension Accounts {
    /// The store that creates an account without another question.
    package func admitting(_ user: UserID) -> Accounts {
        var accounts = self
        accounts.admission = .given(user)
        return accounts
    }

    /// Call before an account of the API is inserted; not for the admin API and imports.
    ///
    /// - Throws: ``AccountNeedsAdmission``.
    func admit(_ account: Account) throws {
        if case .asks = admission { throw AccountNeedsAdmission(account: account) }
    }
}
