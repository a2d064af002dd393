import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

// Wrong passwords are limited, right ones and unfinished checks are not. While a password is checked it holds a place:
// a hundred tries at once are a hundred tries.
extension AuthServer {
    /// Makes an attempt at the password of an account.
    ///
    /// - Parameter check: Returns nil for a wrong password; a busy queue or a database that is away is thrown, and
    ///   counts for nobody.
    /// - Throws: ``Refusal`` 429 when there were too many failures.
    func attempt<Value: Sendable>(
        at account: AttemptedAccount, _ request: Request, _ context: ServerContext, check: () async throws -> Value?
    ) async throws -> Value? {
        guard let attempts else { return try await check() }
        let keys = try await openKeys(attempts, account, request, context)
        do {
            return try await attempts.limiter.attempt(keys, now: floor.now, check)
        } catch let refusal as Refusal where attempts.isOfAccount(refusal.headers[.rateLimitBucket]) {
            // By guesses that were under way at the look: they have shut the account since, or all wait for a place.
            guard let pair = try await knownPair(attempts, account, request, context) else { throw refusal }
            return try await attempts.limiter.attempt(pair, now: floor.now, check)
        }
    }

    /// The same for a caller with an access token. It is counted apart: a stranger's failures do not shut out the owner,
    /// and a thief with a token guesses no faster than by signing in.
    func attempt(ofSessionsOf user: User, check: () async throws -> Bool) async throws -> Bool {
        guard let attempts else { return try await check() }
        let keys = [AttemptKey(attempts.bySession, user.id.text)]
        try await attempts.limiter.look(keys, at: floor.now()).enforce()
        return try await attempts.limiter.attempt(keys, now: floor.now) { try await check() ? true : nil } ?? false
    }

    /// Marks a browser, so that it is known by what it shows from now on. Only where a page of ours asks: to another
    /// site's request the browser adds no marks, and this one would replace them.
    func mark(_ response: inout Response, of account: AttemptedAccount, for request: Request) {
        guard attempts != nil, request.isOfPage(of: [settings.externalURL, settings.redirects.siteURL]) else { return }
        var cookie = DeviceCookie(request, isSecure: isSecure)
        cookie.add(
            cookie.mark(of: account.digest, accounts.secrets)
                ?? DeviceMark(of: account.digest, id: accounts.randomBytes(8), accounts.secrets))
        response.headers.append(cookie.field(isSecure: isSecure))
    }

    /// The keys that this attempt counts for.
    private func openKeys(
        _ attempts: Attempts, _ account: AttemptedAccount, _ request: Request, _ context: ServerContext
    ) async throws -> [AttemptKey] {
        let now = floor.now()
        if let mark = DeviceCookie(request, isSecure: isSecure).mark(of: account.digest, accounts.secrets) {
            let own = [
                AttemptKey(attempts.byDevice, "\(account.key) \(mark.id)"), AttemptKey(attempts.byDevices, account.key),
            ]
            if try await attempts.limiter.look(own, at: now) == .allowed { return own }
        }
        let pair = attempts.pair(account, callerAddress(request, context))
        let all =
            [AttemptKey(attempts.byAccountInAll, account.key)] + pair + [AttemptKey(attempts.byAccount, account.key)]
        let decision = try await attempts.limiter.look(all, at: now)
        if case .refused(_, let bucket) = decision, attempts.isOfAccount(bucket),
            let pair = try await knownPair(attempts, account, request, context)
        {
            return pair
        }
        try decision.enforce()
        return all
    }

    /// What an attempt counts for where the account has a session at the caller's address; nil where it has none.
    private func knownPair(
        _ attempts: Attempts, _ account: AttemptedAccount, _ request: Request, _ context: ServerContext
    ) async throws -> [AttemptKey]? {
        guard let address = callerAddress(request, context), let email = account.email,
            try await accounts.sessionAddresses(of: email).contains(where: {
                IPAddress($0)?.limitKey == address.limitKey
            })
        else { return nil }
        let pair = attempts.pair(account, address)
        // The look before may have ended at the account: what other nodes counted of the pair is not known yet.
        try await attempts.limiter.look(pair, at: floor.now()).enforce()
        return pair
    }

    private func callerAddress(_ request: Request, _ context: ServerContext) -> IPAddress? {
        floor.clientAddress.address(peer: context.peerAddress, request.headers)
    }
}
