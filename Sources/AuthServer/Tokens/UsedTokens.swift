import AccountDomain
package import AccountStore
import GatehouseWire
package import JSONWebTokens
import Synchronization

/// Notes in the database that an access token has been used: once for each refresh, so that the requests after it cost a
/// look-up in memory. Only a strict ``SessionPolicy`` needs it.
package final class UsedTokens: Sendable {
    /// Sessions that are remembered; beyond it all are forgotten, and noted once more.
    private static let capacity = 100_000

    private let accounts: Accounts
    private let noted = Mutex<[SessionID: Int64]>([:])

    /// - Returns: nil where nobody asks for it.
    package init?(_ accounts: Accounts) {
        guard accounts.policy.isStrict else { return nil }
        self.accounts = accounts
    }

    /// - Parameter claims: Of a token that was verified.
    package func note(_ claims: TokenClaims) async {
        // The first token of a session has no parent that could come back.
        guard let counter = claims.refreshCounter, counter > 0, let session = claims.sessionID.flatMap(SessionID.init)
        else { return }
        guard noted.withLock({ ($0[session] ?? 0) < counter }) else { return }
        do {
            try await accounts.noteUse(of: session, counter: counter)
        } catch {
            // Lost: this use. The request goes on, and the next one with the token is noted.
            return
        }
        noted.withLock { noted in
            if noted.count >= Self.capacity { noted.removeAll() }
            noted[session] = max(noted[session] ?? 0, counter)
        }
    }
}
