package import AccountDomain
package import GatehouseWire
import SQLDatabase

package enum RefreshOutcome: Sendable {
    case issued(IssuedSession, RefreshVerdict)
    /// No such session, or another server's token. The reason is only for the holder of a genuine token of an ended
    /// session.
    case unknown(SessionEnd.Reason? = nil)
    case banned
    case expired(SessionEnd.Reason)
    /// Never issued.
    case ahead
    /// The session's tokens are bound to a key, and the request has no fresh proof of it. The session continues.
    case unproven(isReplay: Bool)
    /// There are two holders. The session has ended, and the audit log contains the reason, unless the policy or
    /// ``RefreshVerdict/outgrown`` only refuses the token.
    case reused
}

extension SessionStore {
    /// Exchanges a refresh token for its successor: one write, which takes the lock, and a read right after it.
    ///
    /// Rotates only the current token. Otherwise decides by the state just read, so that concurrent callers converge on
    /// one successor. Reuse is an outcome, not an error: the session's end must commit (RFC 9700 §4.14.2).
    ///
    /// - Parameter recordsRepeats: Records `reissueLate` now; otherwise the caller calls ``recordRepeat(of:from:at:)``
    ///   when it hands out the tokens.
    package func refresh(
        _ presented: RefreshToken, from device: Device, recordsRepeats: Bool = true, at now: Instant
    ) async throws -> RefreshOutcome {
        guard let key = presented.genuineKey(secrets) else { return .unknown() }
        return try await refresh(
            presented.session, counter: presented.counter, key, from: device, recordsRepeats: recordsRepeats, at: now)
    }

    /// Records that the previous refresh token came late and got the current one again.
    package func recordRepeat(of issued: IssuedSession, from device: Device, at now: Instant) async throws {
        let entry = Self.entry(.tokenRepeated, issued.session, issued.account, device, reason: nil)
        try await database.write { db in try accounts.record([entry], at: now, in: db) }
    }

    /// - Parameters:
    ///   - counter: A verified token's.
    ///   - key: nil for an imported token.
    func refresh(
        _ session: SessionID, counter: Int64, _ key: RefreshTokenKey? = nil, from device: Device,
        recordsRepeats: Bool = true, at now: Instant
    ) async throws -> RefreshOutcome {
        if let proof = device.keyProof {
            let outcome = try await refresh(
                session, counter: counter, key, with: proof, from: device, recordsRepeats: recordsRepeats, at: now)
            if let outcome { return outcome }
        }
        let rotation = Self.rotation(of: session, counter: counter, policy: policy, from: device, at: now)
        let lookup = Self.refreshLookup(session)
        var doubt: DatabaseFailure?
        for _ in 0..<Self.refreshTries {
            do {
                let changed = try await database.change(rotation, thenRead: lookup) { $0.sessionAndAccount() }
                guard let (session, account) = wholeAccount(changed.found) else {
                    return .unknown(try await endReason(of: session))
                }
                // A ban committed between the two statements. The token, one generation behind, remains valid.
                if account.user.isBanned(at: now) { return .banned }
                if account.user.times.deletedAt != nil { return .unknown() }
                // A second factor may have raised the session between the two statements.
                if changed.count == 1, counter + 1 >= session.levelCounter || session.assuranceLevel == .aal1 {
                    return .issued(try issue(session, to: account, key), .rotate)
                }
                if session.keyThumbprint != nil { return .unproven(isReplay: false) }
                if let outcome = try await decide(counter, session, account, key, from: device, at: now) {
                    if recordsRepeats, case .issued(let issued, .reissueLate) = outcome {
                        try await recordRepeat(of: issued, from: device, at: now)
                    }
                    return outcome
                }
            } catch let failure as DatabaseFailure {
                // The next attempt reads whether the write took effect. If that fails too, the outcome stays unknown.
                guard doubt == nil, failure.reason == .unknownOutcome else { throw doubt ?? failure }
                doubt = failure
            }
        }
        throw doubt ?? DatabaseFailure(.conflict, detail: "the session changed repeatedly")
    }

    /// - Parameter key: If known. An older secret's key issues no new tokens.
    /// - Throws: The agreement's errors: see ``agreeing(_:)``.
    func issue(_ session: Session, to account: Account, _ key: RefreshTokenKey? = nil) throws -> IssuedSession {
        let current = key.flatMap { secrets.isCurrent($0) ? $0 : nil } ?? secrets.refreshTokenKey(for: session.id)
        var issued = IssuedSession(
            session: session, account: account,
            refreshToken: RefreshToken.issue(
                counter: session.counter, current, kind: session.client == nil ? .app : .client))
        issued.agreed = try agreement?.check(issued)
        return issued
    }

    private static let refreshTries = 20

    /// - Returns: nil if the session has changed since the rotation failed.
    private func decide(
        _ counter: Int64, _ session: Session, _ account: Account, _ key: RefreshTokenKey?, from device: Device,
        at now: Instant
    ) async throws -> RefreshOutcome? {
        if try await hasLostParent(session, of: account.user, at: now) { return .expired(.parentEnded) }
        let verdict = RefreshVerdict(
            counter: counter, session: session, policy: policy, now: now,
            successorWasUsed: policy.isStrict || counter < session.levelCounter ? try await wasUsed(session) : false,
            lowEnd: policy.lowEnd(of: session, of: account.user))
        switch verdict {
        case .rotate:
            guard session.child != nil else { return nil }
            return try await rotateChild(session, from: device, at: now)
                .map { .issued(try issue($0, to: account, key), verdict) }
        case .reissue, .reissueLate: return .issued(try issue(session, to: account, key), verdict)
        case .expired: return .expired(expiry(of: session, at: now))
        case .lowered:
            return try await lower(session, continuing: counter, from: device, at: now)
                .map { .issued(try issue($0, to: account, key), verdict) }
        case .ahead: return .ahead
        case .outgrown: return .reused
        case .revoke:
            guard policy.revokesOnReuse else { return .reused }
            let hasEnded = try await revoking(at: now) { db in
                try end(session, of: account, from: device, at: now, in: db)
            }
            return hasEnded ? .reused : nil
        }
    }

    /// The reason of ``RefreshVerdict/expired``.
    func expiry(of session: Session, at now: Instant) -> SessionEnd.Reason {
        policy.hasEnded(session, at: now) ? policy.end(of: session)?.reason ?? .unknown : .lowLevel
    }

    /// Continues a session below a second factor's level.
    ///
    /// - Returns: nil if the session has changed.
    private func lower(
        _ session: Session, continuing counter: Int64, from device: Device, at now: Instant
    ) async throws -> Session? {
        guard let next = session.counterBelow(counter) else { return nil }
        var lowered = session
        lowered.entries.removeSecondFactors()
        (lowered.counter, lowered.factor, lowered.refreshedAt) = (next, nil, now)
        return try await database.write { [lowered] db in
            let changed = try db.run(
                """
                UPDATE sessions SET refresh_token_counter = \(next), aal = \(lowered.assuranceLevel.rawValue),
                    amr = \(lowered.authenticationMethods), factor_id = NULL, refreshed_at = \(now),
                    user_agent = \(device.userAgent), ip = \(device.address)
                WHERE id = \(session.id) AND refresh_token_counter = \(session.counter)
                    AND level_counter = \(session.levelCounter)
                """)
            guard changed == 1 else { return nil }
            try db.lowerChildren(of: session.id)
            return lowered
        }
    }

    /// - Returns: false if the session has changed.
    private func end(
        _ session: Session, of account: Account, from device: Device, at now: Instant, in db: any Connection
    ) throws -> Bool {
        let ended = try endSessions(
            where: "id = \(session.id) AND refresh_token_counter = \(session.counter)",
            .bySystem(.tokenReused, from: device), at: now, in: db)
        guard ended == 1 else { return false }
        let revoked = Self.entry(.tokenRevoked, session, account, device, reason: "refresh_token_reuse")
        try accounts.record([revoked], at: now, in: db)
        return true
    }

    private static func entry(
        _ action: AuditEntry.Action, _ session: Session, _ account: Account, _ device: Device, reason: String?
    ) -> AuditEntry {
        let traits: [String: AuthJSON?] = [
            "reason": reason.map(AuthJSON.string), "session_id": .string(session.id.text),
            "user_agent": device.userAgent.map(AuthJSON.string), "address": device.address.map(AuthJSON.string),
        ]
        return AuditEntry(
            action, actor: account.user.id, actorName: account.user.name,
            traits: AuthJSONObject(traits.compactMapValues(\.self)))
    }

    /// Advances a session that is no child by one token, under the conditions for `rotate` in ``RefreshVerdict`` and
    /// unless the user is banned.
    static func rotation(
        of session: SessionID, counter: Int64, policy: SessionPolicy, from device: Device, at now: Instant
    ) -> SQL {
        rotation.binding(
            .int(counter + 1), .of(now), .of(device.userAgent), .of(device.address), .int(counter),
            .of(policy.earliestStart(at: now)), .of(policy.earliestUse(at: now)), .of(now),
            .of(policy.earliestLowStart(at: now)), .text(session.text))
    }

    private static let rotation: SQL = """
        UPDATE sessions SET refresh_token_counter = \(.null), refreshed_at = \(.null),
            user_agent = \(.null), ip = \(.null)
        \(.ofMany)
        WHERE key_thumbprint IS NULL AND parent_id IS NULL
            AND refresh_token_counter = \(.null) AND created_at >= \(.null)
            AND coalesce(refreshed_at, created_at) >= \(.null)
            AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = sessions.user_id AND banned_until > \(.null))
            AND (aal <> 'aal1' OR created_at >= \(.null) OR NOT EXISTS (
                SELECT 1 FROM users WHERE users.id = sessions.user_id AND has_second_factor = 1))
            AND id = CAST(\(.null) AS \(.uuid))
        """

    static func refreshLookup(_ session: SessionID) -> SQL {
        refreshLookup.binding(.text(session.text))
    }

    private static let refreshLookup: SQL = """
        SELECT \(columns: Accounts.userColumns), \(columns: Accounts.identityColumns), \(columns: Accounts.sessionColumns)
        FROM sessions JOIN users ON users.id = sessions.user_id LEFT JOIN identities ON identities.user_id = users.id
        \(.ofMany)
        WHERE sessions.id = CAST(\(.null) AS \(.uuid))
        """
}

extension Row {
    mutating func sessionAndAccount() -> (session: Session, account: Account) {
        let account = Account(user: user(), identities: identityIfPresent().map { [$0] } ?? [])
        return (session(), account)
    }
}

/// Merges an account's rows, one per identity.
func wholeAccount(_ rows: [(session: Session, account: Account)]) -> (session: Session, account: Account)? {
    guard var found = rows.first, rows.count > 1 else { return rows.first }
    found.account.identities = rows.flatMap(\.account.identities)
        .sorted { ($0.createdAt, $0.id.text) < ($1.createdAt, $1.id.text) }
    return found
}
