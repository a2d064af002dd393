package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Why an administrator banned an account. Only operators see it.
package struct BanNote: Sendable {
    package let reason: String
    package let actorName: String
    package let at: Instant

    /// Bytes.
    package static let longestReason = 1_000
}

extension AdminStore {
    /// Ends the factors' own locks, and notes that the limits were reset.
    package func unlock(_ user: User, from device: Device? = nil, at now: Instant) async throws {
        try await database.write { db in
            try db.endLocks(of: user.id)
            try db.run("UPDATE factors SET failures = 0, locked_until = NULL WHERE user_id = \(user.id)")
            try accounts.record([Self.adminEntry(.userUnlocked, user, from: device)], at: now, in: db)
        }
    }

    /// When the factors' own locks end, latest first.
    package func factorLocks(of user: UserID, at now: Instant) async throws -> [(factor: FactorID, until: Instant)] {
        try await database.read { db in
            try db.rows(
                """
                SELECT id, locked_until FROM factors
                WHERE user_id = \(user) AND is_verified = 1 AND locked_until > \(now) ORDER BY locked_until DESC
                """
            ) { row in (row.id(), row.instant()) }
        }
    }

    /// - Returns: Entries for the audit log; none if the ban stays.
    func noteBan(
        _ attributes: AdminAttributes, of user: User, from device: Device?, at now: Instant, in db: any Connection
    ) throws -> [AuditEntry] {
        switch attributes.ban {
        case nil: return []
        case .lifted:
            try db.run("DELETE FROM bans WHERE user_id = \(user.id)")
            return [Self.adminEntry(.userUnbanned, user, from: device)]
        case .lasting:
            let reason = attributes.banReason ?? ""
            var traits: AuthJSONObject = reason.isEmpty ? [:] : ["reason": .string(reason)]
            traits["banned_until"] = user.times.bannedUntil.map { .string("\($0)") }
            let entry = Self.adminEntry(.userBanned, user, traits, from: device)
            try db.run(
                """
                INSERT INTO bans (user_id, reason, actor_name, created_at)
                VALUES (\(user.id), \(reason), \(entry.actorName), \(now))
                ON CONFLICT (user_id) DO UPDATE SET reason = excluded.reason, actor_name = excluded.actor_name,
                    created_at = excluded.created_at
                """)
            return [entry]
        }
    }

    package func banNote(of user: UserID) async throws -> BanNote? {
        try await database.read { db in
            try db.row("SELECT reason, actor_name, created_at FROM bans WHERE user_id = \(user)") { row in
                BanNote(reason: row.text(), actorName: row.text(), at: row.instant())
            }
        }
    }
}

extension SignInStore {
    package func endLocks(of user: UserID) async throws { try await database.write { try $0.endLocks(of: user) } }
}
