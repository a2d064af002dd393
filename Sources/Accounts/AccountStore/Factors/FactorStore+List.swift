package import AccountDomain
import GatehouseWire
import SQLDatabase

/// The user of a change to second factors, checked again in its transaction.
enum FactorCaller: Sendable {
    case good(CurrentAccount)
    /// The account is gone, the session has ended, or the user is banned.
    case ended
    /// The user has a second factor, and the session has not had it.
    case tooLow
}

extension FactorStore {
    /// - Parameters:
    ///   - session: The session that the token names, if any. A token without one has the lowest level.
    ///   - needsLevel: Whether a session without the user's second factor is refused.
    func factorCaller(
        _ user: UserID, in session: SessionID?, needsLevel: Bool, at now: Instant, in db: any Connection
    ) throws -> FactorCaller {
        guard let current = try db.current(user, session: session), current.account.user.times.deletedAt == nil,
            !current.account.user.isBanned(at: now)
        else { return .ended }
        if session != nil {
            guard let found = current.session, !policy.hasEnded(found, at: now) else { return .ended }
        }
        return needsLevel && current.isTooLow ? .tooLow : .good(current)
    }

    /// Why the session may not answer a factor. The first answer of an unverified factor raises any session, also one of a
    /// thief who has the password or a token alone, so it needs what adding the factor needed.
    ///
    /// - Returns: nil if it may.
    func refusal(of factor: Factor, in current: CurrentAccount, at now: Instant) -> FactorOutcome? {
        if factor.isVerified { return nil }
        if current.isTooLow { return .tooLow }
        return policy.needsProof(.addFactor, by: current, at: now) ? .stale : nil
    }

    /// Returns the factors of an account, oldest first.
    ///
    /// - Throws: ``DatabaseFailure``.
    package func all(of user: UserID) async throws -> [Factor] {
        try await database.rows(Self.factorLookup(user)) { $0.factor() }
    }

    static let factorColumns: StaticString = """
        factors.id, factors.user_id, factors.kind, factors.is_verified, factors.name, factors.created_at,
        factors.updated_at, factors.challenged_at, factors.aaguid, factors.removal_at
        """

    static func factorLookup(_ user: UserID) -> SQL {
        """
        SELECT \(columns: factorColumns) FROM factors WHERE factors.user_id = \(user)
        ORDER BY factors.created_at, factors.id
        """
    }
}

extension CurrentAccount {
    /// Whether the user has a second factor, and the session has not had it.
    package var isTooLow: Bool {
        account.user.hasSecondFactor && (session?.assuranceLevel ?? .aal1) < .aal2
    }
}

extension Row {
    /// Reads the columns of ``Accounts/factorColumns``.
    mutating func factor() -> Factor {
        let (id, user): (FactorID, UserID) = (self.id(), self.id())
        // The table allows no other kind.
        let kind = Factor.Kind(text: text()) ?? .totp
        var factor = Factor(id: id, user: user, kind: kind, isVerified: bool(), name: text(), at: instant())
        factor.updatedAt = instant()
        factor.lastChallengedAt = instantIfPresent()
        factor.authenticatorModel = textIfPresent()
        factor.removalAt = instantIfPresent()
        return factor
    }
}

extension Connection {
    func factors(of user: UserID) throws -> [Factor] { try rows(FactorStore.factorLookup(user)) { $0.factor() } }

    /// Writes what the account shows of its factors. Call after every change of one, in its transaction.
    ///
    /// - Returns: The factors.
    @discardableResult
    func showFactors(of user: UserID) throws -> [Factor] {
        let factors = try factors(of: user)
        try show(factors, of: user)
        return factors
    }

    /// - Parameter factors: All of the user, as this transaction leaves them.
    func show(_ factors: [Factor], of user: UserID) throws {
        try run(
            """
            UPDATE users SET factors = \(factors.shown), has_second_factor = \(factors.protect) WHERE id = \(user)
            """)
    }
}

extension User {
    /// What ``Connection/showFactors(of:)`` stores.
    mutating func show(_ factors: [Factor]) {
        self.factors = factors.shown
        hasSecondFactor = factors.protect
    }
}

extension SessionPolicy {
    func needsProof(_ change: SensitiveChange, by current: CurrentAccount, at now: Instant) -> Bool {
        needsProof(change, by: current.account.user, in: current.session, at: now)
    }
}
