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
        return try await attempts.limiter.attempt(keys, now: floor.now, check)
    }

    /// The same for a caller with an access token. It is counted apart: a stranger's failures do not shut out the owner,
    /// and a thief with a token guesses no faster than by signing in.
    ///
    /// - Parameter check: Returns nil for what counts as a wrong password. What it throws counts for nobody.
    func attempt<Value: Sendable>(
        by caller: UserCaller, check: () async throws -> Value?
    ) async throws -> Value? {
        guard let attempts else { return try await check() }
        let user = caller.user.id.text
        let keys = [
            // A token without a session has its user's one place.
            AttemptKey(attempts.bySession, caller.session?.id.text ?? user), AttemptKey(attempts.bySessions, user),
        ]
        try await attempts.limiter.look(keys, at: floor.now()).enforce()
        return try await attempts.limiter.attempt(keys, now: floor.now, check)
    }

    /// Marks a browser, so that it is known by what it shows from now on.
    func mark(_ response: inout Response, of account: AttemptedAccount, for request: Request) {
        guard attempts != nil, request.isOfBrowser else { return }
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
        let address = floor.clientAddress.address(peer: context.peerAddress, request.headers)
        let pair = attempts.pair(account, address)
        let all =
            [AttemptKey(attempts.byAccountInAll, account.key)] + pair + [AttemptKey(attempts.byAccount, account.key)]
        let decision = try await attempts.limiter.look(all, at: now)
        guard case .refused(_, let bucket) = decision, attempts.isOfAccount(bucket), let address,
            let email = account.email,
            try await accounts.sessionAddresses(of: email).contains(where: {
                IPAddress($0)?.limitKey == address.limitKey
            })
        else {
            try decision.enforce()
            return all
        }
        // The look above may have ended at the account: what other nodes counted of the pair is not known yet.
        try await attempts.limiter.look(pair, at: now).enforce()
        return pair
    }
}
