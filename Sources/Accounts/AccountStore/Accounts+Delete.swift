package import AccountDomain
import Crypto
package import GatehouseWire
import SQLDatabase

/// Only `deleted` has changed anything.
package enum OwnDeletion: Sendable {
    case deleted, alreadyGone
    /// The session has ended or the user is banned.
    case refused
    /// The caller signed in too long ago.
    case stale
    /// The session lacks the user's second factor.
    case tooLow
}

extension Accounts {
    /// Deletes an account and everything of it, and queues the revocation of its provider tokens.
    ///
    /// - Parameter actor: nil for an administrator.
    /// - Returns: Whether the account existed.
    package func delete(
        _ id: UserID, actor: UserID?, from device: Device? = nil, at now: Instant
    ) async throws -> Bool {
        try await sessions.revoking(at: now) { db in
            guard let account = try db.account(id) else { return false }
            let end: SessionEnd =
                actor == nil
                ? .byAdministrator(.accountDeleted, from: device)
                : .byUser(.accountDeleted, in: nil, from: device)
            try remove(account, actor: actor, end, from: device, at: now, in: db)
            return true
        }
    }

    /// Refuses ended sessions, because deletion is final, and banned users, who could otherwise sign up again.
    ///
    /// - Parameters:
    ///   - session: As in ``mayChange(_:session:at:in:)``.
    ///   - level: The token's. The session's own level is checked as well.
    package func deleteOwn(
        _ id: UserID, session text: String?, level: AssuranceLevel, from device: Device? = nil, at now: Instant
    ) async throws -> OwnDeletion {
        try await sessions.revoking(at: now) { db in
            switch try changer(id, naming: text, at: now, in: db) {
            case .gone: return .alreadyGone
            case .sessionEnded: return .refused
            case .good(let account):
                let session = text.flatMap(SessionID.init).flatMap { $0.isNil ? nil : $0 }
                guard let current = try db.current(id, session: session) else { return .alreadyGone }
                if current.isTooLow || account.user.hasSecondFactor && level < .aal2 { return .tooLow }
                if policy.needsProof(.deleteAccount, by: current, at: now) { return .stale }
                let end = SessionEnd.byUser(.accountDeleted, in: session, from: device)
                try remove(account, actor: id, end, from: device, at: now, in: db)
                return .deleted
            }
        }
    }

    private func remove(
        _ account: Account, actor: UserID?, _ end: SessionEnd, from device: Device?, at now: Instant,
        in db: any Connection
    ) throws {
        let id = account.user.id
        try providerCalls.promiseRevocation(ofTokensOf: id, at: now, in: db)
        try mailQueue.dropMails(to: account.user, at: now, in: db)
        try sessions.delete(id, end, at: now, in: db)
        let entry =
            actor.map { AuditEntry(.userDeleted, actor: $0, actorName: account.user.name) }
            ?? AdminStore.adminEntry(.userDeleted, account.user, from: device)
        try record([entry], at: now, in: db)
    }

    /// Erases an account but keeps its row, so that references to its id stay valid. Addresses and provider ids become
    /// digests; other personal data is deleted. Idempotent. Earlier entries of the append-only audit log stay; the
    /// deletion's entry contains only the id.
    ///
    /// - Returns: Whether the account exists.
    package func softDelete(_ id: UserID, from device: Device? = nil, at now: Instant) async throws -> Bool {
        try await sessions.revoking(at: now) { db in
            guard var account = try db.account(id) else { return false }
            if account.user.times.deletedAt != nil { return true }
            try mailQueue.dropMails(to: account.user, at: now, in: db)
            account.user.email = account.user.email.map { Self.digest($0, of: id) }
            account.user.phone = account.user.phone.map { String(Self.digest($0, of: id).prefix(15)) }
            (account.user.passwordHash, account.user.storedSetAside) = (nil, nil)
            account.user.times.formerEmailMovedAt = nil
            try db.run("DELETE FROM identities WHERE user_id = \(id) AND set_aside_at IS NOT NULL")
            (account.user.formerEmail, account.user.newEmail, account.user.newPhone) = (nil, nil, nil)
            (account.user.userMetadata, account.user.appMetadata) = ("{}", "{}")
            (account.user.times.emailProvenAt, account.user.times.phoneProvenAt) = (nil, nil)
            (account.user.times.deletedAt, account.user.times.updatedAt) = (now, now)
            try db.forgetFactors(of: &account.user)
            try db.update(account.user)
            for var identity in account.identities {
                identity.data = "{}"
                identity.email = nil
                identity.isEmailVerified = false
                identity.providerID = Self.digest("\(identity.provider) \(identity.providerID)", of: id)
                identity.updatedAt = now
                try db.update(identity)
            }
            try providerCalls.promiseRevocation(ofTokensOf: id, at: now, in: db)
            try db.forgetLinks(of: id)
            try db.forgetConsents(of: id)
            try db.forgetDevices(of: id)
            try db.forgetPasskeys(of: id)
            let end = SessionEnd.byAdministrator(.accountDeleted, from: device)
            try sessions.endSessions(of: id, keeping: nil, end, at: now, in: db)
            try db.eraseRecords(of: id)
            try db.revoke(id, at: now)
            try db.forgetNames(of: id)
            let entry = AuditEntry(
                .userDeleted, administrator: device?.administrator, traits: ["user_id": .string(id.text)])
            try record([entry], at: now, in: db)
            return true
        }
    }

    /// Depends on the account, so that an address can be deleted more than once.
    private static func digest(_ text: String, of user: UserID) -> String {
        SHA256.hash(data: Array("\(user.text) \(text)".utf8)).hexadecimal
    }
}

extension Connection {
    fileprivate func forgetNames(of user: UserID) throws {
        try run("DELETE FROM profiles WHERE id = \(user)")
        try run("DELETE FROM search_terms WHERE user_id = \(user)")
    }
}
