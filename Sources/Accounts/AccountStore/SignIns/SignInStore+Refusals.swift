package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension SignInStore {
    /// At most one entry of the audit log per account and hour.
    private static let auditInterval: Duration = .seconds(3_600)

    /// Does nothing without an account, and for an erased one.
    package func record(_ refusals: [RefusedSignIn], of subject: RefusedSubject, at now: Instant) async throws {
        guard let last = refusals.map(\.lastAt).max(), let user = try await user(subject) else { return }
        try await database.writeCommitted { db in
            let found = try db.row("SELECT 1 FROM users WHERE id = \(user) AND deleted_at IS NULL") { _ in true }
            guard found == true else { return }
            // Locks the row, so that nodes do not replace each other's.
            try db.run(
                """
                INSERT INTO refused_sign_ins (user_id, refusals, last_at) VALUES (\(user), '[]', \(last))
                ON CONFLICT (user_id) DO UPDATE SET last_at = excluded.last_at
                """)
            guard var stored = try db.refusals(of: user) else { return }
            for refusal in refusals { stored.history.add(refusal) }
            stored.unaudited += refusals.filter(\.isWrongPassword).reduce(0) { $0 + $1.count }
            if stored.unaudited > 0, stored.auditedAt.map({ now - $0 >= Self.auditInterval || $0 > now }) ?? true {
                try accounts.record([Self.entry(stored.unaudited, of: user)], at: now, in: db)
                (stored.unaudited, stored.auditedAt) = (0, now)
            }
            try db.run(
                """
                UPDATE refused_sign_ins SET refusals = \(stored.history.stored), audited_at = \(stored.auditedAt),
                    unaudited = \(stored.unaudited)
                WHERE user_id = \(user)
                """)
        }
    }

    /// Newest first.
    package func refusals(of user: UserID) async throws -> [RefusedSignIn] {
        try await database.read { try $0.refusals(of: user)?.history.refusals ?? [] }
    }

    /// The actor is unknown: anyone can enter a wrong password.
    private static func entry(_ count: Int64, of user: UserID) -> AuditEntry {
        AuditEntry(
            .loginFailed, actor: nil, actorName: "",
            traits: ["user_id": .string(user.text), "method": "password", "count": .integer(count)])
    }

    private func user(_ subject: RefusedSubject) async throws -> UserID? {
        switch subject {
        case .user(let user): return user
        case .address(let address): return try await account(address)?.user.id
        case .identity(let provider, let subject, let email):
            let linked: [UserID] = try await database.rows(
                """
                SELECT user_id FROM identities
                WHERE provider = \(provider) AND provider_id = \(subject) AND set_aside_at IS NULL
                """
            ) { $0.id() }
            if let user = linked.first { return user }
            guard let email else { return nil }
            return try await account(email: email)?.user.id
        }
    }
}

extension RefusedSignIn {
    /// A limit's refusals do not check the password.
    fileprivate var isWrongPassword: Bool { method == .password && bucket == nil }
}

private struct StoredRefusals: Sendable {
    var history: RefusalHistory
    var auditedAt: Instant?
    var unaudited: Int64
}

extension Connection {
    fileprivate func refusals(of user: UserID) throws -> StoredRefusals? {
        try row("SELECT refusals, audited_at, unaudited FROM refused_sign_ins WHERE user_id = \(user)") { row in
            StoredRefusals(
                history: RefusalHistory(stored: row.text()), auditedAt: row.instantIfPresent(), unaudited: row.int())
        }
    }

    /// The records of an account's past. Ended sessions keep their times and reasons.
    func eraseRecords(of user: UserID) throws {
        try eraseEndedSessions(of: user)
        try run("DELETE FROM refused_sign_ins WHERE user_id = \(user)")
        try run("DELETE FROM bans WHERE user_id = \(user)")
    }

    func endLocks(of user: UserID) throws {
        guard var stored = try refusals(of: user) else { return }
        stored.history.endLocks()
        try run("UPDATE refused_sign_ins SET refusals = \(stored.history.stored) WHERE user_id = \(user)")
    }
}
