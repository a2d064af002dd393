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
    /// Trades a refresh token for its successor: one write, which is the lock, and what is read right after it.
    ///
    /// The rotation only happens if the token is the session's current one and nothing speaks against it. Otherwise the
    /// decision is made on what is there: callers side by side converge on one successor.
    ///
    /// Reuse is an outcome, not an error: the end of the session has to commit although the caller is refused
    /// (RFC 9700 §4.14.2).
    package func refresh(_ presented: RefreshToken, from device: Device, at now: Instant) async throws -> RefreshOutcome
    {
        guard let key = presented.genuineKey(secrets) else { return .unknown }
        return try await refresh(presented.session, counter: presented.counter, key, from: device, at: now)
    }

    /// - Parameters:
    ///   - counter: Of a token that is known to be genuine.
    ///   - key: With which it was made; nil for a token of another server.
    func refresh(
        _ session: SessionID, counter: Int64, _ key: RefreshTokenKey? = nil, from device: Device, at now: Instant
    ) async throws -> RefreshOutcome {
        let rotation = Self.rotation(of: session, counter: counter, policy: policy, from: device, at: now)
        let lookup = Self.refreshLookup(session)
        var doubt: DatabaseFailure?
        for _ in 0..<Self.refreshTries {
            do {
                let changed = try await database.change(rotation, thenRead: lookup) { $0.sessionAndAccount() }
                guard let (session, account) = wholeAccount(changed.found) else { return .unknown }
                // A ban that came between the two; the token is one behind after it, and good.
                if account.user.isBanned(at: now) { return .banned }
                if changed.count == 1 { return .issued(issue(session, to: account, key), .rotate) }
                if let outcome = try await decide(counter, session, account, key, from: device, at: now) {
                    return outcome
                }
            } catch let failure as DatabaseFailure {
                // Whether it took effect is there to be read, and either way there is an answer; when it cannot be
                // read, nobody shall be told that nothing has happened.
                guard doubt == nil, failure.kind == .unknownOutcome else { throw doubt ?? failure }
                doubt = failure
            }
        }
        throw doubt ?? DatabaseFailure(code: 0, detail: "the session changes all the time", kind: .passing)
    }

    private static let refreshTries = 20

    /// - Returns: nil when the session has changed since the rotation was refused.
    private func decide(
        _ counter: Int64, _ session: Session, _ account: Account, _ key: RefreshTokenKey?, from device: Device,
        at now: Instant
    ) async throws -> RefreshOutcome? {
        let verdict = RefreshVerdict(
            counter: counter, session: session, policy: policy, now: now,
            successorWasUsed: policy.isStrict ? try await wasUsed(session) : false)
        switch verdict {
        case .rotate: return nil
        case .reissue: return .issued(issue(session, to: account, key), verdict)
        case .reissueLate:
            let entry = Self.entry(.tokenRepeated, session, account, device, reason: nil)
            try await database.write { db in try record([entry], at: now, in: db) }
            return .issued(issue(session, to: account, key), verdict)
        case .expired: return .expired
        case .ahead: return .ahead
        case .revoke:
            guard policy.revokesOnReuse else { return .reused }
            let hasEnded = try await revoking(at: now) { db in
                try end(session, of: account, from: device, at: now, in: db)
            }
            return hasEnded ? .reused : nil
        }
    }

    /// Ends the session unless it has moved on; the log then says why.
    private func end(
        _ session: Session, of account: Account, from device: Device, at now: Instant, in db: any Connection
    ) throws -> Bool {
        let ended = try db.endSessions(
            where: "id = \(session.id) AND refresh_token_counter = \(session.counter)", at: now)
        guard ended == 1 else { return false }
        let revoked = Self.entry(.tokenRevoked, session, account, device, reason: "refresh_token_reuse")
        try record([revoked], at: now, in: db)
        return true
    }

    /// - Parameter device: Who presented the token, so that a person or an administrator knows it or does not.
    private static func entry(
        _ action: AuditEntry.Action, _ session: Session, _ account: Account, _ device: Device, reason: String?
    ) -> AuditEntry {
        let traits: [String: AnyJSON?] = [
            "reason": reason.map(AnyJSON.string), "session_id": .string(session.id.text),
            "user_agent": device.userAgent.map(AnyJSON.string), "address": device.address.map(AnyJSON.string),
        ]
        return AuditEntry(
            action, actor: account.user.id, actorName: account.user.email ?? "",
            traits: JSONObject(traits.compactMapValues(\.self)))
    }

    /// Moves a session on from a counter, where ``RefreshVerdict`` says that it rotates and nobody is banned.
    static func rotation(
        of session: SessionID, counter: Int64, policy: SessionPolicy, from device: Device, at now: Instant
    ) -> SQL {
        """
        UPDATE sessions SET refresh_token_counter = \(counter + 1), refreshed_at = \(now),
            user_agent = \(device.userAgent), ip = \(device.address)
        \(.ofMany)
        WHERE refresh_token_counter = \(counter) AND created_at >= \(policy.earliestStart(at: now))
            AND coalesce(refreshed_at, created_at) >= \(policy.earliestUse(at: now))
            AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = sessions.user_id AND banned_until > \(now))
            AND id = CAST(\(session) AS \(.uuid))
        """
    }

    static func refreshLookup(_ session: SessionID) -> SQL {
        """
        SELECT \(columns: userColumns), \(columns: identityColumns), \(columns: sessionColumns)
        FROM sessions JOIN users ON users.id = sessions.user_id LEFT JOIN identities ON identities.user_id = users.id
        \(.ofMany)
        WHERE sessions.id = CAST(\(session) AS \(.uuid))
        """
    }
}

extension Row {
    /// A row of ``Accounts/refreshLookup(_:)``: an account with one of its identities.
    fileprivate func sessionAndAccount() -> (session: Session, account: Account) {
        let identity = identityIfPresent(from: Accounts.userColumnCount)
        return (
            session(from: Accounts.userColumnCount + Accounts.identityColumnCount),
            Account(user: user(), identities: identity.map { [$0] } ?? [])
        )
    }
}

/// One account of all rows.
private func wholeAccount(_ rows: [(session: Session, account: Account)]) -> (session: Session, account: Account)? {
    guard var found = rows.first, rows.count > 1 else { return rows.first }
    found.account.identities = rows.flatMap(\.account.identities)
        .sorted { ($0.createdAt, $0.id.text) < ($1.createdAt, $1.id.text) }
    return found
}
