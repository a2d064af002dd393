package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Only `done` has changed anything.
package enum PasskeyChange: Sendable {
    case done(Passkey)
    case unknown
    case lastWayIn
    /// The session lacks the user's second factor.
    case levelTooLow
    case gone
    /// Or the user was banned.
    case sessionEnded
}

extension PasskeyStore {
    static let passkeyColumns = Columns(
        of: "passkeys",
        from: Passkey(
            id: PasskeyID(trusted: Accounts.nilID), user: UserID(trusted: Accounts.nilID), credentialID: [],
            publicKey: [],
            algorithm: 0, model: [], signCount: 0, isBackupEligible: false, isBackedUp: false, transports: [],
            attestation: "", name: "", at: Instant(seconds: 0)),
        [
            .init("id") { $0.id = $1.id() },
            .init("user_id") { $0.user = $1.id() },
            .init("credential_id") { $0.credentialID = $1.bytes() },
            .init("public_key") { $0.publicKey = $1.bytes() },
            .init("algorithm") { $0.algorithm = $1.int() },
            .init("model") { $0.model = $1.bytes() },
            .init("sign_count") { $0.signCount = UInt32(clamping: $1.int()) },
            .init("is_backup_eligible") { $0.isBackupEligible = $1.bool() },
            .init("is_backed_up") { $0.isBackedUp = $1.bool() },
            .init("transports") {
                // Ignored: our own JSON, and the names only help browsers.
                $0.transports = (try? JSONReader.read($1.text()))?.arrayValue?.compactMap(\.stringValue) ?? []
            },
            .init("attestation") { $0.attestation = $1.text() },
            .init("friendly_name") { $0.name = $1.text() },
            .init("created_at") { $0.createdAt = $1.instant() },
            .init("updated_at") { $0.updatedAt = $1.instant() },
            .init("last_used_at") { $0.lastUsedAt = $1.instantIfPresent() },
            .init("set_aside_at") { $0.setAsideAt = $1.instantIfPresent() },
        ])
    package static let mostPasskeys = 1_000

    /// Oldest first.
    package func all(of user: UserID) async throws -> [Passkey] {
        try await database.rows(Self.passkeysLookup(user)) { $0.passkey() }
    }

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

    /// Removes a passkey, but never the last sign-in method. Sessions that it opened stay.
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

    /// Removes a passkey, even the last sign-in method.
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

    func usablePasskeyCount(of user: UserID) throws -> Int {
        let count: SQL = "SELECT count(*) FROM passkeys WHERE user_id = \(user) AND set_aside_at IS NULL"
        return try row(count) { Int($0.int()) } ?? 0
    }

    /// Whether the session lacks the user's second factor.
    func isTooLow(_ user: UserID, _ session: SessionID?) throws -> Bool {
        try current(user, session: session)?.isTooLow ?? false
    }

    /// For an account whose current user did not create them.
    func forgetPasskeys(of user: UserID) throws { try run("DELETE FROM passkeys WHERE user_id = \(user)") }

    /// - Returns: Whether this is the challenge's first use.
    func use(_ challenge: PasskeyChallenge, at now: Instant) throws -> Bool {
        // One call in sixteen is enough.
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
            action, actor: user.id, actorName: user.name, traits: ["passkey_id": .string(passkey.id.text)])
    }
}

extension AuditEntry {
    /// Records that the authenticator changed whether the key may be on several devices.
    static func backupEligibilityChanged(_ key: AuthJSONObject, to isEligible: Bool, of user: User) -> AuditEntry {
        AuditEntry(
            .passkeyUpdated, actor: user.id, actorName: user.name,
            traits: key.merging(["backup_eligible": .bool(isEligible)]) { $1 })
    }
}

extension Row {
    mutating func passkey() -> Passkey { PasskeyStore.passkeyColumns.read(&self) }
}
