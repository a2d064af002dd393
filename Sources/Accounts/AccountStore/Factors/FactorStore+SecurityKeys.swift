package import AccountDomain
package import GatehouseWire
import SQLDatabase

package struct SecurityKey: Sendable {
    package let factor: Factor
    package let credentialID: [UInt8]
    /// The COSE_Key as the authenticator encoded it.
    package let publicKey: [UInt8]
    package let signCount: UInt32
    package let isBackupEligible: Bool
    /// As the browser reported them.
    package let transports: [String]
}

package enum SecurityKeyProof: Sendable {
    /// The key of a factor that had none.
    case created(NewPasskey)
    /// A signature by a verified factor's key, maybe another of the user's factors.
    case signed(by: FactorID, signCount: UInt32, isBackupEligible: Bool, isBackedUp: Bool)
}

extension FactorStore {
    /// Of verified factors, oldest first.
    package func securityKeys(of user: UserID) async throws -> [SecurityKey] {
        try await database.rows(Self.securityKeyLookup(user)) { $0.securityKey() }
    }

    static func securityKeyLookup(_ user: UserID) -> SQL {
        """
        SELECT \(columns: factorColumns), factors.credential_id, factors.public_key, factors.sign_count,
            factors.is_backup_eligible, factors.transports
        FROM factors
        WHERE factors.user_id = \(user) AND factors.kind = 'webauthn' AND factors.is_verified = 1
            AND factors.credential_id IS NOT NULL
        ORDER BY factors.created_at, factors.id
        """
    }

    /// The data that a response to an open challenge must match, or the refusal. Deletes an expired challenge.
    package func data(
        of challenge: ChallengeID, to factor: FactorID, at now: Instant
    ) async throws -> (data: String?, refusal: FactorOutcome?) {
        let state = try await database.read { db in try db.state(of: challenge, to: factor, at: now) }
        switch state {
        case .open(let data): return (data, data == nil ? .challengeUnknown : nil)
        // As in Supabase Auth, which deletes a used challenge.
        case .unknown, .used: return (nil, .challengeUnknown)
        case .expired:
            try await database.write { db in
                _ = try db.run("DELETE FROM factor_challenges WHERE id = \(challenge) AND factor_id = \(factor)")
            }
            return (nil, .challengeExpired)
        }
    }

    /// Accepts a verified response, and uses up its challenge in the same transaction. Wrong responses keep the
    /// challenge, and must not be passed.
    ///
    /// - Parameter factor: The factor that the caller names.
    /// - Returns: Also ``FactorOutcome/wrong`` for another factor's key, for a sign count that did not increase
    ///   (recorded), and if the factor has been verified or removed since the challenge.
    package func verify(
        _ proof: SecurityKeyProof, answering challenge: ChallengeID, to factor: FactorID, of user: UserID,
        in session: SessionID, from device: Device, at now: Instant
    ) async throws -> FactorOutcome {
        try await accounts.sessions.revoking(at: now) { db in
            let caller = try factorCaller(user, in: session, needsLevel: false, at: now, in: db)
            guard case .good(let current) = caller else { return .ended }
            guard let named = try db.row(Self.factorLookup(factor, of: user), { $0.factor() }) else { return .unknown }
            if let refusal = refusal(of: named, in: current, at: now) { return refusal }
            switch try db.state(of: challenge, to: factor, at: now) {
            case .open: break
            case .unknown, .used: return .challengeUnknown
            case .expired: return .challengeExpired
            }
            let raising: Factor?
            switch proof {
            case .created(let key): raising = try db.give(key, to: named, at: now) ? named : nil
            case .signed(let owner, let count, let isEligible, let isBackedUp):
                raising = try answered(
                    by: owner, of: current.account.user, named, count, (isEligible, isBackedUp), at: now, in: db)
            }
            guard let raising else { return .wrong }
            guard try db.use(challenge, to: factor, at: now) else { return .challengeUnknown }
            let raised = try raise(
                current, by: raising, among: try db.factors(of: user),
                traits: ["challenge_id": .string(challenge.text)], from: device, at: now, in: db)
            return raised.map(FactorOutcome.raised) ?? .ended
        }
    }

    /// - Returns: nil if the answer is refused.
    private func answered(
        by owner: FactorID, of user: User, _ named: Factor, _ count: UInt32,
        _ backup: (isEligible: Bool, isDone: Bool), at now: Instant, in db: any Connection
    ) throws -> Factor? {
        guard named.isVerified, let found = try db.row(Self.factorLookup(owner, of: user.id), { $0.factor() }),
            found.isVerified
        else { return nil }
        let number = Int64(count)
        let traits: AuthJSONObject = ["factor_id": .string(owner.text)]
        let lookup: SQL = "SELECT is_backup_eligible FROM factors WHERE id = \(owner)"
        let wasEligible = try db.row(lookup) { $0.bool() }
        let isNewer = try db.run(
            """
            UPDATE factors SET sign_count = \(number), is_backup_eligible = \(backup.isEligible),
                is_backed_up = \(backup.isDone)
            WHERE id = \(owner) AND (sign_count < \(number) OR sign_count + \(number) = 0)
            """)
        if isNewer == 1 {
            guard wasEligible != backup.isEligible else { return found }
            try accounts.record([.backupEligibilityChanged(traits, to: backup.isEligible, of: user)], at: now, in: db)
            return found
        }
        let entry = AuditEntry(.passkeyCloned, actor: user.id, actorName: user.name, traits: traits)
        try accounts.record([entry], at: now, in: db)
        return nil
    }
}

extension Connection {
    /// - Returns: false if the factor has a key, or another factor has this one.
    fileprivate func give(_ key: NewPasskey, to factor: Factor, at now: Instant) throws -> Bool {
        guard !factor.isVerified else { return false }
        let lookup: SQL = "SELECT id FROM factors WHERE credential_id = \(key.credentialID)"
        guard try row(lookup, { $0.text() }) == nil else { return false }
        let transports = AuthJSON.array(key.transports.map(AuthJSON.string)).text
        return try run(
            """
            UPDATE factors SET credential_id = \(key.credentialID), public_key = \(key.publicKey),
                sign_count = \(Int64(key.signCount)), aaguid = \(Identifier<SecurityKey>(bytes: key.model)),
                transports = \(transports), is_backup_eligible = \(key.isBackupEligible),
                is_backed_up = \(key.isBackedUp)
            WHERE id = \(factor.id) AND kind = 'webauthn' AND is_verified = 0
            """) == 1
    }
}

extension Row {
    fileprivate mutating func securityKey() -> SecurityKey {
        let factor = factor()
        let (credentialID, publicKey) = (bytes(), bytes())
        let (signCount, isBackupEligible) = (UInt32(clamping: int()), bool())
        // Ignored: our own JSON, and the names only help browsers.
        let transports = (try? JSONReader.read(text()))?.arrayValue?.compactMap(\.stringValue) ?? []
        return SecurityKey(
            factor: factor, credentialID: credentialID, publicKey: publicKey, signCount: signCount,
            isBackupEligible: isBackupEligible, transports: transports)
    }
}
