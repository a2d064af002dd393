import AccountDomain
import AccountStore
import GatehouseWire

/// Always presents the previous token, in step with the owner. To the server this looks like an owner whose responses
/// get lost. Docs/decisions/0004-refresh-tokens.md has each setting's guarantees.
struct LockStepThief: Sendable {
    private static let owner = Device(userAgent: "owner", address: nil)
    private static let thief = Device(userAgent: "thief", address: nil)

    private let accounts: Accounts
    private let clock: ElapsedTime
    private let now: @Sendable () -> Instant

    init(_ server: ExploredServer, clock: ElapsedTime, isStrict: Bool) {
        var policy = server.accounts.policy
        policy.isStrict = isStrict
        accounts = Accounts(
            database: server.accounts.database, secrets: server.accounts.secrets, policy: policy,
            randomBytes: server.accounts.randomBytes)
        self.clock = clock
        now = { server.now }
    }

    /// - Parameter token: Of an active session.
    /// - Returns: The broken promise.
    func complaint(from token: String) async throws -> String? {
        // The store may be one behind after a lost response.
        guard let stored = RefreshToken(Secret(token)), var own = try await next(stored) else { return nil }
        for _ in 0..<3 {
            let repeats = try await repeats()
            guard let successor = try await next(own) else { return "the owner is signed out beside a thief" }
            // The owner's next request presents the access token.
            try await accounts.sessions.noteUse(of: own.session, counter: successor.counter)
            clock.advance(by: .seconds(11))
            switch try await accounts.sessions.refresh(own, from: Self.thief, at: now()) {
            case .issued(_, .reissueLate) where !accounts.policy.isStrict:
                if try await self.repeats() != repeats + 1 { return "a late repeat is not written down" }
            case .reused where accounts.policy.isStrict:
                return try await next(successor) == nil ? nil : "strict left a stolen family alive"
            default: return "a thief in step is answered against the promise"
            }
            own = successor
        }
        return nil
    }

    private func next(_ token: RefreshToken) async throws -> RefreshToken? {
        guard case .issued(let issued, _) = try await accounts.sessions.refresh(token, from: Self.owner, at: now())
        else {
            return nil
        }
        return RefreshToken(issued.refreshToken)
    }

    private func repeats() async throws -> Int {
        try await accounts.auditLog(.action("token_repeated"), page: PageRequest(number: 1, size: 1)).total
    }
}
