package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// The result of changing a passkey.
package enum PasskeyChange: Sendable {
    case done(Passkey)
    /// The user has no passkey with this id.
    case unknown
    /// Without it, the user could not sign in any more. Nothing changed.
    case lastWayIn
    /// The user has a second factor, and the session has not had it. Nothing changed.
    case levelTooLow
    /// The account does not exist.
    case gone
    /// The caller's session has ended, or the user was banned.
    case sessionEnded
}

extension PasskeyStore {
    static let passkeyColumns: StaticString = """
        passkeys.id, passkeys.user_id, passkeys.credential_id, passkeys.public_key, passkeys.algorithm, passkeys.model,
        passkeys.sign_count, passkeys.is_backup_eligible, passkeys.is_backed_up, passkeys.transports,
        passkeys.attestation, passkeys.friendly_name, passkeys.created_at, passkeys.updated_at, passkeys.last_used_at,
        passkeys.set_aside_at
        """
    /// No setting allows more passkeys per user.
    package static let mostPasskeys = 1_000

    /// Returns the passkeys of a user, oldest first.
    ///
    /// - Throws: ``DatabaseFailure``.
    package func all(of user: UserID) async throws -> [Passkey] {
        try await database.rows(Self.passkeysLookup(user)) { $0.passkey() }
    }

    /// Names a passkey of the caller.
    ///
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` the passkey may have the name.
    package func rename(
        _ id: PasskeyID, of user: UserID, to name: String, by session: SessionID?, at now: Instant
    ) async throws -> PasskeyChange {
        try await database.write { db in
            let changer = try accounts.changer(user, by: session, at: now, in: db)
            guard case .good(let account) = changer else { return changer.isGone ? .gone : .sessionEnded }
            guard var passkey = try db.row(Self.passkeyLookup(id, of: user), { $0.passkey() }) else { return .unknown }
            (passkey.name, passkey.updatedAt) = (name, now)
            try db.run("UPDATE passkeys SET friendly_name = \(name), updated_at = \(now) WHERE id = \(id)")
            try accounts.record([.passkey(.passkeyUpdated, passkey, of: account.user)], at: now, in: db)
            return .done(passkey)
        }
    }

    /// Removes a passkey of the caller, but never the last way to sign in. The sessions that it opened stay.
    ///
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` the passkey may be gone.
    package func remove(
        _ id: PasskeyID, of user: UserID, by session: SessionID?, from device: Device, at now: Instant
    ) async throws -> PasskeyChange {
        try await database.write { db in
            let changer = try accounts.changer(user, by: session, at: now, in: db)
            guard case .good(let account) = changer else { return changer.isGone ? .gone : .sessionEnded }
            guard try !db.isTooLow(user, session) else { return .levelTooLow }
            guard let passkey = try db.row(Self.passkeyLookup(id, of: user), { $0.passkey() }) else { return .unknown }
            guard
                try passkey.setAsideAt != nil || account.hasWayIn(mailsCodes: mailsLinkCodes)
                    || db.usablePasskeyCount(of: user) > 1
            else { return .lastWayIn }
            try accounts.mails.notify(.passkeyDeleted, account.user, passkey: passkey, from: device, at: now, in: db)
            try remove(
                passkey, of: account.user, as: .passkey(.passkeyDeleted, passkey, of: account.user), at: now, in: db)
            return .done(passkey)
        }
    }

    /// Removes a passkey for an administrator, even the last way to sign in.
    ///
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` the passkey may be gone.
    package func removePasskey(
        _ id: PasskeyID, of user: UserID, byAdministratorOn device: Device, at now: Instant
    ) async throws -> PasskeyChange {
        try await database.write { db in
            guard let account = try db.account(user) else { return .gone }
            guard let passkey = try db.row(Self.passkeyLookup(id, of: user), { $0.passkey() }) else { return .unknown }
            let entry = AuditEntry(
                .passkeyDeleted, administrator: device.administrator,
                traits: ["passkey_id": .string(id.text), "user_id": .string(user.text)])
            try remove(passkey, of: account.user, as: entry, at: now, in: db)
            return .done(passkey)
        }
    }

    private func remove(
        _ passkey: Passkey, of user: User, as entry: AuditEntry, at now: Instant, in db: any Connection
    ) throws {
        try db.run("DELETE FROM passkeys WHERE id = \(passkey.id)")
        if passkey.setAsideAt != nil {
            var left = user
            left.setAside.passkeys.removeAll { $0.id == passkey.id }
            try db.update(left)
        }
        try accounts.record([entry], at: now, in: db)
    }

    static func passkeysLookup(_ user: UserID) -> SQL {
        """
        SELECT \(columns: passkeyColumns) FROM passkeys WHERE passkeys.user_id = \(user)
        ORDER BY passkeys.created_at, passkeys.id LIMIT \(mostPasskeys)
        """
    }

    static func passkeyLookup(_ id: PasskeyID, of user: UserID) -> SQL {
        "SELECT \(columns: passkeyColumns) FROM passkeys WHERE passkeys.id = \(id) AND passkeys.user_id = \(user)"
    }
}

extension Connection {
    func passkeyCount(of user: UserID) throws -> Int {
        try row("SELECT count(*) FROM passkeys WHERE user_id = \(user)") { Int($0.int()) } ?? 0
    }

    /// The number of passkeys that are not set aside.
    func usablePasskeyCount(of user: UserID) throws -> Int {
        let count: SQL = "SELECT count(*) FROM passkeys WHERE user_id = \(user) AND set_aside_at IS NULL"
        return try row(count) { Int($0.int()) } ?? 0
    }

    /// Whether the user has a second factor, and the session has not had it.
    func isTooLow(_ user: UserID, _ session: SessionID?) throws -> Bool {
        try current(user, session: session)?.isTooLow ?? false
    }

    /// Deletes the passkeys of an account whose present user did not make them.
    func forgetPasskeys(of user: UserID) throws { try run("DELETE FROM passkeys WHERE user_id = \(user)") }

    /// Marks a challenge as used.
    ///
    /// - Returns: Whether this is its first use.
    func use(_ challenge: PasskeyChallenge, at now: Instant) throws -> Bool {
        // One in sixteen, by random bits, removes up to twenty.
        if challenge.id.bytes[7] & 15 == 0 { try removeExpired(from: .passkeyChallenges, at: now) }
        return try run(
            """
            INSERT INTO used_passkey_challenges (id, expires_at) VALUES (\(challenge.id), \(challenge.expiresAt))
            ON CONFLICT (id) DO NOTHING
            """) == 1
    }
}

extension AuditEntry {
    static func passkey(_ action: Action, _ passkey: Passkey, of user: User) -> AuditEntry {
        AuditEntry(
            action, actor: user.id, actorName: user.email ?? "", traits: ["passkey_id": .string(passkey.id.text)])
    }
}

extension AuditEntry {
    /// An authenticator changed whether its key may be on several devices.
    static func backupEligibilityChanged(_ key: JSONObject, to isEligible: Bool, of user: User) -> AuditEntry {
        AuditEntry(
            .passkeyUpdated, actor: user.id, actorName: user.email ?? "",
            traits: key.merging(["backup_eligible": .bool(isEligible)]) { $1 })
    }
}

extension Row {
    /// Reads the columns of ``Accounts/passkeyColumns``.
    mutating func passkey() -> Passkey {
        let (id, user): (PasskeyID, UserID) = (id(), id())
        let (credentialID, publicKey, algorithm, model) = (bytes(), bytes(), int(), bytes())
        let (signCount, isBackupEligible, isBackedUp) = (UInt32(clamping: int()), bool(), bool())
        // Lost: what is wrong with JSON that this program wrote; the names only help browsers.
        let transports = (try? JSONReader.read(text()))?.arrayValue?.compactMap(\.stringValue) ?? []
        var passkey = Passkey(
            id: id, user: user, credentialID: credentialID, publicKey: publicKey, algorithm: algorithm, model: model,
            signCount: signCount, isBackupEligible: isBackupEligible, isBackedUp: isBackedUp, transports: transports,
            attestation: text(), name: text(), at: instant())
        passkey.updatedAt = instant()
        passkey.lastUsedAt = instantIfPresent()
        passkey.setAsideAt = instantIfPresent()
        return passkey
    }
}
