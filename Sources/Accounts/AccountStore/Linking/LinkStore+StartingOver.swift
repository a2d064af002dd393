package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Only `signedIn` has changed anything.
package enum StartingOver: Sendable {
    case signedIn(IssuedSession)
    case noAddress
    /// The session is too old, or did not begin with an emailed code.
    case stale
    /// The address moved to this account less than ``LinkStore/startingOverInterval`` ago.
    case tooSoon(Duration)
    case gone, sessionEnded
}

extension LinkStore {
    /// How long an address stays with an account. A mailbox thief could otherwise move it until its former accounts are
    /// forgotten.
    static let startingOverInterval: Duration = .seconds(86_400)

    /// Moves an address to a new, empty account, for the mailbox's reader who cannot pass the account's second factor
    /// or does not recognize the account. The old account keeps everything else: see
    /// ``Account/withoutItsAddress(at:isFree:)``. The caller's session ends: it shows only control of the mailbox.
    ///
    /// - Throws: ``AccountNeedsAdmission``.
    package func startOver(
        _ user: UserID, in session: SessionID?, from device: Device, at now: Instant
    ) async throws -> StartingOver {
        try await accounts.sessions.revoking(at: now) { db in
            let changer = try accounts.changer(user, by: session, at: now, in: db)
            guard case .good(let old) = changer else { return changer.isGone ? .gone : .sessionEnded }
            guard let email = old.user.email.flatMap(EmailAddress.init) else { return .noAddress }
            guard let asking = try db.current(user, session: session)?.session,
                AuthenticationMethod.provesAddress(asking.authenticationMethods, at: now)
            else { return .stale }
            if let moved = try db.lastMove(of: email), now < moved + Self.startingOverInterval, moved <= now {
                return .tooSoon(moved + Self.startingOverInterval - now)
            }
            var made = accounts.signIns.newAccount(
                SignUpRequest(email: email, passwordHash: nil, metadata: [:], isConfirmed: true), at: now)
            made.user.times.emailProvenAt = now
            made.user.times.lastSignInAt = now
            try accounts.admit(made)
            try moveAddress(of: old, by: asking, at: now, in: db)
            let end = SessionEnd.byUser(.addressClaimed, in: asking.id, from: device)
            try accounts.sessions.endSessions(where: "id = \(asking.id)", end, at: now, in: db)
            try db.insert(made.user)
            for identity in made.identities { try db.insert(identity) }
            let opened = accounts.newSession(of: made.user.id, by: .otp, on: device, at: now)
            try accounts.mails.noteDevice(device, of: made.user, at: now, in: db)
            try db.insert(opened, from: device)
            let traits: AuthJSONObject = ["provider": "email"]
            try accounts.record(
                [
                    AuditEntry(.userSignedUp, actor: made.user.id, actorName: email.text, traits: traits),
                    AuditEntry(.login, actor: made.user.id, actorName: email.text, traits: traits),
                ], at: now, in: db)
            return .signedIn(try accounts.sessions.issue(opened, to: made))
        }
    }

    /// Only the address and the codes for it go.
    ///
    /// - Parameter session: The mailbox owner's session of the account.
    func moveAddress(of old: Account, by session: Session? = nil, at now: Instant, in db: any Connection) throws {
        let id = old.user.id
        try accounts.mailQueue.dropMails(to: old.user, at: now, in: db)
        let whole = try session.map { try restored(old, from: $0.createdAt, at: now, in: db) } ?? old
        let left = try whole.withoutItsAddress(at: now) { try !db.isTaken($0, besides: id) }
        for identity in old.identities where !left.identities.contains(where: { $0.id == identity.id }) {
            try db.removeIdentity(identity, at: now)
        }
        try db.update(left.user)
        try db.voidCodes(of: id)
        try db.voidTokens(of: id)
        try accounts.record([AuditEntry(.addressMoved, actor: id, actorName: old.user.name)], at: now, in: db)
    }

    /// Restores what was set aside by the proof that opened the mailbox owner's session: the account was never that
    /// person's. What an earlier proof set aside stays so, because that person has used the account since.
    private func restored(
        _ account: Account, from proof: Instant, at now: Instant, in db: any Connection
    ) throws -> Account {
        let id = account.user.id
        var setAside = account.user.setAside
        let passwords = setAside.passwords.filter { $0.at == proof }
        if setAside.isEmpty { return account }
        try db.run("UPDATE passkeys SET set_aside_at = NULL WHERE user_id = \(id) AND set_aside_at = \(proof)")
        try db.run("UPDATE identities SET set_aside_at = NULL WHERE user_id = \(id) AND set_aside_at = \(proof)")
        guard var whole = try db.account(id) else { return account }
        let known = Set<IdentityID>(account.identities.map(\.id))
        for identity in whole.identities where !known.contains(identity.id) {
            db.journal?.add(.linked(identity), at: now)
        }
        // With several passwords, the account's owner is unknown.
        if whole.user.passwordHash == nil, passwords.count == 1, setAside.passwords.count == 1 {
            whole.user.passwordHash = setAside.take(passwords[0].hash)?.hash
        }
        setAside.passkeys.removeAll { $0.at == proof }
        setAside.identities.removeAll { $0.at == proof }
        whole.user.setAside = setAside
        return whole
    }

    /// The accounts that lost this address and still have a password, latest first. At most three.
    package func accounts(formerly email: EmailAddress) async throws -> [Account] {
        try await database.accounts(Self.formerLookup(email))
    }

    static func formerLookup(_ email: EmailAddress) -> SQL {
        """
        SELECT \(columns: Accounts.userColumns), \(columns: Accounts.identityColumns)
        FROM users LEFT JOIN identities ON identities.user_id = users.id
        WHERE users.id IN (
            SELECT id FROM users WHERE former_email = \(email.text) AND password_hash IS NOT NULL AND deleted_at IS NULL
            ORDER BY former_email_moved_at DESC LIMIT 3)
        ORDER BY users.former_email_moved_at DESC, users.id, identities.created_at, identities.id
        """
    }
}

extension Connection {
    fileprivate func lastMove(of email: EmailAddress) throws -> Instant? {
        try row(
            """
            SELECT former_email_moved_at FROM users WHERE former_email = \(email.text)
            ORDER BY former_email_moved_at DESC LIMIT 1
            """
        ) { $0.instant() }
    }
}
