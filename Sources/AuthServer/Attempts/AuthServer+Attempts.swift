import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

// Wrong passwords count against the limits; correct passwords and unfinished checks do not. A running check reserves a
// slot, so a hundred concurrent attempts count as a hundred.
extension AuthServer {
    /// Runs one attempt at the password of an account.
    ///
    /// - Parameter check: Returns nil for a wrong password. An error that it throws, such as a full queue or an
    ///   unreachable database, does not count as a failure.
    /// - Throws: ``Refusal`` 429 after too many failures.
    func attempt<Value: Sendable>(
        at account: AttemptedAccount, _ request: Request, _ context: ServerContext, check: () async throws -> Value?
    ) async throws -> Value? {
        guard let attempts else { return try await check() }
        let keys = try await openKeys(attempts, account, request, context)
        return try await attempts.limiter.attempt(keys, now: floor.now, check)
    }

    /// Runs an attempt by a caller with an access token. These attempts have their own limit: a stranger's failures do
    /// not lock out the owner, and a stolen token allows no more guesses than signing in does.
    func attempt(ofSessionsOf user: User, check: () async throws -> Bool) async throws -> Bool {
        guard let attempts else { return try await check() }
        let keys = [AttemptKey(attempts.bySession, user.id.text)]
        try await attempts.limiter.look(keys, at: floor.now()).enforce()
        return try await attempts.limiter.attempt(keys, now: floor.now) { try await check() ? true : nil } ?? false
    }

    /// Sets a device cookie, which identifies this browser in later attempts.
    func mark(_ response: inout Response, of account: AttemptedAccount, for request: Request) {
        guard attempts != nil, request.isOfBrowser else { return }
        var cookie = DeviceCookie(request, isSecure: isSecure)
        cookie.add(
            cookie.mark(of: account.digest, accounts.secrets)
                ?? DeviceMark(of: account.digest, id: accounts.randomBytes(8), accounts.secrets))
        response.headers.append(cookie.field(isSecure: isSecure))
    }

    /// The keys that this attempt counts against.
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
        // The check above may have stopped at the account's limit, before it loaded the failures that other nodes
        // counted for the pair.
        try await attempts.limiter.look(pair, at: now).enforce()
        return pair
    }
}
