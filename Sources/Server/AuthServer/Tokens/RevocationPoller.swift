package import AccountStore
package import GatehouseWire
import JSONWebTokens
import Synchronization

/// Tells a key ring which sessions ended and which users were banned or deleted: immediately for changes by this
/// process, with the next ``poll()`` for changes by others.
package final class RevocationPoller: Sendable {
    /// Longer than a change takes to commit plus the clock difference between two nodes.
    package static let overlap: Duration = .seconds(30)

    private let accounts: Accounts
    private let keys: KeyRing
    private let now: @Sendable () -> Instant
    private let lastLook: Mutex<Instant>

    /// The first read goes back as far as revocations are kept: tokens from before a restart may stay valid for longer than
    /// the current settings allow.
    package init(_ accounts: Accounts, _ keys: KeyRing, now: @escaping @Sendable () -> Instant) {
        self.accounts = accounts
        self.keys = keys
        self.now = now
        lastLook = Mutex(now() - SessionStore.revocationsStay)
    }

    /// Reads new revocations. Call it once a second. After the clock was set back, reads all of them again: those that
    /// other nodes noted while it was ahead were not read.
    ///
    /// - Throws: ``DatabaseFailure``. The next poll catches up.
    package func poll() async throws {
        let (began, last) = (now(), lastLook.withLock(\.self))
        try await read(since: began < last ? began - SessionStore.revocationsStay : last - Self.overlap)
        lastLook.withLock { $0 = began }
    }

    /// The callback for ``Accounts/afterRevocation``.
    @Sendable package func pollNow(since moment: Instant) async {
        // Lost if the database is unreachable: one second, until the next read.
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
