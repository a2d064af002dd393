package import AccountDomain
package import GatehouseWire
import SQLDatabase

package enum RecoveryLookup: Sendable {
    case none
    case locked(until: Instant)
    /// The unused code with this selector; nil without one.
    case found(FactorID, Secret?)
}

extension RecoveryCodeStore {
    /// One statement.
    package func recoveryLookup(_ code: RecoveryCode, of user: UserID, at now: Instant) async throws -> RecoveryLookup {
        let found = try await database.row(Self.recoveryCodeLookup(code, of: user)) {
            row -> (FactorID, Instant?, Int, Secret?) in
            (row.id(), row.instantIfPresent(), Int(row.int()), row.textIfPresent().map(Secret.init))
        }
        guard let (factor, lockedUntil, failures, hash) = found else { return .none }
        if let end = lockedUntil, isLocked(until: end, failures, at: now) { return .locked(until: end) }
        return .found(factor, hash)
    }

    static func recoveryCodeLookup(_ code: RecoveryCode, of user: UserID) -> SQL {
        """
        SELECT factors.id, factors.locked_until, factors.failures, recovery_codes.hash
        FROM factors LEFT JOIN recovery_codes ON recovery_codes.factor_id = factors.id
            AND recovery_codes.selector = \(code.selector) AND recovery_codes.used_at IS NULL
        WHERE factors.user_id = \(user) AND factors.kind = 'recovery_code'
        """
    }

    private func isLocked(until end: Instant, _ failures: Int, at now: Instant) -> Bool {
        factorRules.lock(of: .recoveryCodes).isLocked(until: end, after: failures, at: now)
    }

    /// Uses up a correct code in the same transaction.
    ///
    /// - Parameter hash: nil for a wrong code, which counts against the set.
    /// - Returns: Also `wrong` for a code that was used or replaced during the comparison.
    package func verify(
        _ code: RecoveryCode, matching hash: Secret?, of user: UserID, in session: SessionID, from device: Device,
        at now: Instant
    ) async throws -> FactorOutcome {
        try await accounts.sessions.revoking(at: now) { db in
            let caller = try accounts.factors.factorCaller(user, in: session, needsLevel: false, at: now, in: db)
            guard case .good(let current) = caller else { return .ended }
            guard let set = try db.recoverySet(of: user) else { return .unknown }
            let factor = set.factor
            let lock = try db.row("SELECT locked_until, failures FROM factors WHERE id = \(factor.id)") {
                (end: $0.instantIfPresent(), failures: Int($0.int()))
            }
            if let lock, let end = lock.end, isLocked(until: end, lock.failures, at: now) { return .locked(until: end) }
            guard let hash, try db.use(code, hash: hash, of: factor.id, at: now) else {
                try accounts.factors.countFailure(of: factor.id, kind: .recoveryCodes, at: now, in: db)
                return .wrong
            }
            let remaining: AuthJSONObject = ["remaining": .integer(Int64(set.remaining - 1))]
            let raised = try accounts.factors.raise(
                current, by: factor, among: try db.factors(of: user), as: .recoveryCodeVerified, traits: remaining,
                from: device, at: now, in: db)
            guard let raised else { return .ended }
            try accounts.mails.notify(.recoveryCodeUsed, current.account.user, from: device, at: now, in: db)
            return .raised(raised)
        }
    }
}

extension Connection {
    /// Uses up a code. The answer is accepted only if this returns true.
    fileprivate func use(_ code: RecoveryCode, hash: Secret, of factor: FactorID, at now: Instant) throws -> Bool {
        try run(
            """
            UPDATE recovery_codes SET used_at = \(now)
            WHERE factor_id = \(factor) AND selector = \(code.selector) AND hash = \(hash.reveal()) AND used_at IS NULL
            """) == 1
    }
}
