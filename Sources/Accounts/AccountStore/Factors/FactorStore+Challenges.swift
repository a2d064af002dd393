package import AccountDomain
package import GatehouseWire
package import SQLDatabase

/// Only `made` has changed anything.
package enum ChallengeOutcome: Sendable {
    case made(FactorChallenge)
    case unknown
    case ended
}

extension FactorStore {
    package func factor(_ id: FactorID, of user: UserID) async throws -> Factor? {
        try await database.row(Self.factorLookup(id, of: user)) { $0.factor() }
    }

    static func factorLookup(_ id: FactorID, of user: UserID) -> SQL {
        """
        SELECT \(columns: factorColumns) FROM factors WHERE factors.id = \(id) AND factors.user_id = \(user)
        """
    }

    /// A factor can have several open challenges; any of the user's sessions may answer them.
    ///
    /// - Parameter data: The expected values of a WebAuthn response.
    package func challenge(
        _ factor: FactorID, of user: UserID, in session: SessionID?, data: String? = nil, at now: Instant
    ) async throws -> ChallengeOutcome {
        let challenge = FactorChallenge(id: accounts.newID(), expiresAt: now + factorRules.challengeLifetime)
        return try await database.write { db in
            let caller = try factorCaller(user, in: session, needsLevel: false, at: now, in: db)
            guard case .good(let current) = caller else { return .ended }
            try db.removeExpired(from: .challenges, at: now)
            let changed = try db.run(
                """
                UPDATE factors SET challenged_at = \(now) WHERE id = \(factor) AND user_id = \(user)
                    AND kind <> 'recovery_code'
                """)
            guard changed == 1 else { return .unknown }
            try db.run(
                """
                INSERT INTO factor_challenges (id, factor_id, created_at, expires_at, data)
                VALUES (\(challenge.id), \(factor), \(now), \(challenge.expiresAt), \(data))
                """)
            try db.showFactors(of: user)
            let entry = AuditEntry(
                .challengeCreated, actor: user, actorName: current.account.user.email ?? "",
                traits: ["factor_id": .string(factor.text), "challenge_id": .string(challenge.id.text)])
            try accounts.record([entry], at: now, in: db)
            return .made(challenge)
        }
    }
}

extension FactorStore {
    static func challengeLookup(_ challenge: ChallengeID, to factor: FactorID) -> SQL {
        """
        SELECT \(columns: challengeColumns) FROM factor_challenges
        WHERE factor_challenges.id = \(challenge) AND factor_challenges.factor_id = \(factor)
        """
    }

    static let challengeColumns = Columns(
        of: "factor_challenges", from: FoundChallenge(),
        [
            .init("expires_at") { $0.expiresAt = $1.instantIfPresent() },
            .init("used_at") { $0.isUsed = $1.instantIfPresent() != nil },
            .init("data") { $0.data = $1.textIfPresent() },
        ])
}

enum ChallengeState: Sendable {
    case open(data: String?)
    case unknown
    case used
    /// Deleted, except in a read.
    case expired
}

extension Connection {
    func state(of challenge: ChallengeID, to factor: FactorID, at now: Instant) throws -> ChallengeState {
        try row(FactorStore.challengeLookup(challenge, to: factor)) { $0.challengeState(at: now) } ?? .unknown
    }

    /// Uses up a challenge. The answer is accepted only if this returns true.
    func use(_ challenge: ChallengeID, to factor: FactorID, at now: Instant) throws -> Bool {
        try run(
            """
            UPDATE factor_challenges SET used_at = \(now)
            WHERE id = \(challenge) AND factor_id = \(factor) AND used_at IS NULL AND expires_at >= \(now)
            """) == 1
    }
}

/// null without a challenge.
struct FoundChallenge: Sendable {
    var expiresAt: Instant?
    var isUsed = false
    var data: String?

    func state(at now: Instant) -> ChallengeState {
        guard let expiresAt else { return .unknown }
        if isUsed { return .used }
        return now > expiresAt ? .expired : .open(data: data)
    }
}

extension Row {
    mutating func challengeState(at now: Instant) -> ChallengeState {
        FactorStore.challengeColumns.read(&self).state(at: now)
    }
}
