import AccountDomain
import GatehouseWire
import SQLDatabase

extension FactorStore {
    /// Raises a session after a second factor's correct answer: adds the method, issues a new refresh token, ends the
    /// user's sessions without a second factor, verifies the factor and deletes unverified ones of its kind. Earlier
    /// refresh tokens never get the level. A first factor also ends a pending change of address, which one of those
    /// sessions may have begun.
    ///
    /// - Parameters:
    ///   - current: Read in this transaction.
    ///   - factors: All of the user's, read in this transaction.
    ///   - step: Of an accepted time code.
    ///   - traits: Besides the factor.
    /// - Returns: nil without a session.
    func raise(
        _ current: CurrentAccount, by factor: Factor, among factors: [Factor], step: Int64? = nil,
        as entry: AuditEntry.Action = .verificationAttempted, traits: AuthJSONObject = [:], from device: Device,
        at now: Instant, in db: any Connection
    ) throws -> IssuedSession? {
        guard var session = current.session else { return nil }
        var account = current.account
        let isFirstFactor = !account.user.hasSecondFactor
        // First: serializes concurrent answers, which change each other's session rows.
        account.user.show(try db.noteAnswer(of: factor, among: factors, step: step, at: now))
        try accounts.proofs.restorePromised(to: session.id, of: &account, at: now, in: db)
        let rises = session.adds(factor.kind.method, at: now)
        // Two steps, so that a release without `level_counter` takes the previous token for a copied one.
        session.counter += rises ? 2 : 1
        if rises { session.levelCounter = session.counter }
        session.factor = factor.id
        session.refreshedAt = now
        try db.store(session)
        try accounts.sessions.endSessions(
            where: "user_id = \(session.user) AND aal = 'aal1' AND id <> \(session.id)",
            .byUser(.levelRaised, in: session.id, from: device), at: now, in: db)
        // Only a session with the second factor can have begun a later change.
        if isFirstFactor {
            try db.endWhatBeganLower(of: session.user, at: now)
            (account.user.newPhone, account.user.times.phoneChangeSentAt) = (nil, nil)
            if account.user.newEmail != nil {
                (account.user.newEmail, account.user.times.emailChangeSentAt) = (nil, nil)
            }
        }
        if !factor.isVerified {
            try accounts.mails.notify(.factorEnrolled, account.user, factor: factor.kind, from: device, at: now, in: db)
        }
        let about: AuthJSONObject = [
            "factor_id": .string(factor.id.text), "factor_type": .string(factor.kind.rawValue),
        ]
        let audit = AuditEntry(
            entry, actor: session.user, actorName: account.user.name, traits: about.merging(traits) { $1 })
        try accounts.record([audit], at: now, in: db)
        return try accounts.sessions.issue(session, to: account)
    }

    /// Counts a wrong answer, and locks the factor after too many.
    func countFailure(of factor: FactorID, kind: Factor.Kind, at now: Instant, in db: any Connection) throws {
        try db.run("UPDATE factors SET failures = failures + 1 WHERE id = \(factor)")
        let failures = try db.row("SELECT failures FROM factors WHERE id = \(factor)") { Int($0.int()) } ?? 0
        guard let end = factorRules.lock(of: kind).end(after: failures, at: now) else { return }
        try db.run("UPDATE factors SET locked_until = \(end) WHERE id = \(factor)")
    }
}

extension Session {
    /// - Returns: Whether the level rose.
    fileprivate mutating func adds(_ method: AuthenticationMethod, at now: Instant) -> Bool {
        let before = assuranceLevel
        entries.add(method, at: now)
        return before < assuranceLevel
    }
}

extension Connection {
    /// Verifies the factor, and deletes unverified ones of its kind. Changes the user's row.
    ///
    /// - Returns: The remaining factors.
    fileprivate func noteAnswer(
        of factor: Factor, among factors: [Factor], step: Int64?, at now: Instant
    ) throws -> [Factor] {
        var left = factors.filter { $0.isVerified || $0.kind != factor.kind || $0.id == factor.id }
        if left.count < factors.count {
            try run(
                """
                DELETE FROM factors WHERE user_id = \(factor.user) AND kind = \(factor.kind.stored)
                    AND \(factor.kind.hasNumber) AND is_verified = 0 AND id <> \(factor.id)
                """)
        }
        let accepted: SQL = step.map { ", last_step = \($0)" } ?? ""
        // The owner has the factor, so its removal is cancelled.
        try run(
            """
            UPDATE factors SET is_verified = 1, failures = 0, locked_until = NULL, removal_at = NULL, updated_at = \(now)
                \(accepted)
            WHERE id = \(factor.id)
            """)
        if let index = left.firstIndex(where: { $0.id == factor.id }) {
            (left[index].isVerified, left[index].removalAt, left[index].updatedAt) = (true, nil, now)
        }
        try show(left, of: factor.user)
        return left
    }

    func store(_ session: Session) throws {
        try run(
            """
            UPDATE sessions SET refresh_token_counter = \(session.counter), level_counter = \(session.levelCounter),
                aal = \(session.assuranceLevel.rawValue), amr = \(session.authenticationMethods),
                factor_id = \(session.factor), refreshed_at = \(session.refreshedAt)
            WHERE id = \(session.id)
            """)
    }
}
