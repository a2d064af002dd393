package import AccountDomain
import GatehouseWire
import SQLDatabase

/// Checked again in the change's transaction.
enum FactorCaller: Sendable {
    case good(CurrentAccount)
    /// Or the user is banned.
    case ended
    case tooLow
}

extension FactorStore {
    /// - Parameters:
    ///   - session: A token without one has the lowest level.
    ///   - needsLevel: Refuses a session without the user's second factor.
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

    /// Why the session may not answer the factor; nil if it may. An unverified factor's first answer raises any
    /// session, even that of a thief with only a password or a token, so it needs what adding the factor needed.
    func refusal(of factor: Factor, in current: CurrentAccount, at now: Instant) -> FactorOutcome? {
        if factor.isVerified { return nil }
        if current.isTooLow { return .tooLow }
        return policy.needsProof(.addFactor, by: current, at: now) ? .stale : nil
    }

    /// Oldest first.
    package func all(of user: UserID) async throws -> [Factor] {
        try await database.rows(Self.factorLookup(user)) { $0.factor() }
    }

    static let factorColumns = Columns(
        of: "factors",
        from: Factor(
            id: FactorID(trusted: Accounts.nilID), user: UserID(trusted: Accounts.nilID), kind: .totp, name: "",
            at: Instant(seconds: 0)),
        [
            .init("id") { $0.id = $1.id() },
            .init("user_id") { $0.user = $1.id() },
            // The table allows no other kind.
            .init("kind") { $0.kind = Factor.Kind(text: $1.text()) ?? .totp },
            .init("is_verified") { $0.isVerified = $1.bool() },
            .init("name") { $0.name = $1.text() },
            .init("created_at") { $0.createdAt = $1.instant() },
            .init("updated_at") { $0.updatedAt = $1.instant() },
            .init("challenged_at") { $0.lastChallengedAt = $1.instantIfPresent() },
            .init("aaguid") { $0.authenticatorModel = $1.textIfPresent() },
            .init("removal_at") { $0.removalAt = $1.instantIfPresent() },
            .init("phone") { factor, columns in
                factor.phone = columns.textIfPresent()
                if factor.phone != nil { factor.kind = .phone }
            },
        ])

    static func factorLookup(_ user: UserID) -> SQL {
        """
        SELECT \(columns: factorColumns) FROM factors WHERE factors.user_id = \(user)
        ORDER BY factors.created_at, factors.id
        """
    }
}

extension CurrentAccount {
    /// Whether the session lacks the user's second factor.
    package var isTooLow: Bool {
        account.user.hasSecondFactor && (session?.assuranceLevel ?? .aal1) < .aal2
    }
}

extension Row {
    mutating func factor() -> Factor { FactorStore.factorColumns.read(&self) }
}

extension Connection {
    func factors(of user: UserID) throws -> [Factor] { try rows(FactorStore.factorLookup(user)) { $0.factor() } }

    /// Updates the account's summary. Call after every change of a factor, in its transaction.
    @discardableResult
    func showFactors(of user: UserID) throws -> [Factor] {
        let factors = try factors(of: user)
        try show(factors, of: user)
        return factors
    }

    /// - Parameter factors: All of the user's, as this transaction leaves them.
    func show(_ factors: [Factor], of user: UserID) throws {
        try run(
            """
            UPDATE users SET factors = \(factors.shown), has_second_factor = \(factors.protect) WHERE id = \(user)
            """)
    }
}

extension User {
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
