import AccountDomain
package import GatehouseWire
import SQLDatabase

// What the first proof of an address sets aside, and how its holder gets it back.
extension Accounts {
    /// Carries out a ``ProofDecision``. The caller stores the account.
    ///
    /// - Parameter pending: The sign-up that the email belongs to, if it is not the one that made the account.
    /// - Returns: The entries for the audit log.
    func carryOut(
        _ decision: ProofDecision, _ facts: ProofFacts, on account: inout Account, _ pending: PendingSignUp?,
        _ prover: Prover, at now: Instant, in db: any Connection
    ) throws -> [AuditEntry] {
        var setAside = account.user.setAside
        let before = Set<ExternalName>(setAside.methods.map(ExternalName.init(trusted:)))
        let hadPassword = account.user.passwordHash != nil
        switch decision.password {
        case .keeps: break
        case .isSetAside:
            try putAside(&account, facts, into: &setAside, replacedBy: pending, prover, at: now, in: db)
        case .becomesThatOfTheEmail:
            try putAside(&account, facts, into: &setAside, replacedBy: pending, prover, at: now, in: db)
            account.user.passwordHash = pending?.passwordHash
            // What the sign-up waited with.
            if let hash = pending?.passwordHash { _ = setAside.take(hash) }
        case .becomesTheTypedOne:
            try adopt(prover.password, facts, in: &account, from: &setAside, at: now, in: db)
        }
        if decision.setsAsideOthers { try setAsideOthers(of: &account, into: &setAside, at: now, in: db) }
        account.user.setAside = setAside
        if decision.endsSessions {
            let end = SessionEnd.byUser(.addressProven, in: prover.session, from: prover.device)
            try endSessions(of: account.user.id, keeping: prover.session, end, at: now, in: db)
            try db.voidCodes(of: account.user.id)
        }
        var entries: [AuditEntry] = []
        let added = setAside.methods.filter { !before.contains(ExternalName(trusted: $0)) }
        if !added.isEmpty || (decision.password == .isSetAside && hadPassword) {
            let methods = added.isEmpty ? ["password"] : added
            entries.append(
                AuditEntry(
                    .credentialsSetAside, actor: account.user.id, actorName: account.user.email ?? "",
                    traits: ["methods": .array(methods.map(AnyJSON.string))]))
        }
        if decision.password == .becomesTheTypedOne, !facts.isUnfinishedSignUp {
            entries.append(Self.restored("password", account.user))
        }
        return entries
    }

    /// Moves the account's password into the set-aside ones, with the `user_metadata` that an unfinished sign-up
    /// entered: it may be a stranger's.
    private func putAside(
        _ account: inout Account, _ facts: ProofFacts, into setAside: inout SetAside,
        replacedBy pending: PendingSignUp?, _ prover: Prover, at now: Instant, in db: any Connection
    ) throws {
        let entered = facts.isUnfinishedSignUp ? account.enteredMetadata : [:]
        if let hash = account.user.passwordHash {
            setAside.add(SetAside.Password(hash: hash, data: entered, at: now))
            account.user.passwordHash = nil
        }
        guard facts.isUnfinishedSignUp, account.user.times.invitedAt == nil else { return }
        let others = setAside.passwords.map(\.data) + (pending.map { [$0.data] } ?? [])
        // Data on which everybody agrees is nobody's secret.
        if others.allSatisfy({ $0 == entered }) { return }
        try replaceEntered(in: &account, with: prover.isClient ? pending?.data ?? [:] : [:], in: db)
    }

    /// Makes a waiting or set-aside password the account's. An unfinished sign-up then has that sign-up's metadata.
    private func adopt(
        _ hash: Secret?, _ facts: ProofFacts, in account: inout Account, from setAside: inout SetAside,
        at now: Instant, in db: any Connection
    ) throws {
        guard let hash, account.user.passwordHash?.matches(hash) != true, let chosen = setAside.take(hash) else {
            return
        }
        if facts.isUnfinishedSignUp {
            if let former = account.user.passwordHash {
                setAside.add(SetAside.Password(hash: former, data: account.enteredMetadata, at: now))
            }
            if account.user.times.invitedAt == nil { try replaceEntered(in: &account, with: chosen.data, in: db) }
        } else {
            var members = try JSONReader.read(account.user.userMetadata).objectValue ?? [:]
            members.merge(chosen.data) { current, _ in current }
            var merged = account.user
            merged.userMetadata = AnyJSON.object(members).text
            if tokenRoom.admits(merged, after: account.user) { account.user = merged }
            // The owner of the mailbox has chosen.
            setAside.passwords = []
        }
        account.user.passwordHash = chosen.hash
    }

    /// Replaces what an unfinished sign-up entered.
    private func replaceEntered(
        in account: inout Account, with data: JSONObject, in db: any Connection
    ) throws {
        guard let email = account.user.email.flatMap(EmailAddress.init) else { return }
        let text = AnyJSON.object(
            AccountMetadata.emailIdentity(user: account.user.id, email: email, isVerified: true, data: data)
        ).text
        account.user.userMetadata = text
        for index in account.identities.indices where account.identities[index].provider == "email" {
            account.identities[index].data = text
            try db.update(account.identities[index])
        }
    }

    /// Sets aside the passkeys, and the provider identities that do not vouch for the address.
    private func setAsideOthers(
        of account: inout Account, into setAside: inout SetAside, at now: Instant, in db: any Connection
    ) throws {
        let user = account.user.id
        for passkey in try db.rows(Self.passkeysLookup(user), { $0.passkey() }) where passkey.setAsideAt == nil {
            setAside.passkeys.append(SetAside.Passkey(id: passkey.id, name: passkey.name, at: now))
        }
        try db.run("UPDATE passkeys SET set_aside_at = \(now) WHERE user_id = \(user) AND set_aside_at IS NULL")
        for identity in account.identities where identity.isOfProvider && !identity.vouches(for: account.user.email) {
            try db.run("UPDATE identities SET set_aside_at = \(now) WHERE id = \(identity.id)")
            setAside.identities.append(SetAside.Identity(id: identity.id, provider: identity.provider, at: now))
            account.identities.removeAll { $0.id == identity.id }
        }
        account.user.appMetadata = try Self.providersRecomputed(account)
    }

    static func restored(_ method: String, _ user: User) -> AuditEntry {
        AuditEntry(
            .credentialRestored, actor: user.id, actorName: user.email ?? "", traits: ["method": .string(method)])
    }

    /// Restores a passkey after a proof of the mailbox.
    ///
    /// - Returns: false if the account has no such passkey that is set aside.
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
        try record([Self.restored("passkey", account.user)], at: now, in: db)
        return true
    }
}
