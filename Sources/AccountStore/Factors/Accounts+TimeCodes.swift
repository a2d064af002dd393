package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// An answer of an authenticator app.
package struct TimeCodeAnswer: Sendable {
    package let factor: FactorID
    package let challenge: ChallengeID
    package let code: Secret

    package init(factor: FactorID, challenge: ChallengeID, code: Secret) {
        (self.factor, self.challenge, self.code) = (factor, challenge, code)
    }
}

/// The result of an answer. `wrong` counts against the factor; only `raised` changes the session.
package enum FactorOutcome: Sendable {
    case raised(IssuedSession)
    case wrong
    /// Too many wrong answers. The answer was not looked at.
    case locked(until: Instant)
    case challengeUnknown, challengeUsed, challengeExpired
    /// The account has no such factor.
    case unknown
    /// The factor was never verified, its user has another one, and the session has not had that one.
    case tooLow
    /// The account or the session has ended meanwhile.
    case ended
}

extension Accounts {
    /// Whether an answer is right, without using it up: for a hook that decides before it counts.
    ///
    /// - Returns: nil if the answer would not be looked at, or counts as no attempt.
    /// - Throws: ``DatabaseFailure``; ``UnknownServerSecret`` for a secret sealed under one that the configuration lacks.
    package func isRight(_ answer: TimeCodeAnswer, of user: UserID, at now: Instant) async throws -> Bool? {
        try await database.read { db in
            switch try examine(answer, of: user, at: now, in: db) {
            case .right: true
            case .refused(.wrong): false
            case .refused: nil
            }
        }
    }

    /// Takes the answer of an authenticator app. A right one uses up its challenge and its code, in one transaction with
    /// everything that it changes.
    ///
    /// - Parameter session: The session that the token names, which the answer raises.
    /// - Throws: ``DatabaseFailure``, with the reason `unknownOutcome` the session may be raised; ``UnknownServerSecret``
    ///   for a secret sealed under one that the configuration lacks.
    package func verify(
        _ answer: TimeCodeAnswer, of user: UserID, in session: SessionID, from device: Device, at now: Instant
    ) async throws -> FactorOutcome {
        try await revoking(at: now) { db in
            let caller = try factorCaller(user, in: session, needsLevel: false, at: now, in: db)
            guard case .good(let current) = caller else { return .ended }
            switch try examine(answer, of: user, at: now, in: db) {
            case .right(let factor, let step):
                if current.isTooLow(for: factor) { return .tooLow }
                let taken = try db.run(
                    """
                    UPDATE factors SET last_step = \(step)
                    WHERE id = \(factor.id) AND (last_step IS NULL OR last_step < \(step))
                    """)
                guard taken == 1 else { return .wrong }
                guard try db.use(answer.challenge, to: factor.id, at: now) else { return .challengeUsed }
                let raised = try raise(
                    current, by: factor, traits: ["challenge_id": .string(answer.challenge.text)], from: device,
                    at: now, in: db)
                return raised.map(FactorOutcome.raised) ?? .ended
            case .refused(let outcome):
                if case .wrong = outcome { try countFailure(of: answer.factor, kind: .totp, at: now, in: db) }
                if case .challengeExpired = outcome {
                    try db.run("DELETE FROM factor_challenges WHERE id = \(answer.challenge)")
                }
                return outcome
            }
        }
    }

    static func timeCodeLookup(_ factor: FactorID, of user: UserID) -> SQL {
        """
        SELECT \(columns: factorColumns), factors.locked_until, factors.last_step, factors.sealed_secret FROM factors
        WHERE factors.id = \(factor) AND factors.user_id = \(user) AND factors.kind = 'totp'
        """
    }

    private enum Examination {
        case right(Factor, step: Int64)
        case refused(FactorOutcome)
    }

    private func examine(
        _ answer: TimeCodeAnswer, of user: UserID, at now: Instant, in db: any Connection
    ) throws -> Examination {
        let found = try db.row(Self.timeCodeLookup(answer.factor, of: user)) {
            row -> (Factor, Instant?, Int64?, [UInt8]?) in
            (row.factor(), row.instantIfPresent(), row.intIfPresent(), row.bytesIfPresent())
        }
        guard let (factor, lockedUntil, lastStep, sealed) = found, let sealed else { return .refused(.unknown) }
        switch try db.state(of: answer.challenge, to: answer.factor, at: now) {
        case .unknown: return .refused(.challengeUnknown)
        case .used: return .refused(.challengeUsed)
        case .expired: return .refused(.challengeExpired)
        case .open: break
        }
        if let lockedUntil, now < lockedUntil { return .refused(.locked(until: lockedUntil)) }
        let codes = TimeCode(secret: try unseal(sealed, of: factor.id))
        guard let step = codes.step(ofCode: answer.code, after: lastStep, at: now) else { return .refused(.wrong) }
        return .right(factor, step: step)
    }
}
