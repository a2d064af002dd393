package import AccountDomain
package import AccountStore
package import GatehouseWire
import HTTPServing

/// A limit that refuses an account's next sign-in, at least from one address.
package struct SignInLock: Sendable {
    package let bucket: String
    package let until: Instant
    /// nil if it refuses every address.
    package let address: String?
    /// Failures in ``window`` that lock.
    package let count: Int
    package let window: Duration
    /// ``AccountLocks/unlock(_:)`` ends it.
    package let isReset: Bool
}

/// The limits of failed sign-ins, as they concern one account.
package struct AccountLocks: Sendable {
    /// nil without limits.
    let attempts: Attempts?
    let accounts: Accounts

    package init(_ attempts: Attempts?, _ accounts: Accounts) { (self.attempts, self.accounts) = (attempts, accounts) }

    /// - Parameter refusals: Name the addresses to look at.
    package func locks(of user: User, _ refusals: [RefusedSignIn], at now: Instant) async throws -> [SignInLock] {
        guard let attempts else { return [] }
        let keys = keys(of: user, refusals, attempts)
        let waits = try await attempts.limiter.waits(for: keys.map(\.key), at: now)
        return zip(keys, waits).compactMap { key, wait in
            guard wait > .zero else { return nil }
            let limit = key.key.limit
            return SignInLock(
                bucket: limit.bucket, until: now + wait, address: key.address, count: limit.count,
                window: limit.window, isReset: limit.isReset)
        }.sorted { $0.until > $1.until }
    }

    /// Resets the account's limits on every node, also of its second factors. An address's own limits stay: they
    /// protect other accounts.
    ///
    /// - Parameter device: The administrator's.
    package func unlock(_ user: User, from device: Device? = nil, at now: Instant) async throws {
        let refusals = try await accounts.signIns.refusals(of: user.id)
        try await reset(user, refusals, at: now)
        try await accounts.admin.unlock(user, from: device, at: now)
    }

    /// After a new password, which has its own entry in the audit log.
    func passwordChanged(of user: User, at now: Instant) async throws {
        guard attempts != nil else { return }
        try await reset(user, try await accounts.signIns.refusals(of: user.id), at: now)
        try await accounts.signIns.endLocks(of: user.id)
    }

    private func reset(_ user: User, _ refusals: [RefusedSignIn], at now: Instant) async throws {
        guard let attempts else { return }
        let keys = keys(of: user, refusals, attempts).map(\.key).filter(\.limit.isReset)
        let prefixes = Self.named(user).map(\.key) + [user.id.text]
        try await attempts.limiter.reset(keys, prefixed: prefixes, at: now)
    }

    private typealias Key = (key: AttemptKey, address: String?)

    /// Every key of the account, and those of the addresses that were refused.
    private func keys(of user: User, _ refusals: [RefusedSignIn], _ attempts: Attempts) -> [Key] {
        var (keys, seen): ([Key], Set<AttemptKey>) = ([], [])
        func add(_ key: AttemptKey, _ address: String?) { if seen.insert(key).inserted { keys.append((key, address)) } }
        for account in Self.named(user) {
            add(AttemptKey(attempts.byAccount, account.key), nil)
            add(AttemptKey(attempts.byAccountInAll, account.key), nil)
            for refusal in refusals where refusal.method == .password {
                guard let text = refusal.address, let address = IPAddress(text) else { continue }
                for key in attempts.pair(account, address) { add(key, text) }
            }
        }
        add(AttemptKey(attempts.byFactors, user.id.text), nil)
        return keys
    }

    /// The names that a password sign-in can give.
    private static func named(_ user: User) -> [AttemptedAccount] {
        [user.email, user.phone, user.formerEmail].compactMap { $0.flatMap(Recipient.init).map(AttemptedAccount.init) }
    }
}
