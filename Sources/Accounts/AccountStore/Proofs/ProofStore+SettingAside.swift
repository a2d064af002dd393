import AccountDomain
package import GatehouseWire
import SQLDatabase

extension ProofStore {
    /// The caller stores the account.
    ///
    /// - Parameter pending: The email's sign-up, if another one created the account.
    func carryOut(
        _ decision: ProofDecision, _ facts: ProofFacts, on account: inout Account, _ pending: PendingSignUp?,
        _ prover: Prover, at now: Instant, in db: any Connection
    ) throws -> [AuditEntry] {
        var setAside = account.user.setAside
        let before = Set<ExternalName>(setAside.methods.map(ExternalName.init(trusted:)))
        let former = account.user.passwordHash
        try choosePassword(decision.password, facts, of: &account, &setAside, pending, prover, at: now, in: db)
        if decision.setsAsideOthers { try setAsideOthers(of: &account, into: &setAside, at: now, in: db) }
        if facts.isFirst { setAside.isContested = false }
        account.user.setAside = setAside
        if decision.endsSessions {
            let end = SessionEnd.byUser(.addressProven, in: prover.session, from: prover.device)
            try accounts.sessions.endSessions(of: account.user.id, keeping: prover.session, end, at: now, in: db)
            try db.voidCodes(of: account.user.id)
        }
        var entries: [AuditEntry] = []
        let added = setAside.methods.filter { !before.contains(ExternalName(trusted: $0)) }
        if !added.isEmpty || (decision.password == .isSetAside && former != nil) {
            let methods = added.isEmpty ? ["password"] : added
            entries.append(
                AuditEntry(
                    .credentialsSetAside, actor: account.user.id, actorName: account.user.name,
                    traits: ["methods": .array(methods.map(AuthJSON.string))]))
        }
        if decision.password == .becomesTheTypedOne, !facts.isUnfinishedSignUp, former == nil,
            account.user.passwordHash != nil
        {
            entries.append(Self.restored("password", account.user))
        }
        return entries
    }

    private func choosePassword(
        _ decision: ProofDecision.Password, _ facts: ProofFacts, of account: inout Account,
        _ setAside: inout SetAside, _ pending: PendingSignUp?, _ prover: Prover, at now: Instant,
        in db: any Connection
    ) throws {
        switch decision {
        case .keeps: break
        case .isSetAside:
            try putAside(&account, facts, into: &setAside, replacedBy: pending, prover, at: now, in: db)
            if let hash = pending?.passwordHash {
                setAside.add(SetAside.Password(hash: hash, data: pending?.data ?? [:], at: now), isKept: true)
            }
            account.user.passwordHash = prover.newPassword
        case .becomesThatOfTheEmail:
            try putAside(&account, facts, into: &setAside, replacedBy: pending, prover, at: now, in: db)
            account.user.passwordHash = pending?.passwordHash
            if let hash = pending?.passwordHash { _ = setAside.take(hash) }
        case .becomesTheTypedOne:
            let isUnfinished = facts.isUnfinishedSignUp
            try adopt(prover.password, isUnfinished, pending, in: &account, from: &setAside, at: now, in: db)
        }
    }

    /// Sets the account's password aside, with an unfinished sign-up's `user_metadata`: it may be a stranger's.
    private func putAside(
        _ account: inout Account, _ facts: ProofFacts, into setAside: inout SetAside,
        replacedBy pending: PendingSignUp?, _ prover: Prover, at now: Instant, in db: any Connection
    ) throws {
        let entered = facts.isUnfinishedSignUp ? account.enteredMetadata : [:]
        if let hash = account.user.passwordHash {
            setAside.add(SetAside.Password(hash: hash, data: entered, at: now), isKept: true)
            account.user.passwordHash = nil
        }
        guard facts.isUnfinishedSignUp, account.user.times.invitedAt == nil else { return }
        let others = setAside.passwords.map(\.data) + (pending.map { [$0.data] } ?? [])
        // Data that all sign-ups share is no one's secret.
        if others.allSatisfy({ $0 == entered }) { return }
        try replaceEntered(in: &account, with: prover.isClient ? pending?.data ?? [:] : [:], in: db)
    }

    /// Makes a waiting or set-aside password the account's, with its sign-up's metadata if the account is an unfinished
    /// sign-up. Never replaces a password that the owner has set since.
    private func adopt(
        _ hash: Secret?, _ isUnfinished: Bool, _ pending: PendingSignUp?, in account: inout Account,
        from setAside: inout SetAside, at now: Instant, in db: any Connection
    ) throws {
        guard let hash, account.user.passwordHash?.matches(hash) != true,
            isUnfinished || account.user.passwordHash == nil
        else { return }
        let ofTheEmail = pending.flatMap { pending in
            pending.passwordHash?.matches(hash) == true
                ? SetAside.Password(hash: hash, data: pending.data, at: now) : nil
        }
        guard let chosen = setAside.take(hash) ?? ofTheEmail else { return }
        if isUnfinished {
            if let former = account.user.passwordHash {
                setAside.add(
                    SetAside.Password(hash: former, data: account.enteredMetadata, at: now), isKept: true)
            }
            if account.user.times.invitedAt == nil { try replaceEntered(in: &account, with: chosen.data, in: db) }
        } else {
            var members = try JSONReader.read(account.user.userMetadata).objectValue ?? [:]
            members.merge(chosen.data) { current, _ in current }
            var merged = account.user
            merged.userMetadata = AuthJSON.object(members).text
            if tokenRoom.admits(merged, after: account.user) { account.user = merged }
            // The owner of the mailbox has chosen.
            setAside.passwords = []
        }
        account.user.passwordHash = chosen.hash
    }

    private func replaceEntered(
        in account: inout Account, with data: AuthJSONObject, in db: any Connection
    ) throws {
        let members: AuthJSONObject
        switch account.user.recipient {
        case .email(let email):
            members = AccountMetadata.emailIdentity(user: account.user.id, email: email, isVerified: true, data: data)
        case .phone: members = AccountMetadata.phoneSignUp(user: account.user.id, data: data)
        case nil: return
        }
        let text = AuthJSON.object(members).text
        account.user.userMetadata = text
        for index in account.identities.indices where !account.identities[index].isOfProvider {
            account.identities[index].data = text
            try db.update(account.identities[index])
        }
    }

    /// - Parameter since: Earlier ones stay.
    func setAsideOthers(
        of account: inout Account, into setAside: inout SetAside, since: Instant = Instant(seconds: 0), at now: Instant,
        in db: any Connection
    ) throws {
        let user = account.user.id
        for passkey in try db.rows(PasskeyStore.passkeysLookup(user), { $0.passkey() })
        where passkey.setAsideAt == nil && passkey.createdAt >= since {
            setAside.passkeys.append(SetAside.Passkey(id: passkey.id, name: passkey.name, at: now))
        }
        try db.run(
            """
            UPDATE passkeys SET set_aside_at = \(now)
            WHERE user_id = \(user) AND set_aside_at IS NULL AND created_at >= \(since)
            """)
        for identity in account.identities
        where identity.isOfProvider && !identity.vouches(for: account.user.email) && identity.createdAt >= since {
            try db.run("UPDATE identities SET set_aside_at = \(now) WHERE id = \(identity.id)")
            setAside.identities.append(SetAside.Identity(id: identity.id, provider: identity.provider, at: now))
            account.identities.removeAll { $0.id == identity.id }
        }
        account.user.appMetadata = try Accounts.providersRecomputed(account)
    }

    /// Records that a code for an unfinished sign-up was requested without its password.
    func noteContest(of account: Account, in db: any Connection) throws {
        guard account.isAbandoned, account.user.passwordHash != nil, !account.user.setAside.isContested else { return }
        var setAside = account.user.setAside
        setAside.isContested = true
        try db.run("UPDATE users SET set_aside = \(setAside.stored) WHERE id = \(account.user.id)")
    }

    /// Restores a password or passkey once this session gives the account's second factor. The mailbox alone adds no
    /// sign-in method to an account that has one.
    func promise(
        _ password: Secret?, _ passkey: PasskeyID?, to session: SessionID, of user: User, in db: any Connection
    ) throws {
        var setAside = user.setAside
        for index in setAside.passwords.indices where password.map(setAside.passwords[index].hash.matches) ?? false {
            setAside.passwords[index].session = session
        }
        for index in setAside.passkeys.indices where setAside.passkeys[index].id == passkey {
            setAside.passkeys[index].session = session
        }
        guard setAside != user.setAside else { return }
        try db.run("UPDATE users SET set_aside = \(setAside.stored) WHERE id = \(user.id)")
    }

    func restorePromised(
        to session: SessionID, of account: inout Account, at now: Instant, in db: any Connection
    ) throws {
        var setAside = account.user.setAside
        for passkey in setAside.passkeys where passkey.session == session {
            _ = try restore(passkey.id, of: &account, at: now, in: db)
        }
        setAside = account.user.setAside
        guard account.user.passwordHash == nil,
            let password = setAside.passwords.first(where: { $0.session == session })
        else { return }
        try adopt(password.hash, false, nil, in: &account, from: &setAside, at: now, in: db)
        account.user.setAside = setAside
        try db.update(account.user)
        try accounts.record([Self.restored("password", account.user)], at: now, in: db)
    }

    static func restored(_ method: String, _ user: User) -> AuditEntry {
        AuditEntry(
            .credentialRestored, actor: user.id, actorName: user.name, traits: ["method": .string(method)])
    }

    /// - Returns: false if the account has no such set-aside passkey.
    func restore(_ passkey: PasskeyID, of account: inout Account, at now: Instant, in db: any Connection) throws -> Bool
    {
        let user = account.user.id
        let restored = try db.run(
            """
            UPDATE passkeys SET set_aside_at = NULL, updated_at = \(now)
            WHERE id = \(passkey) AND user_id = \(user) AND set_aside_at IS NOT NULL
            """)
        guard restored == 1 else { return false }
        account.user.setAside.passkeys.removeAll { $0.id == passkey }
        try db.update(account.user)
        try accounts.record([Self.restored("passkey", account.user)], at: now, in: db)
        return true
    }
}
