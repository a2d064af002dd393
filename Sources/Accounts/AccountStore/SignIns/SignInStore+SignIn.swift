package import AccountDomain
package import GatehouseWire
import SQLDatabase

package enum SignInOutcome: Sendable {
    case signedIn(IssuedSession)
    /// The password changed, or the account was deleted or banned.
    case changedMeanwhile
}

extension SignInStore {
    /// Ignores identities' addresses.
    package func account(email: EmailAddress) async throws -> Account? { try await account(.email(email)) }

    /// Ignores identities' addresses.
    package func account(_ address: Recipient) async throws -> Account? {
        try await database.accounts(Self.ownLookup(address)).first
    }

    /// - Parameter account: Its hash was checked. If the stored hash differs, nothing happens.
    package func signIn(_ account: Account, from device: Device, at now: Instant) async throws -> SignInOutcome {
        let session = accounts.newSession(of: account.user.id, by: .password, on: device, at: now)
        let checkedHash = account.user.passwordHash?.reveal()
        return try await database.write { db in
            let changed = try db.run(
                """
                UPDATE users SET last_sign_in_at = \(now)
                WHERE id = \(account.user.id) AND password_hash = \(checkedHash)
                AND (banned_until IS NULL OR banned_until <= \(now)) AND deleted_at IS NULL
                """)
            guard changed == 1 else { return .changedMeanwhile }
            try accounts.mails.noteDevice(device, of: account.user, at: now, in: db)
            try db.insert(session, from: device)
            let login = AuditEntry(
                .login, actor: account.user.id, actorName: account.user.name,
                traits: ["provider": account.user.email == nil ? "phone" : "email"])
            try accounts.record([login], at: now, in: db)
            var signedIn = try accounts.latest(account, in: db)
            signedIn.user.times.lastSignInAt = now
            return .signedIn(try accounts.sessions.issue(session, to: signedIn))
        }
    }

    /// Replaces an outdated hash of the same password, unless the stored hash has changed.
    package func upgradeHash(_ hash: Secret, of user: UserID, to better: Secret) async throws {
        try await database.write { db in
            _ = try db.run(
                """
                UPDATE users SET password_hash = \(better.reveal())
                WHERE id = \(user) AND password_hash = \(hash.reveal())
                """)
        }
    }

    /// Of the newest 100 sessions.
    package func sessionAddresses(of address: Recipient) async throws -> [String] {
        try await database.rows(Self.sessionAddressLookup(address)) { $0.text() }
    }

    static func sessionAddressLookup(_ address: Recipient) -> SQL {
        """
        SELECT sessions.ip FROM users JOIN sessions ON sessions.user_id = users.id
        WHERE \(isOwn(address)) AND sessions.ip IS NOT NULL
        ORDER BY sessions.created_at DESC LIMIT 100
        """
    }

    private static func isOwn(_ address: Recipient) -> SQL {
        switch address {
        case .email(let email): "users.email = \(email.text) AND users.is_sso_user = 0"
        case .phone(let phone): "users.phone = \(phone.text)"
        }
    }

    /// The accounts that change to a number; at most two are read.
    static func changingLookup(_ address: Recipient) -> SQL {
        """
        SELECT \(columns: Accounts.userColumns), \(columns: Accounts.identityColumns)
        FROM users LEFT JOIN identities ON identities.user_id = users.id
        WHERE users.id IN (
            SELECT user_id FROM one_time_tokens
            WHERE address = \(address.text) AND slot LIKE 'phone_change%' ORDER BY created_at DESC LIMIT 6)
        ORDER BY users.id, identities.created_at, identities.id
        """
    }

    static func ownLookup(_ address: Recipient) -> SQL {
        """
        SELECT \(columns: Accounts.userColumns), \(columns: Accounts.identityColumns)
        FROM users LEFT JOIN identities ON identities.user_id = users.id
        WHERE \(isOwn(address))
        ORDER BY identities.created_at, identities.id
        """
    }
}
