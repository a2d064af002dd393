package import AccountStore
package import GatehouseWire
import JSONWebTokens
import Synchronization

/// Keeps a ring of keys told of sessions that have ended, and of people who were banned or deleted: at once of what
/// this process does, by the next ``look()`` of what another one did.
package final class RevocationWatch: Sendable {
    /// More than a change may take from its beginning to its commit, and the clocks of two nodes may be apart.
    package static let overlap: Duration = .seconds(30)

    private let accounts: Accounts
    private let keys: KeyRing
    private let now: @Sendable () -> Instant
    private let lastLook: Mutex<Instant>

    /// The first look goes back as far as anything is told: tokens that were made before a restart may be good for longer
    /// than the settings say now.
    package init(_ accounts: Accounts, _ keys: KeyRing, now: @escaping @Sendable () -> Instant) {
        self.accounts = accounts
        self.keys = keys
        self.now = now
        lastLook = Mutex(now() - Accounts.revocationsStay)
    }

    /// Reads what is new. To be called once a second.
    ///
    /// - Throws: What the database throws; the next look makes up for it.
    package func look() async throws {
        let began = now()
        try await read(since: lastLook.withLock(\.self) - Self.overlap)
        lastLook.withLock { $0 = max($0, began) }
    }

    /// What ``Accounts/afterRevocation`` wants.
    @Sendable package func lookAtOnce(since moment: Instant) async {
        // What is lost when the database is away: a second, until the next look.
        try? await read(since: moment)
    }

    private func read(since moment: Instant) async throws {
        // The oldest first: it is the first to be pushed out.
        for found in try await accounts.revocations(since: moment).reversed() {
            keys.cache.revoke(found.id, at: found.notedAt, until: found.until)
        }
    }
}
