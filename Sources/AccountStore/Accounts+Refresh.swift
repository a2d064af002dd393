package import AccountDomain
package import GatehouseWire
import SQLDatabase

package enum RefreshOutcome: Sendable {
    /// A new token, or the current one again: the verdict says which.
    case issued(IssuedSession, RefreshVerdict)
    /// No such session, or not this server's token.
    case unknown
    case banned
    case expired
    /// A counter that was never given out.
    case ahead
    /// Somebody else has used the token's successor: the session has ended, and the log says so.
    case reused
}

extension Accounts {
    /// Trades a refresh token for its successor in one transaction of two statements.
    ///
    /// Reuse is an outcome, not an error: the end of the session has to commit although the caller is refused
    /// (RFC 9700 §4.14.2).
    package func refresh(_ presented: RefreshToken, from device: Device, at now: Instant) async throws -> RefreshOutcome
    {
        guard presented.isGenuine(secrets) else { return .unknown }
        return try await database.write { db in
            guard var found = try db.sessionAndAccount(Self.refreshLookup(presented.session)) else { return .unknown }
            if found.account.user.isBanned(at: now) { return .banned }
            let verdict = RefreshVerdict(
                counter: presented.counter, session: found.session, policy: policy, now: now)
            switch verdict {
            case .rotate:
                found.session.counter += 1
                found.session.refreshedAt = now
                try db.rotate(found.session, from: device)
                return .issued(issue(found.session, to: found.account), verdict)
            case .reissue:
                return .issued(issue(found.session, to: found.account), verdict)
            case .expired: return .expired
            case .ahead: return .ahead
            case .revoke:
                if policy.revokesOnReuse { try end(found.session, of: found.account, at: now, in: db) }
                return .reused
            }
        }
    }

    private func end(_ session: Session, of account: Account, at now: Instant, in db: any Connection) throws {
        try db.run("DELETE FROM sessions WHERE id = \(session.id)")
        let revoked = AuditEntry(
            .tokenRevoked, actor: account.user.id, actorName: account.user.email ?? "",
            traits: ["reason": "refresh_token_reuse", "session_id": .string(session.id.text)])
        try record([revoked], at: now, in: db)
    }

    static func refreshLookup(_ session: SessionID) -> SQL {
        """
        SELECT \(columns: userColumns), \(columns: identityColumns), \(columns: sessionColumns)
        FROM sessions JOIN users ON users.id = sessions.user_id LEFT JOIN identities ON identities.user_id = users.id
        WHERE sessions.id = \(session)
        ORDER BY identities.created_at, identities.id
        """
    }
}

extension Connection {
    func sessionAndAccount(_ statement: SQL) throws -> (session: Session, account: Account)? {
        var session: Session?
        var account: Account?
        let afterUser = Accounts.userColumnCount
        _ = try rows(statement) { row in
            if account == nil {
                account = Account(user: row.user(), identities: [])
                session = row.session(from: afterUser + Accounts.identityColumnCount)
            }
            if let identity = row.identityIfPresent(from: afterUser) { account?.identities.append(identity) }
        }
        guard let session, let account else { return nil }
        return (session, account)
    }

    func rotate(_ session: Session, from device: Device) throws {
        try run(
            """
            UPDATE sessions SET refresh_token_counter = \(session.counter), refreshed_at = \(session.refreshedAt),
                user_agent = \(device.userAgent), ip = \(device.address)
            WHERE id = \(session.id)
            """)
    }
}
