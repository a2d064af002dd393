import AccountDomain
import GatehouseWire
import SQLDatabase

extension Accounts {
    /// Raises a session after a right answer of a second factor: adds the method to the session, which gives it the level,
    /// issues a new refresh token, ends the user's sessions without a second factor, verifies the factor and deletes
    /// unverified ones of its kind. Refresh tokens from before never get the level.
    ///
    /// - Parameters:
    ///   - current: Read in this transaction, with a session.
    ///   - traits: For the audit log, in addition to the factor.
    /// - Returns: nil without a session.
    func raise(
        _ current: CurrentAccount, by factor: Factor, as entry: AuditEntry.Action = .verificationAttempted,
        traits: JSONObject = [:], from device: Device, at now: Instant, in db: any Connection
    ) throws -> IssuedSession? {
        guard var session = current.session else { return nil }
        var account = current.account
        let before = session.assuranceLevel
        session.entries.add(factor.kind.method, at: now)
        let rises = before < session.assuranceLevel
        // Two steps, so that a program that does not know the level's counter takes the token before for a copied one.
        session.counter += rises ? 2 : 1
        if rises { session.levelCounter = session.counter }
        session.factor = factor.id
        session.refreshedAt = now
        try db.store(session)
        try endSessions(
            where: "user_id = \(session.user) AND aal = 'aal1' AND id <> \(session.id)",
            .byUser(.levelRaised, in: session.id, from: device), at: now, in: db)
        account.user.show(try db.noteAnswer(of: factor, at: now))
        if !factor.isVerified {
            try notify(.factorEnrolled, account.user, factor: factor.kind, from: device, at: now, in: db)
        }
        let about: JSONObject = [
            "factor_id": .string(factor.id.text), "factor_type": .string(factor.kind.rawValue),
        ]
        let audit = AuditEntry(
            entry, actor: session.user, actorName: account.user.email ?? "", traits: about.merging(traits) { $1 })
        try record([audit], at: now, in: db)
        return issue(session, to: account)
    }

    /// Counts a wrong answer of a factor, and locks it after too many.
    func countFailure(of factor: FactorID, kind: Factor.Kind, at now: Instant, in db: any Connection) throws {
        try db.run("UPDATE factors SET failures = failures + 1 WHERE id = \(factor)")
        let failures = try db.row("SELECT failures FROM factors WHERE id = \(factor)") { Int($0.int()) } ?? 0
        guard let end = factorRules.lock(of: kind).end(after: failures, at: now) else { return }
        try db.run("UPDATE factors SET locked_until = \(end) WHERE id = \(factor)")
    }
}

extension Connection {
    /// Verifies a factor that gave a right answer, and deletes unverified ones of its kind.
    ///
    /// - Returns: The factors of its user.
    fileprivate func noteAnswer(of factor: Factor, at now: Instant) throws -> [Factor] {
        if factor.kind != .recoveryCodes {
            try run(
                """
                DELETE FROM factors WHERE user_id = \(factor.user) AND kind = \(factor.kind.rawValue)
                    AND is_verified = 0 AND id <> \(factor.id)
                """)
        }
        // The owner has the factor, so nobody has to remove it.
        try run(
            """
            UPDATE factors SET is_verified = 1, failures = 0, locked_until = NULL, removal_at = NULL, updated_at = \(now)
            WHERE id = \(factor.id)
            """)
        return try showFactors(of: factor.user)
    }

    /// Stores what a second factor changes in a session.
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
