package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Of an authenticator app or a text message.
package struct FactorCodeAnswer: Sendable {
    package let factor: FactorID
    package let challenge: ChallengeID
    package let code: Secret
    package let kind: Factor.Kind
    /// By the provider that sent it.
    package var isApproved = false

    package init(factor: Factor, challenge: ChallengeID, code: Secret) {
        (self.factor, self.challenge, self.code, kind) = (factor.id, challenge, code, factor.kind)
    }
}

/// `wrong` counts against the factor; only `raised` changes the session.
package enum FactorOutcome: Sendable {
    case raised(IssuedSession)
    case wrong
    /// The answer was not checked.
    case locked(until: Instant)
    case challengeUnknown, challengeUsed, challengeExpired
    case unknown
    /// Unverified, and the session lacks the user's other factor.
    case tooLow
    /// Unverified, and the session needs a newer proof.
    case stale
    case ended
}

extension FactorStore {
    /// Does not use the answer up, for a hook that decides first.
    ///
    /// - Returns: nil if the answer would not be checked, or is no attempt.
    /// - Throws: ``UnknownServerSecret`` if the configuration lacks the secret.
    package func isRight(_ answer: FactorCodeAnswer, of user: UserID, at now: Instant) async throws -> Bool? {
        try await database.read { db in
            switch try examine(answer, of: user, at: now, in: db) {
            case .right: true
            case .refused(.wrong): false
            case .refused: nil
            }
        }
    }

    /// A correct answer uses up its challenge and code in the same transaction.
    ///
    /// - Throws: ``UnknownServerSecret`` if the configuration lacks the secret.
    package func verify(
        _ answer: FactorCodeAnswer, of user: UserID, in session: SessionID, from device: Device, at now: Instant
    ) async throws -> FactorOutcome {
        try await accounts.sessions.revoking(at: now) { db in
            let caller = try factorCaller(user, in: session, needsLevel: false, at: now, in: db)
            guard case .good(let current) = caller else { return .ended }
            switch try examine(answer, of: user, at: now, in: db) {
            case .right(let factor, let factors, let step):
                if let refusal = refusal(of: factor, in: current, at: now) { return refusal }
                guard try db.use(answer.challenge, to: factor.id, at: now) else { return .challengeUsed }
                let raised = try raise(
                    current, by: factor, among: factors, step: step,
                    traits: ["challenge_id": .string(answer.challenge.text)], from: device, at: now, in: db)
                return raised.map(FactorOutcome.raised) ?? .ended
            case .refused(let outcome):
                if case .wrong = outcome { try countFailure(of: answer.factor, kind: answer.kind, at: now, in: db) }
                if case .challengeExpired = outcome {
                    try db.run("DELETE FROM factor_challenges WHERE id = \(answer.challenge)")
                }
                return outcome
            }
        }
    }

    static func timeCodeLookup(_ challenge: ChallengeID, of user: UserID) -> SQL {
        """
        SELECT \(columns: factorColumns), factors.locked_until, factors.failures, factors.last_step,
            factors.sealed_secret, \(columns: challengeColumns)
        FROM factors LEFT JOIN factor_challenges
            ON factor_challenges.id = \(challenge) AND factor_challenges.factor_id = factors.id
        WHERE factors.user_id = \(user)
        ORDER BY factors.created_at, factors.id
        """
    }

    private enum Examination {
        case right(Factor, among: [Factor], step: Int64?)
        case refused(FactorOutcome)
    }

    private struct TimeCodeFactor {
        let factor: Factor
        let lockedUntil: Instant?
        let failures: Int
        let lastStep: Int64?
        /// Only authenticator apps have one.
        let sealedSecret: [UInt8]?
        let challenge: ChallengeState

        init(_ row: inout Row, at now: Instant) {
            factor = row.factor()
            lockedUntil = row.instantIfPresent()
            failures = Int(row.int())
            lastStep = row.intIfPresent()
            sealedSecret = row.bytesIfPresent()
            challenge = row.challengeState(at: now)
        }
    }

    private func examine(
        _ answer: FactorCodeAnswer, of user: UserID, at now: Instant, in db: any Connection
    ) throws -> Examination {
        let all = try db.rows(Self.timeCodeLookup(answer.challenge, of: user)) { TimeCodeFactor(&$0, at: now) }
        guard let named = all.first(where: { $0.factor.id == answer.factor }) else { return .refused(.unknown) }
        let digest: String?
        switch named.challenge {
        case .unknown: return .refused(.challengeUnknown)
        case .used: return .refused(.challengeUsed)
        case .expired: return .refused(.challengeExpired)
        case .open(let data): digest = data
        }
        if let end = named.lockedUntil,
            factorRules.lock(of: named.factor.kind).isLocked(until: end, after: named.failures, at: now)
        {
            return .refused(.locked(until: end))
        }
        if named.factor.kind == .phone {
            return answer.isApproved || isCode(answer.code, of: answer.challenge, digest: digest)
                ? .right(named.factor, among: all.map(\.factor), step: nil) : .refused(.wrong)
        }
        guard let sealed = named.sealedSecret else { return .refused(.unknown) }
        let codes = TimeCode(secret: try unseal(sealed, of: named.factor.id))
        guard let step = codes.step(ofCode: answer.code, after: named.lastStep, at: now) else {
            return .refused(.wrong)
        }
        return .right(named.factor, among: all.map(\.factor), step: step)
    }
}
