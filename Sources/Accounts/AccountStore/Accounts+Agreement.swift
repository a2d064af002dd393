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

/// Agrees to a session's tokens before the transaction commits.
///
/// A change runs once to show the session, and again, with the same ids, with the agreement.
struct TokenAgreement: Sendable {
    let user: UserID
    let session: SessionID
    var check: @Sendable (IssuedSession) throws -> AgreedToken
}

extension Accounts {
    /// Issues no tokens without an agreement. Not for a refresh, which commits before it issues.
    ///
    /// - Parameter check: Runs in the transaction; an error rolls it back.
    package func agreeing(_ check: @escaping @Sendable (IssuedSession) throws -> AgreedToken) -> Accounts {
        var accounts = self
        accounts.agreement = TokenAgreement(
            user: agreement?.user ?? newID(), session: agreement?.session ?? newID(), check: check)
        return accounts
    }

    /// The current state, for the agreement. Without one, runs no statement.
    func latest(_ account: Account, in db: any Connection) throws -> Account {
        guard agreement != nil else { return account }
        return try db.account(account.user.id) ?? account
    }
}
