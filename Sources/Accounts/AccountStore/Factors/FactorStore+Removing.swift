package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Only `removed` has changed anything.
package enum FactorRemoval: Sendable {
    case removed(Factor)
    case unknown
    case ended
    /// The factor is verified, and the session has not given a second factor.
    case tooLow
    /// The last proof is too old for the policy.
    case stale
    /// Removed by another call.
    case isRecoverySet
    /// Recovery codes would be the only factor left.
    case leavesCodesAlone
}

extension FactorStore {
    /// Sessions that the factor raised fall to the level of their remaining methods; none ends.
    package func removeFactor(
        _ id: FactorID, of user: UserID, in session: SessionID?, from device: Device, at now: Instant
    ) async throws -> FactorRemoval {
        try await database.write { db in
            let caller = try factorCaller(user, in: session, needsLevel: false, at: now, in: db)
            guard case .good(let current) = caller else { return .ended }
            let factors = try db.factors(of: user)
            guard let factor = factors.first(where: { $0.id == id }) else { return .unknown }
            if factor.isVerified, (current.session?.assuranceLevel ?? .aal1) < .aal2 { return .tooLow }
            if factor.kind == .recoveryCodes { return .isRecoverySet }
            if factor.isVerified, factors.contains(where: { $0.kind == .recoveryCodes }),
                factorRules.verifying.contains(factor.kind), factorRules.leavesCodesAlone(factors, without: id)
            {
                return .leavesCodesAlone
            }
            if factor.isVerified, policy.needsProof(.removeFactor, by: current, at: now) { return .stale }
            try db.remove(factor)
            try accounts.mails.notify(
                .factorUnenrolled, current.account.user, factor: factor.kind, from: device, at: now, in: db)
            let entry = AuditEntry(
                .factorUnenrolled, actor: user, actorName: current.account.user.name,
                traits: ["factor_id": .string(id.text), "factor_type": .string(factor.kind.rawValue)])
            try accounts.record([entry], at: now, in: db)
            return .removed(factor)
        }
    }
}

extension Connection {
    /// Deletes a factor, and removes its method from sessions that it raised last or whose factor is unknown; from all
    /// of the user's if it was the last of its kind.
    func remove(_ factor: Factor) throws {
        try run("DELETE FROM factors WHERE id = \(factor.id)")
        let left = try showFactors(of: factor.user)
        guard factor.isVerified else { return }
        try lowerSessions(
            raisedBy: factor, hasOther: left.contains { $0.isVerified && $0.kind == factor.kind })
    }

    /// - Parameter hasOther: Whether the user has another verified factor of the kind.
    func lowerSessions(raisedBy factor: Factor, hasOther: Bool) throws {
        let sessions = try rows(
            """
            SELECT \(columns: Accounts.sessionColumns) FROM sessions
            WHERE sessions.user_id = \(factor.user) AND sessions.aal <> 'aal1'
            """
        ) { $0.session() }
        for var session in sessions where session.factor == nil || session.factor == factor.id || !hasOther {
            session.entries.remove(factor.kind.method)
            if session.factor == factor.id { session.factor = nil }
            try store(session)
        }
    }

    /// For an account that gets another owner, or none.
    func forgetFactors(of user: inout User) throws {
        for factor in try factors(of: user.id) { try remove(factor) }
        user.show([])
    }
}
