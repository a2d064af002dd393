package import AccountDomain
package import GatehouseWire
import SQLDatabase

package enum SignInOutcome: Sendable {
    case signedIn(IssuedSession)
    /// The password was changed, or the account deleted or banned, while this one was being checked.
    case changedMeanwhile
}

extension Accounts {
    /// The account whose own address is `email`, with its password hash; nil for an unknown one.
    package func account(email: EmailAddress) async throws -> Account? {
        try await database.read { db in try db.accounts(Self.ownEmailLookup(email)).first }
    }

    /// Opens a session for somebody whose password was right.
    ///
    /// - Parameters:
    ///   - account: As it was when the password was checked. If its hash has changed since, nothing happens.
    ///   - upgradedHash: Takes the place of a hash that is weaker than today's.
    package func signIn(
        _ account: Account, upgradedHash: Secret?, from device: Device, at now: Instant
    ) async throws -> SignInOutcome {
        let session = newSession(of: account.user.id, by: .password, at: now)
        let checkedHash = account.user.passwordHash?.reveal()
        let newHash = upgradedHash?.reveal() ?? checkedHash
        return try await database.write { db in
            let changed = try db.run(
                """
                UPDATE users SET last_sign_in_at = \(now), password_hash = \(newHash)
                WHERE id = \(account.user.id) AND password_hash = \(checkedHash)
                AND (banned_until IS NULL OR banned_until <= \(now)) AND deleted_at IS NULL
                """)
            guard changed == 1 else { return .changedMeanwhile }
            try db.insert(session, from: device)
            let login = AuditEntry(
                .login, actor: account.user.id, actorName: account.user.email ?? "", traits: ["provider": "email"])
            try record([login], at: now, in: db)
            var signedIn = account
            signedIn.user.times.lastSignInAt = now
            return .signedIn(issue(session, to: signedIn))
        }
    }

    static func ownEmailLookup(_ email: EmailAddress) -> SQL {
        """
        SELECT \(columns: userColumns), \(columns: identityColumns)
        FROM users LEFT JOIN identities ON identities.user_id = users.id
        WHERE users.email = \(email.text) AND users.is_sso_user = 0
        ORDER BY identities.created_at, identities.id
        """
    }
}
