package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension AdminStore {
    /// Oldest first, without erased accounts. Reads every account: no index supports it.
    package func administrators(roles: [String]) async throws -> [User] {
        var found: [User] = []
        for role in roles {
            found += try await database.rows(
                """
                SELECT \(columns: Accounts.userColumns) FROM users WHERE role = \(role) AND deleted_at IS NULL
                """
            ) { $0.user() }
        }
        return found.sorted { ($0.times.createdAt, $0.id.text) < ($1.times.createdAt, $1.id.text) }
    }

    /// Gives an administrator another role, while another one remains.
    ///
    /// - Parameter keeper: Must be an administrator who is not banned.
    /// - Returns: false, without changes, if either is no administrator.
    package func demote(
        _ id: UserID, to role: String, keeping keeper: UserID, roles: [String], at now: Instant
    ) async throws -> Bool {
        try await accounts.sessions.revoking(at: now) { db in
            guard keeper != id, let kept = try db.account(keeper)?.user, kept.times.deletedAt == nil,
                !kept.isBanned(at: now), roles.contains(kept.role),
                var user = try db.account(id)?.user, user.times.deletedAt == nil, roles.contains(user.role)
            else { return false }
            user.role = role
            user.times.updatedAt = now
            try db.update(user)
            try accounts.record([Self.adminEntry(.userModified, user, from: nil)], at: now, in: db)
            return true
        }
    }
}
