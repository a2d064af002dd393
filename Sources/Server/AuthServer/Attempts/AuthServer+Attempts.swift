import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

// Only wrong passwords count. A running check reserves a slot, so concurrent attempts cannot exceed the limit.
extension AuthServer {
    /// - Parameter check: nil means a wrong password. A thrown error, such as a full queue, is not counted.
    /// - Throws: ``Refusal`` 429 after too many failures.
    func attempt<Value: Sendable>(
        at account: AttemptedAccount, _ request: Request, _ context: ServerContext,
        check: (Account?) async throws -> Value?
    ) async throws -> Value? {
        guard let attempts else { return try await check(try await find(account)) }
        let (keys, found) = try await openKeys(attempts, account, request, context)
        func checkFound() async throws -> Value? {
            if let found { return try await check(found) }
            return try await check(try await find(account))
        }
        do {
            return try await attempts.limiter.attempt(keys, now: runtime.now, checkFound)
        } catch let refusal as Refusal where attempts.isOfAccount(refusal.headers[.rateLimitBucket]) {
            // Concurrent guesses have used up the account's limit since the first check, or hold all slots.
            guard let pair = try await knownPair(attempts, account, request, context) else { throw refusal }
            return try await attempts.limiter.attempt(pair, now: runtime.now, checkFound)
        }
    }

    private func find(_ account: AttemptedAccount) async throws -> Account? {
        guard let address = account.address else { return nil }
        return try await accounts.signIns.account(address)
    }

    /// A separate limit: strangers' failures do not lock out the owner, and a stolen token allows no more guesses than
    /// signing in.
    ///
    /// - Parameter check: nil means a failure. A thrown error is not counted.
    func attempt<Value: Sendable>(
        by caller: UserCaller, check: () async throws -> Value?
    ) async throws -> Value? {
        guard let attempts else { return try await check() }
        let user = caller.user.id.text
        let keys = [
            // A user's tokens without a session share one key.
            AttemptKey(attempts.bySession, caller.session?.id.text ?? user), AttemptKey(attempts.bySessions, user),
        ]
        try await attempts.limiter.look(keys, at: runtime.now()).enforce()
        return try await attempts.limiter.attempt(keys, now: runtime.now, check)
    }

    /// Only against the address: the code has its own attempts, and strangers must not lock out the owner.
    ///
    /// - Throws: ``Refusal`` 429.
    func countWrongCode(_ request: Request, _ context: ServerContext) async throws {
        guard let attempts, let address = callerAddress(request, context) else { return }
        let keys = attempts.ofCodes(address)
        try await attempts.limiter.look(keys, at: runtime.now()).enforce()
        let failed: Bool? = try await attempts.limiter.attempt(keys, now: runtime.now) { nil }
        assert(failed == nil)
    }

    /// Sets the device cookie for pages of our own origins only: browsers send no marks with another site's request, so
    /// the new cookie would replace them.
    func mark(_ response: inout Response, of user: User, for request: Request) {
        guard attempts != nil, request.isOfPage(of: [settings.externalURL, settings.redirects.siteURL]),
            let account = user.recipient.map(AttemptedAccount.init)?.digest
        else { return }
        let secrets = accounts.secrets
        var cookie = DeviceCookie(request, isSecure: identities.isSecure)
        var mark = cookie.mark(of: account, secrets)
        if mark?.isCurrent(of: user, secrets) != true {
            mark = DeviceCookieValue(of: account, user, id: accounts.randomBytes(8), secrets)
        }
        guard let mark else { return }
        cookie.add(mark, of: account, secrets)
        response.headers.append(cookie.field(isSecure: identities.isSecure))
    }

    /// The attempt's keys, and the account if finding them required reading it.
    private func openKeys(
        _ attempts: Attempts, _ account: AttemptedAccount, _ request: Request, _ context: ServerContext
    ) async throws -> (keys: [AttemptKey], found: Account?) {
        let now = runtime.now()
        if let mark = DeviceCookie(request, isSecure: identities.isSecure).mark(of: account.digest, accounts.secrets) {
            let own = [
                AttemptKey(attempts.byDevice, "\(account.key) \(mark.id)"),
                AttemptKey(attempts.byDevices, "\(account.key) \(mark.password)"),
            ]
            // Read the account last: a refusal does not need it, and the password check reuses it.
            if try await attempts.limiter.look(own, at: now) == .allowed, let found = try await find(account),
                mark.isCurrent(of: found.user, accounts.secrets)
            {
                return (own, found)
            }
        }
        let pair = attempts.pair(account, callerAddress(request, context))
        let all =
            [AttemptKey(attempts.byAccountInAll, account.key)] + pair + [AttemptKey(attempts.byAccount, account.key)]
        let decision = try await attempts.limiter.look(all, at: now)
        if case .refused(_, let bucket) = decision, attempts.isOfAccount(bucket),
            let pair = try await knownPair(attempts, account, request, context)
        {
            return (pair, nil)
        }
        try decision.enforce()
        return (all, nil)
    }

    /// nil unless the account has a session at this address.
    private func knownPair(
        _ attempts: Attempts, _ account: AttemptedAccount, _ request: Request, _ context: ServerContext
    ) async throws -> [AttemptKey]? {
        guard let address = callerAddress(request, context), let named = account.address,
            try await accounts.signIns.sessionAddresses(of: named).contains(where: {
                IPAddress($0)?.limitKey == address.limitKey
            })
        else { return nil }
        let pair = attempts.pair(account, address)
        // The earlier check may have stopped at the account's limit, before reading other nodes' counts for the pair.
        try await attempts.limiter.look(pair, at: runtime.now()).enforce()
        return pair
    }

    private func callerAddress(_ request: Request, _ context: ServerContext) -> IPAddress? {
        runtime.clientAddress.address(peer: context.peerAddress, request.headers)
    }
}
