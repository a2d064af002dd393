package import AccountStore
package import GatehouseWire
import JSONWebTokens
import Synchronization

/// Tells a key ring about ended sessions and banned or deleted users: this process's immediately, others' with the next
/// ``poll()``.
package final class RevocationPoller: Sendable {
    /// Exceeds a commit plus the clock difference between two nodes.
    package static let overlap: Duration = .seconds(30)

    private let accounts: Accounts
    private let keys: KeyRing
    private let now: @Sendable () -> Instant
    private let lastLook: Mutex<Instant>

    /// The first read covers all revocations: tokens from before a restart may outlive the current settings.
    package init(_ accounts: Accounts, _ keys: KeyRing, now: @escaping @Sendable () -> Instant) {
        self.accounts = accounts
        self.keys = keys
        self.now = now
        lastLook = Mutex(now() - SessionStore.revocationsStay)
    }

    /// Call once a second. After the clock was set back, reads everything again.
    ///
    /// - Throws: ``DatabaseFailure``. The next poll catches up.
    package func poll() async throws {
        let (began, last) = (now(), lastLook.withLock(\.self))
        try await read(since: began < last ? began - SessionStore.revocationsStay : last - Self.overlap)
        lastLook.withLock { $0 = began }
    }

    /// For ``Accounts/afterRevocation``.
    @Sendable package func pollNow(since moment: Instant) async {
        // Ignored: the next poll, within a second, reads the same.
        try? await read(since: moment)
    }

    private func read(since moment: Instant) async throws {
        // Oldest first, because the cache evicts the oldest first.
        let found = try await accounts.sessions.revocations(since: moment)
        let now = now()
        for found in found.reversed() {
            keys.cache.revoke(found.id, at: found.notedAt, until: found.until, now: now)
        }
    }
}
