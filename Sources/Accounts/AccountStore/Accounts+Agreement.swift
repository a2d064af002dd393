import AccountDomain
import GatehouseWire
import SQLDatabase

/// The claims that a session's access token gets.
package struct AgreedToken: Sendable {
    /// JSON.
    package let claims: [UInt8]
    /// In seconds since 1970.
    package let expiresAt: Int64

    package init(claims: [UInt8], expiresAt: Int64) { (self.claims, self.expiresAt) = (claims, expiresAt) }
}

/// Who must agree to a session's tokens before the transaction that issues them commits.
///
/// A change runs once to show the session, and again once there is an agreement. The ids are the same in all runs, so that
/// the agreement fits.
struct TokenAgreement: Sendable {
    /// The id of a new account.
    let user: UserID
    /// The id of a new session.
    let session: SessionID
    var check: @Sendable (IssuedSession) throws -> AgreedToken
}

extension Accounts {
    /// The store that issues no tokens without an agreement. One made from such a store has the same ids. Not for a
    /// refresh, which commits before it issues.
    ///
    /// - Parameter check: Gets the session that the transaction would issue. Runs in the transaction, which an error rolls
    ///   back.
    package func agreeing(_ check: @escaping @Sendable (IssuedSession) throws -> AgreedToken) -> Accounts {
        var accounts = self
        accounts.agreement = TokenAgreement(
            user: agreement?.user ?? newID(), session: agreement?.session ?? newID(), check: check)
        return accounts
    }

    /// The account as it is now, which the agreement has to be about. Without one, costs no statement.
    func latest(_ account: Account, in db: any Connection) throws -> Account {
        guard agreement != nil else { return account }
        return try db.account(account.user.id) ?? account
    }
}
