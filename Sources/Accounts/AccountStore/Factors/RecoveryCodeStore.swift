package import AccountDomain
package import GatehouseWire
import SQLDatabase

package struct RecoverySet: Sendable {
    package let factor: Factor
    package let total: Int
    package let remaining: Int
}

/// Identifies a set's codes, used or not.
package struct RecoverySetState: Equatable, Sendable {
    fileprivate let selector: String?
}

package struct HashedRecoveryCode: Sendable {
    package let code: RecoveryCode
    package let hash: Secret

    package init(_ code: RecoveryCode, hash: Secret) { (self.code, self.hash) = (code, hash) }
}

/// Nothing changed.
package enum RecoverySetRefusal: Error, Equatable, Sendable {
    case ended
    case tooLow
    /// The last proof is too old for the policy.
    case stale
    /// A set already exists; for new codes: none exists.
    case exists, unknown
    case replaced
    case nameTaken, tooMany
    /// The account has no other verified factor that is accepted.
    case standsAlone
}

extension RecoveryCodeStore {
    package func recoverySet(of user: UserID) async throws -> RecoverySet? {
        try await database.read { try $0.recoverySet(of: user) }
    }

    /// Call before hashing the codes.
    ///
    /// - Parameter name: nil for new codes of a set.
    /// - Returns: The state of the set that the new codes replace; nil for a new set.
    /// - Throws: ``RecoverySetRefusal``.
    @discardableResult
    package func checkRecoverySet(
        named name: String?, of user: UserID, in session: SessionID?, at now: Instant
    ) async throws -> RecoverySetState? {
        try await database.read { db in
            let (_, found) = try recoveryCaller(named: name, of: user, in: session, at: now, in: db)
            return try found.map { try db.state(of: $0) }
        }
    }

    /// - Throws: ``RecoverySetRefusal``.
    package func makeRecoverySet(
        named name: String, _ codes: [HashedRecoveryCode], of user: UserID, in session: SessionID?,
        from device: Device, at now: Instant
    ) async throws -> Factor {
        var factor = Factor(
            id: accounts.newID(), user: user, kind: .recoveryCodes, isVerified: true, name: name, at: now)
        factor.updatedAt = now
        let made = factor
        return try await database.write { db in
            let (current, _) = try recoveryCaller(named: name, of: user, in: session, at: now, in: db)
            try db.insert(made)
            try db.insert(codes, of: made.id)
            try db.showFactors(of: user)
            let account = current.account.user
            try accounts.mails.notify(.factorEnrolled, account, factor: .recoveryCodes, from: device, at: now, in: db)
            try record(
                .recoveryCodesGenerated, by: account, made, ["count": .integer(Int64(codes.count))], at: now, in: db)
            return made
        }
    }

    /// Replaces all codes of the set, and lifts a lock.
    ///
    /// - Parameter checked: From ``checkRecoverySet(named:of:in:at:)``. Of two concurrent requests, only one succeeds,
    ///   so that no user keeps void codes.
    /// - Throws: ``RecoverySetRefusal``.
    package func replaceRecoveryCodes(
        _ codes: [HashedRecoveryCode], checked: RecoverySetState?, of user: UserID, in session: SessionID?,
        from device: Device, at now: Instant
    ) async throws -> Factor {
        try await database.write { db in
            let (current, found) = try recoveryCaller(named: nil, of: user, in: session, at: now, in: db)
            guard let factor = found else { throw RecoverySetRefusal.unknown }
            guard try db.state(of: factor) == checked else { throw RecoverySetRefusal.replaced }
            try db.run("DELETE FROM recovery_codes WHERE factor_id = \(factor.id)")
            try db.insert(codes, of: factor.id)
            try db.run(
                """
                UPDATE factors SET failures = 0, locked_until = NULL, updated_at = \(now) WHERE id = \(factor.id)
                """)
            try db.showFactors(of: user)
            try accounts.mails.notify(.recoveryCodesReplaced, current.account.user, from: device, at: now, in: db)
            let count: AuthJSONObject = ["count": .integer(Int64(codes.count))]
            try record(.recoveryCodesRegenerated, by: current.account.user, factor, count, at: now, in: db)
            return factor
        }
    }

    /// Sessions that a code raised fall to the level of their remaining methods.
    ///
    /// - Throws: ``RecoverySetRefusal``.
    package func deleteRecoverySet(
        of user: UserID, in session: SessionID?, from device: Device, at now: Instant
    ) async throws -> Factor {
        try await database.write { db in
            let current = try levelled(user, in: session, at: now, in: db)
            guard let factor = try db.factors(of: user).first(where: { $0.kind == .recoveryCodes }) else {
                throw RecoverySetRefusal.unknown
            }
            if policy.needsProof(.replaceRecoveryCodes, by: current, at: now) { throw RecoverySetRefusal.stale }
            try db.remove(factor)
            let account = current.account.user
            try accounts.mails.notify(.factorUnenrolled, account, factor: .recoveryCodes, from: device, at: now, in: db)
            try record(.recoveryCodesDeleted, by: account, factor, at: now, in: db)
            return factor
        }
    }

    private func recoveryCaller(
        named name: String?, of user: UserID, in session: SessionID?, at now: Instant, in db: any Connection
    ) throws -> (CurrentAccount, Factor?) {
        let current = try levelled(user, in: session, at: now, in: db)
        let factors = try db.factors(of: user)
        let found = factors.first { $0.kind == .recoveryCodes }
        if let name {
            guard found == nil else { throw RecoverySetRefusal.exists }
            if factors.contains(where: { $0.hasName(name) }) { throw RecoverySetRefusal.nameTaken }
            guard factorRules.admitsAnother(to: factors) else { throw RecoverySetRefusal.tooMany }
            if factorRules.leavesCodesAlone(factors) { throw RecoverySetRefusal.standsAlone }
        } else if found == nil {
            throw RecoverySetRefusal.unknown
        }
        if policy.needsProof(.replaceRecoveryCodes, by: current, at: now) { throw RecoverySetRefusal.stale }
        return (current, found)
    }

    /// The session must have given a second factor.
    private func levelled(
        _ user: UserID, in session: SessionID?, at now: Instant, in db: any Connection
    ) throws -> CurrentAccount {
        guard
            case .good(let current) = try accounts.factors.factorCaller(
                user, in: session, needsLevel: false, at: now, in: db)
        else {
            throw RecoverySetRefusal.ended
        }
        guard (current.session?.assuranceLevel ?? .aal1) == .aal2 else { throw RecoverySetRefusal.tooLow }
        return current
    }

    func record(
        _ action: AuditEntry.Action, by user: User, _ factor: Factor, _ traits: AuthJSONObject = [:], at now: Instant,
        in db: any Connection
    ) throws {
        let about: AuthJSONObject = [
            "factor_id": .string(factor.id.text), "factor_type": .string(factor.kind.rawValue),
        ]
        let entry = AuditEntry(
            action, actor: user.id, actorName: user.name, traits: about.merging(traits) { $1 })
        try accounts.record([entry], at: now, in: db)
    }
}

extension Connection {
    func recoverySet(of user: UserID) throws -> RecoverySet? {
        let lookup: SQL = """
            SELECT \(columns: FactorStore.factorColumns),
                (SELECT count(*) FROM recovery_codes WHERE recovery_codes.factor_id = factors.id),
                (SELECT count(*) FROM recovery_codes
                    WHERE recovery_codes.factor_id = factors.id AND recovery_codes.used_at IS NULL)
            FROM factors WHERE factors.user_id = \(user) AND factors.kind = 'recovery_code'
            """
        return try row(lookup) { row in
            RecoverySet(factor: row.factor(), total: Int(row.int()), remaining: Int(row.int()))
        }
    }

    fileprivate func state(of set: Factor) throws -> RecoverySetState {
        let first = try row("SELECT min(selector) FROM recovery_codes WHERE factor_id = \(set.id)") {
            $0.textIfPresent()
        }
        return RecoverySetState(selector: first ?? nil)
    }

    func insert(_ codes: [HashedRecoveryCode], of factor: FactorID) throws {
        for hashed in codes {
            try run(
                """
                INSERT INTO recovery_codes (factor_id, selector, hash)
                VALUES (\(factor), \(hashed.code.selector), \(hashed.hash.reveal()))
                """)
        }
    }
}
