package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Only `unlinked` has changed anything.
package enum UnlinkOutcome: Sendable {
    case unlinked(Account)
    case refused(UnlinkDecision.Refusal)
    case gone
    /// Or the user was banned.
    case sessionEnded
    /// Not linked, or longer than ``LinkUndo/period`` ago.
    case tooLate
}

package struct UndoableLink: Sendable {
    package let identity: IdentityID
    package let rule: String
    package let linkedAt: Instant
    package let until: Instant
}

extension LinkStore {
    /// Removes a sign-in method, but never the last one, and ends the sessions that it opened, except the caller's.
    /// Linking it again needs a confirmation.
    package func unlink(
        _ id: IdentityID, of user: UserID, keeping session: SessionID?, from device: Device? = nil, at now: Instant
    ) async throws -> UnlinkOutcome {
        try await accounts.sessions.revoking(at: now) { db in
            let changer = try accounts.changer(user, by: session, at: now, in: db)
            guard case .good(let account) = changer else { return changer.isGone ? .gone : .sessionEnded }
            let end = SessionEnd.byUser(.methodRemoved, in: session, from: device)
            return try remove(id, from: account, .unlinked, end, at: now, in: db) {
                try $0.unlink(id, address: $1, newID: accounts.newID(), at: now)
            }
        }
    }

    /// As ``unlink(_:of:keeping:from:at:)``, and ends every session that it opened.
    package func unlink(
        _ id: IdentityID, of user: UserID, byAdministratorOn device: Device?, at now: Instant
    ) async throws -> UnlinkOutcome {
        try await accounts.sessions.revoking(at: now) { db in
            guard let account = try db.account(user), account.user.times.deletedAt == nil else { return .gone }
            let end = SessionEnd.byAdministrator(.methodRemoved, from: device)
            return try remove(id, from: account, .unlinked, end, at: now, in: db) {
                try $0.unlink(id, address: $1, newID: accounts.newID(), at: now)
            }
        }
    }

    /// Undoes a link and its changes within ``LinkUndo/period``, and ends all other sessions that the identity opened.
    /// The identity is then another person's: its next sign-in creates a new account.
    ///
    /// - Parameter session: It stays, even if linking opened it.
    package func undoLink(
        _ id: IdentityID, of user: UserID, by session: SessionID?, from device: Device? = nil, at now: Instant
    ) async throws -> UnlinkOutcome {
        try await accounts.sessions.revoking(at: now) { db in
            let changer = try accounts.changer(user, by: session, at: now, in: db)
            guard case .good(let account) = changer else { return changer.isGone ? .gone : .sessionEnded }
            guard account.identities.contains(where: { $0.id == id }) else { return .refused(.notFound) }
            let before = try db.row("SELECT before FROM link_undos WHERE identity_id = \(id) AND until > \(now)") {
                $0.text()
            }
            guard let before else {
                try accounts.record([Self.refusal(.undoTooLate, id, account)], at: now, in: db)
                return .tooLate
            }
            let undo = LinkUndo(json: try JSONReader.read(before))
            let end = SessionEnd.byUser(.linkUndone, in: session, from: device)
            return try remove(id, from: account, .undone, end, at: now, in: db) {
                let made = try $0.undo(undo, of: id, address: $1, newID: accounts.newID(), at: now)
                try db.unfill(undo.profile, of: user, at: now)
                return made
            }
        }
    }

    /// Removes an identity, but not the last method, nor if its address belongs to another account.
    ///
    /// - Parameter change: Gets the account's new address. Returns the identity that it created.
    private func remove(
        _ id: IdentityID, from account: Account, _ kind: LinkRemoval, _ end: SessionEnd, at now: Instant,
        in db: any Connection,
        change: (inout Account, UnlinkDecision.Address) throws -> Identity?
    ) throws -> UnlinkOutcome {
        let user = account.user.id
        let hasPasskey = try offersPasskeys && db.usablePasskeyCount(of: user) > 0
        let decision = try UnlinkDecision(account, removing: id, hasPasskey: hasPasskey) {
            try !db.isTaken($0, besides: user)
        }
        switch decision {
        case .refuse(let refusal):
            try refuse(refusal, id, account, at: now, in: db)
            return .refused(refusal)
        case .remove(let address):
            var left = account
            let made = try change(&left, address)
            let removal = Removal(id: id, of: account, leaving: left, made: made, kind: kind, session: end.session)
            try carryOut(removal, end, at: now, in: db)
            try notify(of: removal, account.user, from: end.isByUser ? end.device : nil, at: now, in: db)
            return .unlinked(left)
        }
    }

    /// A single notice also for a number, which is a sign-in method too.
    private func notify(
        of removal: Removal, _ before: User, from device: Device?, at now: Instant, in db: any Connection
    ) throws {
        let mails = accounts.mails
        guard removal.name == "phone", !mails.notices.kinds.contains(.identityUnlinked) else {
            return try mails.notify(
                .identityUnlinked, before, provider: removal.name, from: device, at: now, in: db)
        }
        try mails.notifyPhone(before.phone, to: nil, before, from: device, at: now, in: db)
    }

    /// Newest first.
    package func undoableLinks(of user: UserID, at now: Instant) async throws -> [UndoableLink] {
        try await database.rows(Self.undoLookup(user, at: now)) { row in
            UndoableLink(identity: row.id(), rule: row.text(), linkedAt: row.instant(), until: row.instant())
        }
    }

    static func undoLookup(_ user: UserID, at now: Instant) -> SQL {
        """
        SELECT link_undos.identity_id, link_undos.rule, link_undos.linked_at, link_undos.until
        FROM identities JOIN link_undos ON link_undos.identity_id = identities.id
        WHERE identities.user_id = \(user) AND identities.set_aside_at IS NULL AND link_undos.until > \(now)
        ORDER BY link_undos.linked_at DESC, identities.id
        """
    }

    private func refuse(
        _ refusal: UnlinkDecision.Refusal, _ id: IdentityID, _ account: Account, at now: Instant, in db: any Connection
    ) throws {
        switch refusal {
        case .lastMethod: try accounts.record([Self.refusal(.lastMethod, id, account)], at: now, in: db)
        case .addressConflict: try accounts.record([Self.refusal(.addressConflict, id, account)], at: now, in: db)
        case .notFound: break
        }
    }

    private static func refusal(_ rule: LinkingRule, _ id: IdentityID, _ account: Account) -> AuditEntry {
        AuditEntry(
            .identityRefused, actor: account.user.id, actorName: account.user.name,
            traits: ["identity_id": .string(id.text), "rule": .string(rule.rawValue)])
    }
}

struct Removal: Sendable {
    let id: IdentityID
    let identity: Identity?
    let left: Account
    let made: Identity?
    let kind: LinkRemoval
    let session: SessionID?
    var name: String? { identity?.provider }

    init(
        id: IdentityID, of account: Account, leaving left: Account, made: Identity?, kind: LinkRemoval,
        session: SessionID?
    ) {
        self.id = id
        identity = account.identities.first { $0.id == id }
        self.left = left
        self.made = made
        self.kind = kind
        self.session = session
    }
}

extension LinkStore {
    fileprivate func carryOut(
        _ removal: Removal, _ end: SessionEnd, at now: Instant, in db: any Connection
    ) throws {
        let user = removal.left.user
        guard let identity = removal.identity else { throw UnknownIdentity() }
        try accounts.providerCalls.promiseRevocation(ofTokenOf: removal.id, at: now, in: db)
        try db.removeIdentity(identity, at: now)
        if let made = removal.made { try db.insert(made) }
        try db.update(user)
        try endSessions(of: user.id, openedBy: identity, keeping: removal.session, end, at: now, in: db)
        if identity.isOfProvider { try db.remember(removal.kind, of: identity, from: user.id, at: now) }
        try accounts.record([Self.entry(removal, identity, end)], at: now, in: db)
        try db.removeExpired(from: .undos, at: now)
    }

    private static func entry(_ removal: Removal, _ identity: Identity, _ end: SessionEnd) -> AuditEntry {
        let user = removal.left.user
        let (action, rule): (AuditEntry.Action, LinkingRule) =
            switch removal.kind {
            case .unlinked: (.identityUnlinked, .unlinkedByOwner)
            case .undone: (.identityLinkUndone, .undoneByOwner)
            }
        let about: AuthJSONObject = [
            "provider": .string(identity.provider), "identity_id": .string(identity.id.text),
        ]
        guard end.isByUser else { return AdminStore.adminEntry(action, user, about, from: end.device) }
        let own: AuthJSONObject = ["rule": .string(rule.rawValue), "user_id": .string(user.id.text)]
        return AuditEntry(action, actor: user.id, actorName: user.name, traits: about.merging(own) { $1 })
    }
}

extension LinkStore {
    /// Ends the sessions that an identity opened; for the email identity, those without an identity.
    func endSessions(
        of user: UserID, openedBy identity: Identity, keeping session: SessionID?, _ end: SessionEnd, at now: Instant,
        in db: any Connection
    ) throws {
        // No session has the nil UUID.
        let kept = session ?? SessionID(bytes: Array(repeating: 0, count: 16))
        if identity.isOfProvider {
            try accounts.sessions.endSessions(
                where: "user_id = \(user) AND identity_id = \(identity.id) AND id <> \(kept)", end, at: now, in: db)
        } else {
            try accounts.sessions.endSessions(
                where: "user_id = \(user) AND identity_id IS NULL AND id <> \(kept)", end, at: now, in: db)
        }
    }

}

extension Connection {
    /// - Parameter isByProof: Whether the address's first proof removed it, not its owner.
    func remember(
        _ removal: LinkRemoval, of identity: Identity, from user: UserID, isByProof: Bool = false, at now: Instant
    ) throws {
        try run(
            """
            INSERT INTO link_removals (provider, provider_id, user_id, kind, by_proof, created_at)
            VALUES (\(identity.provider), \(identity.providerID), \(user), \(removal.rawValue), \(isByProof), \(now))
            ON CONFLICT (provider, provider_id, user_id) DO UPDATE SET
                kind = excluded.kind, by_proof = excluded.by_proof, created_at = excluded.created_at
            """)
    }
}
