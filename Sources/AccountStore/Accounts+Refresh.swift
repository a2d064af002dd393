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
    /// Trades a refresh token for its successor: one read, and one write that is the lock.
    ///
    /// The decision is made on what a reader sees, beside other readers; the rotation itself only happens if the
    /// counter is still the one that was read. Who comes second is decided again, on what the first one left:
    /// callers side by side converge on one successor.
    ///
    /// Reuse is an outcome, not an error: the end of the session has to commit although the caller is refused
    /// (RFC 9700 §4.14.2).
    package func refresh(_ presented: RefreshToken, from device: Device, at now: Instant) async throws -> RefreshOutcome
    {
        guard presented.isGenuine(secrets) else { return .unknown }
        return try await refresh(presented.session, counter: presented.counter, from: device, at: now)
    }

    /// - Parameter counter: Of a token that is known to be genuine.
    func refresh(
        _ session: SessionID, counter: Int64, from device: Device, at now: Instant
    ) async throws -> RefreshOutcome {
        var doubt: DatabaseFailure?
        while true {
            let lookup = Self.refreshLookup(session)
            do {
                guard let found = try await database.read({ try $0.sessionAndAccount(lookup) }) else { return .unknown }
                if let outcome = try await decide(counter, found.session, found.account, from: device, at: now) {
                    return outcome
                }
            } catch let failure as DatabaseFailure {
                // Whether it took effect is there to be read, and either way there is an answer; when it cannot be
                // read, nobody shall be told that nothing has happened.
                guard doubt == nil, failure.kind == .unknownOutcome else { throw doubt ?? failure }
                doubt = failure
            }
        }
    }

    /// - Returns: nil when the session has changed since it was read.
    private func decide(
        _ counter: Int64, _ session: Session, _ account: Account, from device: Device, at now: Instant
    ) async throws -> RefreshOutcome? {
        if account.user.isBanned(at: now) { return .banned }
        let verdict = RefreshVerdict(counter: counter, session: session, policy: policy, now: now)
        switch verdict {
        case .rotate:
            var rotated = session
            rotated.counter += 1
            rotated.refreshedAt = now
            let next = rotated
            guard try await database.change(Self.rotation(to: next, from: device)) == 1 else { return nil }
            return .issued(issue(next, to: account), verdict)
        case .reissue: return .issued(issue(session, to: account), verdict)
        case .expired: return .expired
        case .ahead: return .ahead
        case .revoke:
            guard policy.revokesOnReuse else { return .reused }
            let hasEnded = try await database.write { db in try end(session, of: account, at: now, in: db) }
            return hasEnded ? .reused : nil
        }
    }

    /// Ends the session unless it has moved on; the log then says why.
    private func end(_ session: Session, of account: Account, at now: Instant, in db: any Connection) throws -> Bool {
        let ended = try db.run(
            "DELETE FROM sessions WHERE id = \(session.id) AND refresh_token_counter = \(session.counter)")
        guard ended == 1 else { return false }
        let revoked = AuditEntry(
            .tokenRevoked, actor: account.user.id, actorName: account.user.email ?? "",
            traits: ["reason": "refresh_token_reuse", "session_id": .string(session.id.text)])
        try record([revoked], at: now, in: db)
        return true
    }

    /// Moves a session from the counter before to this one, if it is there and has that counter.
    static func rotation(to session: Session, from device: Device) -> SQL {
        """
        UPDATE sessions SET refresh_token_counter = \(session.counter), refreshed_at = \(session.refreshedAt),
            user_agent = \(device.userAgent), ip = \(device.address)
        WHERE refresh_token_counter = \(session.counter - 1) AND id = \(session.id)
        """
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
}
