import AccountDomain
package import AccountStore
import GatehouseWire
package import JSONWebTokens
import Synchronization

/// Records used access tokens, once per refresh. Only tokens that name their refresh token: all with a strict
/// ``SessionPolicy``, otherwise the first one after a second factor.
package final class UsedTokens: Sendable {
    /// Sessions to remember. Beyond it the memory is cleared, and tokens are recorded once more.
    private static let capacity = 100_000

    private let accounts: Accounts
    private let noted = Mutex<[SessionID: Int64]>([:])

    package init(_ accounts: Accounts) { self.accounts = accounts }

    /// - Parameter claims: Of a verified token.
    package func note(_ claims: TokenClaims) async {
        // A session's first token has no predecessor that could return.
        guard let counter = claims.refreshCounter, counter > 0, let session = claims.sessionID.flatMap(SessionID.init)
        else { return }
        guard noted.withLock({ ($0[session] ?? 0) < counter }) else { return }
        do {
            try await accounts.sessions.noteUse(of: session, counter: counter)
        } catch {
            // Ignored: the token's next use is recorded instead.
            return
        }
        noted.withLock { noted in
            if noted.count >= Self.capacity { noted.removeAll() }
            noted[session] = max(noted[session] ?? 0, counter)
        }
    }
}
