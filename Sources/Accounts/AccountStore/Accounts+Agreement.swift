import AccountDomain
import GatehouseWire
import SQLDatabase

package struct AgreedToken: Sendable {
    /// JSON.
    package let claims: [UInt8]
    /// In seconds since 1970.
    package let expiresAt: Int64

    package init(claims: [UInt8], expiresAt: Int64) { (self.claims, self.expiresAt) = (claims, expiresAt) }
}

/// Must agree to a session's tokens before the transaction that issues them commits.
///
/// A change runs once to show the session, and again with the agreement. The ids stay the same, so that the agreement
/// fits.
struct TokenAgreement: Sendable {
    /// Of a new account.
    let user: UserID
    /// Of a new session.
    let session: SessionID
    var check: @Sendable (IssuedSession) throws -> AgreedToken
}

extension Accounts {
    /// A store that issues no tokens without an agreement. Not for a refresh, which commits before it issues.
    ///
    /// - Parameter check: Gets the session to issue. Runs in the transaction, which an error rolls back.
    package func agreeing(_ check: @escaping @Sendable (IssuedSession) throws -> AgreedToken) -> Accounts {
        var accounts = self
        accounts.agreement = TokenAgreement(
            user: agreement?.user ?? newID(), session: agreement?.session ?? newID(), check: check)
        return accounts
    }

    /// The account's current state, for the agreement. Without one, runs no statement.
    func latest(_ account: Account, in db: any Connection) throws -> Account {
        guard agreement != nil else { return account }
        return try db.account(account.user.id) ?? account
    }
}
