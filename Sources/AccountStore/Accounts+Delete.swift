package import AccountDomain
import Crypto
package import GatehouseWire
import SQLDatabase

/// What became of ``Accounts/deleteOwn(_:session:at:)``.
package enum OwnDeletion: Sendable {
    case deleted, alreadyGone
    /// The session has ended or the person is banned; nothing was changed.
    case refused
    /// The sign-in is too long ago; nothing was changed.
    case stale
}

extension Accounts {
    /// Deletes an account with its identities, sessions and profile; its providers' tokens are revoked later, for
    /// certain.
    ///
    /// - Parameter actor: The person's own id when they delete themselves; nil for an administrator.
    /// - Returns: Whether there was one.
    package func delete(_ id: UserID, actor: UserID?, at now: Instant) async throws -> Bool {
        try await revoking(at: now) { db in
            guard let account = try db.account(id) else { return false }
            try remove(account, actor: actor, at: now, in: db)
            return true
        }
    }

    /// Deletes the account of a person who asks for it with an access token. What cannot be taken back is refused to
    /// a token whose session has ended, and to a banned person, who could sign up anew.
    ///
    /// - Parameter session: As the token has it; nil, empty, or the nil UUID as old ones have it, when it names none.
    package func deleteOwn(_ id: UserID, session text: String?, at now: Instant) async throws -> OwnDeletion {
        try await revoking(at: now) { db in
            switch try changer(id, naming: text, at: now, in: db) {
            case .gone: return .alreadyGone
            case .sessionEnded: return .refused
            case .good(let account):
                let session = text.flatMap(SessionID.init).flatMap { $0.isNil ? nil : $0 }
                let opened = try db.current(id, session: session)?.session
                guard policy.isFresh(opened, of: account.user, at: now) else { return .stale }
                try remove(account, actor: id, at: now, in: db)
                return .deleted
            }
        }
    }

    private func remove(_ account: Account, actor: UserID?, at now: Instant, in db: any Connection) throws {
        let id = account.user.id
        try promiseRevocation(ofTokensOf: id, at: now, in: db)
        try db.run("DELETE FROM users WHERE id = \(id)")
        try db.revoke(id, at: now)
        let entry =
            actor.map { AuditEntry(.userDeleted, actor: $0, actorName: account.user.email ?? "") }
            ?? Self.adminEntry(.userDeleted, account.user)
        try record([entry], at: now, in: db)
    }

    /// Empties an account but keeps its row, so that what refers to its id stays valid: addresses and provider
    /// ids become digests, everything else of the person goes. Repeating it changes nothing. The log is append-only and keeps its
    /// earlier entries; the entry of the deletion names the id alone.
    ///
    /// - Returns: Whether there is such an account.
    package func softDelete(_ id: UserID, at now: Instant) async throws -> Bool {
        try await revoking(at: now) { db in
            guard var account = try db.account(id) else { return false }
            if account.user.times.deletedAt != nil { return true }
            account.user.email = account.user.email.map { Self.digest($0, of: id) }
            account.user.phone = account.user.phone.map { String(Self.digest($0, of: id).prefix(15)) }
            account.user.passwordHash = nil
            (account.user.newEmail, account.user.newPhone) = (nil, nil)
            (account.user.userMetadata, account.user.appMetadata) = ("{}", "{}")
            account.user.times.emailProvenAt = nil
            account.user.times.deletedAt = now
            account.user.times.updatedAt = now
            try db.update(account.user)
            for var identity in account.identities {
                identity.data = "{}"
                identity.email = nil
                identity.isEmailVerified = false
                identity.providerID = Self.digest("\(identity.provider) \(identity.providerID)", of: id)
                identity.updatedAt = now
                try db.update(identity)
            }
            try promiseRevocation(ofTokensOf: id, at: now, in: db)
            try db.forgetLinks(of: id)
            try db.endSessions(of: id, keeping: nil, at: now)
            try db.revoke(id, at: now)
            try db.run("DELETE FROM profiles WHERE id = \(id)")
            let entry = AuditEntry(
                .userDeleted, actor: nil, actorName: Self.adminName, traits: ["user_id": .string(id.text)])
            try record([entry], at: now, in: db)
            return true
        }
    }

    /// Another one for each account: a person may come back and be deleted again.
    private static func digest(_ text: String, of user: UserID) -> String {
        SHA256.hash(data: Array("\(user.text) \(text)".utf8))
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
