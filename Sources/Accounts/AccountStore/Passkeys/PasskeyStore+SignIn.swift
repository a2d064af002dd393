package import AccountDomain
package import GatehouseWire
import SQLDatabase

package struct PasskeyHolder: Sendable {
    package let passkey: Passkey
    package fileprivate(set) var account: Account
}

package struct PasskeyProof: Sendable {
    package let signCount: UInt32
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    /// Whether the session has two factors, because the device verified its user.
    package let countsAsTwoFactors: Bool

    package init(signCount: UInt32, isBackupEligible: Bool, isBackedUp: Bool, countsAsTwoFactors: Bool) {
        (self.signCount, self.isBackupEligible, self.isBackedUp) = (signCount, isBackupEligible, isBackedUp)
        self.countsAsTwoFactors = countsAsTwoFactors
    }
}

package enum PasskeySignIn: Sendable {
    case signedIn(IssuedSession)
    case challengeUsed
    /// The sign count did not increase: another device has a copy of the key. Recorded.
    case cloned
    /// The address's first proof set the passkey aside. The ticket restores it, together with an emailed code.
    case setAside(SetAsidePasskey, User)
    /// The passkey was removed, or the account deleted or banned.
    case changedMeanwhile
}

extension PasskeyStore {
    /// nil for another user's or a deleted account's.
    package func holder(ofCredential id: [UInt8], of user: UserID) async throws -> PasskeyHolder? {
        let found = try await database.rows(Self.holderLookup(credential: id)) { row in
            let account = Account(user: row.user(), identities: row.identityIfPresent().map { [$0] } ?? [])
            return PasskeyHolder(passkey: row.passkey(), account: account)
        }
        guard var holder = found.first, holder.passkey.user == user, holder.account.user.times.deletedAt == nil else {
            return nil
        }
        holder.account.identities = found.flatMap(\.account.identities)
        return holder
    }

    package func signIn(
        _ holder: PasskeyHolder, _ proof: PasskeyProof, answering challenge: PasskeyChallenge, from device: Device,
        at now: Instant
    ) async throws -> PasskeySignIn {
        let user = holder.account.user
        var session = accounts.newSession(of: user.id, by: .passkey, on: device, at: now)
        if proof.countsAsTwoFactors { session.entries.add(.passkey, isUserVerified: true, at: now) }
        let opened = session
        return try await database.write { db in
            guard try db.use(challenge, at: now) else { return .challengeUsed }
            // A restored passkey is found by the next attempt.
            if holder.passkey.setAsideAt != nil { return .setAside(holder.passkey.restoration(at: now), user) }
            guard try db.note(proof, of: holder.passkey, at: now) else {
                return try refuse(holder, at: now, in: db)
            }
            let changed = try db.run(
                """
                UPDATE users SET last_sign_in_at = \(now)
                WHERE id = \(user.id) AND (banned_until IS NULL OR banned_until <= \(now)) AND deleted_at IS NULL
                """)
            guard changed == 1 else { return .changedMeanwhile }
            try accounts.mails.noteDevice(device, of: user, at: now, in: db)
            try db.insert(opened, from: device)
            let login = AuditEntry(
                .login, actor: user.id, actorName: user.name,
                traits: ["provider": "passkey", "passkey_id": .string(holder.passkey.id.text)])
            var entries = [login]
            if proof.isBackupEligible != holder.passkey.isBackupEligible {
                let passkey: AuthJSONObject = ["passkey_id": .string(holder.passkey.id.text)]
                entries.insert(.backupEligibilityChanged(passkey, to: proof.isBackupEligible, of: user), at: 0)
            }
            try accounts.record(entries, at: now, in: db)
            var signedIn = try accounts.latest(holder.account, in: db)
            signedIn.user.times.lastSignInAt = now
            return .signedIn(try accounts.sessions.issue(opened, to: signedIn))
        }
    }

    /// - Parameters:
    ///   - key: Identifies the passkey or factor; empty for a new key.
    ///   - cause: The failed check.
    package func recordRefusedKey(
        _ key: AuthJSONObject, of user: User, cause: String, at now: Instant
    ) async throws {
        let traits = key.merging(["cause": .string(cause)]) { $1 }
        let entry = AuditEntry(.passkeyRefused, actor: user.id, actorName: user.name, traits: traits)
        try await database.write { db in try accounts.record([entry], at: now, in: db) }
    }

    private func refuse(_ holder: PasskeyHolder, at now: Instant, in db: any Connection) throws -> PasskeySignIn {
        let lookup = Self.passkeyLookup(holder.passkey.id, of: holder.account.user.id)
        guard let passkey = try db.row(lookup, { $0.passkey() }) else { return .changedMeanwhile }
        if passkey.setAsideAt != nil { return .setAside(passkey.restoration(at: now), holder.account.user) }
        try accounts.record([.passkey(.passkeyCloned, passkey, of: holder.account.user)], at: now, in: db)
        return .cloned
    }

    /// By the credential alone, so that no plan reads all of a user's passkeys.
    static func holderLookup(credential id: [UInt8]) -> SQL {
        """
        SELECT \(columns: Accounts.userColumns), \(columns: Accounts.identityColumns), \(columns: passkeyColumns)
        FROM passkeys JOIN users ON users.id = passkeys.user_id
        LEFT JOIN identities ON identities.user_id = users.id
        WHERE passkeys.credential_id = \(id)
        ORDER BY identities.created_at, identities.id
        """
    }
}

extension Connection {
    /// - Returns: false, without changes, if the passkey is gone or its count did not increase.
    fileprivate func note(_ proof: PasskeyProof, of passkey: Passkey, at now: Instant) throws -> Bool {
        let count = Int64(proof.signCount)
        return try run(
            """
            UPDATE passkeys SET sign_count = \(count), is_backup_eligible = \(proof.isBackupEligible),
                is_backed_up = \(proof.isBackedUp), last_used_at = \(now)
            WHERE id = \(passkey.id) AND (sign_count < \(count) OR sign_count + \(count) = 0) AND set_aside_at IS NULL
            """) == 1
    }
}
