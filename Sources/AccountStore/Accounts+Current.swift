package import AccountDomain
package import GatehouseWire
package import SQLDatabase

/// What an access token names, looked up.
package struct CurrentAccount: Sendable {
    package let account: Account
    /// nil when the session has ended, or when the token names none.
    package let session: Session?
}

extension Accounts {
    /// The account of an access token, and its session, in one statement.
    ///
    /// - Returns: nil when the account is gone.
    package func current(_ user: UserID, session: SessionID?) async throws -> CurrentAccount? {
        try await database.read { db in try db.current(user, session: session) }
    }

    static func currentLookup(_ user: UserID, session: SessionID?) -> SQL {
        """
        SELECT \(columns: userColumns), \(columns: identityColumns), \(columns: sessionColumns)
        FROM users LEFT JOIN identities ON identities.user_id = users.id
        LEFT JOIN sessions ON sessions.id = \(session) AND sessions.user_id = users.id
        WHERE users.id = \(user)
        ORDER BY identities.created_at, identities.id
        """
    }

    /// Ends sessions of an account.
    package func signOut(
        _ user: UserID, name: String, session: SessionID?, scope: SignOutScope, at now: Instant
    ) async throws {
        try await database.write { db in
            switch (scope, session) {
            case (.local, let session?):
                try db.run("DELETE FROM sessions WHERE user_id = \(user) AND id = \(session)")
            case (.others, let session?):
                try db.run("DELETE FROM sessions WHERE user_id = \(user) AND id <> \(session)")
            // A token that names no session acts on all of them.
            default: try db.run("DELETE FROM sessions WHERE user_id = \(user)")
            }
            try record([AuditEntry(.logout, actor: user, actorName: name)], at: now, in: db)
        }
    }
}

extension Connection {
    func current(_ user: UserID, session: SessionID?) throws -> CurrentAccount? {
        var account: Account?
        var found: Session?
        let afterUser = Accounts.userColumnCount
        let sessionColumn = afterUser + Accounts.identityColumnCount
        _ = try rows(Accounts.currentLookup(user, session: session)) { row in
            if account == nil {
                account = Account(user: row.user(), identities: [])
                if !row.isNull(sessionColumn) { found = row.session(from: sessionColumn) }
            }
            if let identity = row.identityIfPresent(from: afterUser) { account?.identities.append(identity) }
        }
        return account.map { CurrentAccount(account: $0, session: found) }
    }
}

extension Accounts {
    /// The statements that run for every request of their kind, for the tests of their plans.
    package static func hotStatements(
        user: UserID, session: SessionID, email: EmailAddress, at now: Instant
    ) -> [SQL] {
        let device = Device(userAgent: nil, address: nil)
        return [
            currentLookup(user, session: session), refreshLookup(session),
            rotation(of: session, counter: 0, policy: SessionPolicy(), from: device, at: now), ownEmailLookup(email),
            emailLookup(email), sessionsLookup(user), identityLookup("google", user.text),
            removalLookup("google", user.text),
        ]
    }

    /// The same, of sign-in through providers.
    package static func hotProviderStatements(user: UserID, digest: [UInt8], at now: Instant) -> [SQL] {
        [
            flowLookup(digest), codeLookup(digest), ticketLookup(digest, at: now), undoLookup(user, at: now),
            due(limit: 10, at: now),
        ]
    }
}
