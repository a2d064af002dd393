import AccountDomain
import GatehouseWire
import SQLDatabase

// Refresh tokens that are bound to a key of the device (RFC 9449 §5).
extension SessionStore {
    /// A session without a key gets this one with its next token. For the key's holder an old token is a lost answer,
    /// never a theft.
    ///
    /// - Returns: nil if the usual rules decide: the session has no key, and the token is not one of the newest.
    func refresh(
        _ id: SessionID, counter: Int64, _ key: RefreshTokenKey?, with proof: KeyProof, from device: Device,
        recordsRepeats: Bool, at now: Instant
    ) async throws -> RefreshOutcome? {
        let outcome: RefreshOutcome? = try await database.write { db in
            // The lock: the newest proof is read and replaced.
            try db.run("UPDATE sessions SET used_proofs = used_proofs WHERE id = \(id)")
            guard let (found, account) = wholeAccount(try db.rows(Self.boundLookup(id)) { $0.sessionAndAccount() })
            else { return nil }
            var session = found
            if let known = session.keyThumbprint, known != proof.thumbprint { return .unproven(isReplay: false) }
            guard let used = UsedProofs(stored: session.usedProofs).adding(proof) else {
                return .unproven(isReplay: true)
            }
            if account.user.isBanned(at: now) { return .banned }
            if account.user.times.deletedAt != nil { return .unknown() }
            if try hasLostParent(session, of: account.user, at: now, in: db) { return .expired(.parentEnded) }
            let verdict = verdict(on: counter, of: session, account, at: now)
            switch verdict {
            case .rotate: (session.counter, session.refreshedAt) = (counter + 1, now)
            case .reissue, .reissueLate: break
            case .lowered, .outgrown, .revoke: if session.keyThumbprint == nil { return nil }
            case .ahead: return .ahead
            case .expired: return .expired(expiry(of: session, at: now))
            }
            (session.keyThumbprint, session.usedProofs) = (proof.thumbprint, used.stored)
            try db.storeProof(session, from: device)
            return .issued(try issue(session, to: account, key), verdict.forHolder)
        }
        if recordsRepeats, case .issued(let issued, .reissueLate) = outcome {
            try await recordRepeat(of: issued, from: device, at: now)
        }
        return outcome
    }

    private func verdict(
        on counter: Int64, of session: Session, _ account: Account, at now: Instant
    ) -> RefreshVerdict {
        RefreshVerdict(
            counter: counter, session: session, policy: policy, now: now, successorWasUsed: policy.isStrict,
            lowEnd: policy.lowEnd(of: session, of: account.user))
    }

    static func boundLookup(_ session: SessionID) -> SQL {
        """
        SELECT \(columns: Accounts.userColumns), \(columns: Accounts.identityColumns), \(columns: Accounts.sessionColumns)
        FROM sessions JOIN users ON users.id = sessions.user_id LEFT JOIN identities ON identities.user_id = users.id
        WHERE sessions.id = \(session)
        """
    }
}

extension RefreshVerdict {
    /// Only the device has the key.
    fileprivate var forHolder: RefreshVerdict {
        switch self {
        case .lowered, .outgrown, .revoke: .reissueLate
        case .rotate, .reissue, .reissueLate, .expired, .ahead: self
        }
    }
}

extension Connection {
    fileprivate func storeProof(_ session: Session, from device: Device) throws {
        try run(
            """
            UPDATE sessions SET refresh_token_counter = \(session.counter), refreshed_at = \(session.refreshedAt),
                user_agent = \(device.userAgent), ip = \(device.address), key_thumbprint = \(session.keyThumbprint),
                used_proofs = \(session.usedProofs)
            WHERE id = \(session.id)
            """)
    }
}
