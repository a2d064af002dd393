import AccountDomain
import GatehouseWire
import SQLDatabase

enum Proven: Sendable {
    case whole(Account)
    /// The other address's code is missing.
    case halfway
}

/// Evidence that comes with an emailed code or link.
struct Prover: Sendable {
    /// The session of the caller's token, if of the same account. It stays active.
    var session: SessionID?
    /// Whether the caller requested the email, by PKCE verifier or browser.
    var isClient = false
    /// Whether the browser has signed in with the current password.
    var isKnownDevice = false
    /// Waiting or set aside, as typed by the caller.
    var password: Secret?
    /// Another typed password: the caller did not choose the account's.
    var newPassword: Secret?
    var device: Device
}

extension ProofStore {
    /// Carries out what a code proves, and voids the account's other codes.
    ///
    /// - Returns: nil for a used or expired code, or if the account is gone, banned or changed since.
    func prove(_ row: TokenRow, by prover: Prover, at now: Instant, in db: any Connection) throws -> Proven? {
        guard row.isGood(at: now), let slot = row.slot, var account = try db.account(row.user),
            account.user.times.deletedAt == nil, !account.user.isBanned(at: now)
        else { return nil }
        var entries: [AuditEntry] = []
        switch slot {
        case .reauthentication: return nil
        case .confirmation, .recovery, .linkConfirmation:
            guard account.user.email == row.address else { return nil }
            entries = try proveAddress(of: &account, by: row, slot, prover, at: now, in: db)
        case .phoneConfirmation:
            guard account.user.phone == row.address else { return nil }
            entries = try proveAddress(of: &account, by: row, slot, prover, at: now, in: db)
        case .phoneChange:
            guard account.user.newPhone == row.address, let phone = PhoneNumber(row.address),
                try phoneChangeWaits(of: account.user, at: now, in: db),
                try !db.isConfirmed(phone, besides: account.user.id)
            else { return nil }
            entries = try changePhone(of: &account, to: phone, from: prover.device, at: now, in: db)
        case .emailChangeCurrent, .emailChangeNew:
            guard try addressChangeWaits(of: account.user, at: now, in: db) else { return nil }
            guard let new = account.user.newEmail.flatMap(EmailAddress.init),
                row.address == account.user.addressToConfirm(slot), try !db.isTaken(new, besides: account.user.id)
            else { return nil }
            guard let isProven = try lastConfirmation(row, slot, of: account.user, at: now, in: db) else {
                return .halfway
            }
            entries = try changeAddress(of: &account, to: new, isProven: isProven, by: row, prover, at: now, in: db)
        }
        try db.voidTokens(of: account.user.id, provenBy: slot)
        account.user.times.updatedAt = now
        try db.update(account.user)
        try accounts.record(entries, at: now, in: db)
        return .whole(account)
    }

    private func proveAddress(
        of account: inout Account, by row: TokenRow, _ slot: TokenSlot, _ prover: Prover, at now: Instant,
        in db: any Connection
    ) throws -> [AuditEntry] {
        var entries: [AuditEntry] = []
        // Decided before the address is confirmed.
        let pending = slot.confirmsSignUp ? try accounts.codes.pendingSignUp(row) : nil
        let facts = try facts(of: account, row, pending, prover, at: now, in: db)
        let decision = ProofDecision(facts)
        let isPhone = slot == .phoneConfirmation
        if (isPhone ? account.user.times.phoneConfirmedAt : account.user.times.emailConfirmedAt) == nil {
            entries.append(AuditEntry(.userConfirmed, actor: account.user.id, actorName: row.address))
            if isPhone {
                try confirmPhone(&account, at: now)
            } else {
                try confirm(&account, row.address, at: now, in: db)
            }
        }
        entries += try carryOut(decision, facts, on: &account, pending, prover, at: now, in: db)
        if decision.setsAsideOthers, !isPhone {
            entries += try detachPhone(of: &account, from: prover.device, at: now, in: db)
        }
        // An invitation proves the address however the administrator sent it.
        if isPhone {
            account.user.times.phoneProvenAt = account.user.times.phoneProvenAt ?? now
        } else if row.isMailed || row.kind == .invite {
            account.user.times.emailProvenAt = account.user.times.emailProvenAt ?? now
            try db.keepProof(of: account.user.id, at: now)
        }
        // A pending address change is void with its codes; no repeated email may restore it.
        (account.user.newEmail, account.user.newPhone) = (nil, nil)
        // An invitation's code opens an account without a password.
        if row.kind == .invite { try db.forgetMails(of: &account.user) }
        return entries
    }

    private func changeAddress(
        of account: inout Account, to new: EmailAddress, isProven: Bool, by row: TokenRow, _ prover: Prover,
        at now: Instant, in db: any Connection
    ) throws -> [AuditEntry] {
        let facts = try facts(of: account, row, nil, prover, at: now, in: db)
        try accounts.mails.notify(.emailChanged, account.user, newEmail: new.text, from: prover.device, at: now, in: db)
        try apply(new, to: &account, isProven: isProven, at: now, in: db)
        var entries = [AuditEntry(.userModified, actor: account.user.id, actorName: new.text)]
        guard isProven else { return entries }
        let decision = ProofDecision(facts)
        entries += try carryOut(decision, facts, on: &account, nil, prover, at: now, in: db)
        if decision.setsAsideOthers {
            entries += try detachPhone(of: &account, from: prover.device, at: now, in: db)
        }
        return entries
    }

    private func facts(
        of account: Account, _ row: TokenRow, _ pending: PendingSignUp?, _ prover: Prover, at now: Instant,
        in db: any Connection
    ) throws -> ProofFacts {
        let binding: ProofFacts.Binding =
            if prover.password != nil {
                .password
            } else if prover.session != nil || prover.isKnownDevice {
                .account
            } else {
                prover.isClient ? .client : .none
            }
        let email: ProofFacts.Email =
            switch row.slot {
            case .confirmation where account.isAbandoned, .phoneConfirmation where account.isAbandoned:
                pending.map { $0.passwordHash == nil ? .other : .competingSignUp } ?? .signUp
            case .emailChangeNew, .emailChangeCurrent, .phoneChange: .addressChange
            default: .other
            }
        return ProofFacts(
            isFirst: isFirst(row, of: account.user), binding: binding, email: email,
            isUnfinishedSignUp: account.isAbandoned,
            competes: try prover.newPassword != nil || competes(account, at: now, in: db))
    }

    /// A change, or a code texted to a number, is a first proof only for an account with no proven address: the owner
    /// began the change, and someone who reads a number's messages does not replace the owner of a proven email.
    private func isFirst(_ row: TokenRow, of user: User) -> Bool {
        switch row.slot {
        case .phoneConfirmation, .phoneChange, .emailChangeCurrent, .emailChangeNew:
            (row.isMailed || user.times.emailConfirmedAt == nil) && !user.isProven
        default: (row.isMailed || user.times.emailConfirmedAt == nil) && user.times.emailProvenAt == nil
        }
    }

    /// Whether an unfinished sign-up's password may be another person's: another waits, or an email was requested
    /// without one.
    private func competes(_ account: Account, at now: Instant, in db: any Connection) throws -> Bool {
        let setAside = account.user.setAside
        if setAside.isContested || !setAside.passwords.isEmpty { return true }
        let slot: TokenSlot = account.user.email == nil ? .phoneConfirmation : .confirmation
        return try db.rows(CodeStore.tokenLookup(account.user.id, slot), TokenRow.init).contains { row in
            try row.isGood(at: now) && accounts.codes.pendingSignUp(row).map { $0.passwordHash == nil } ?? false
        }
    }

    private func confirm(
        _ account: inout Account, _ address: String, at now: Instant, in db: any Connection
    ) throws {
        account.user.times.emailConfirmedAt = now
        if account.user.isAnonymous { account.user.appMetadata = try Accounts.providersRecomputed(account) }
        account.user.isAnonymous = false
        account.user.userMetadata = try Accounts.merged(["email_verified": true], into: account.user.userMetadata)
        for index in account.identities.indices where account.identities[index].email == address {
            account.identities[index].data = try Accounts.merged(
                ["email_verified": true], into: account.identities[index].data)
            account.identities[index].updatedAt = now
            try db.update(account.identities[index])
        }
    }

    /// Whether the session that began the pending change is active. If not, ends the change.
    func addressChangeWaits(of user: User, at now: Instant, in db: any Connection) throws -> Bool {
        guard let session = user.addressChangeSession else { return true }
        if case .good = try accounts.changer(user.id, by: session, at: now, in: db) { return true }
        try db.endAddressChange(of: user.id, at: now)
        return false
    }

    /// Checks whether the other address must still confirm, and if so marks the code as used.
    ///
    /// - Returns: Whether the confirmations prove the new address; nil if the change waits.
    private func lastConfirmation(
        _ row: TokenRow, _ slot: TokenSlot, of user: User, at now: Instant, in db: any Connection
    ) throws -> Bool? {
        guard confirmsBothAddresses, user.email != nil else { return slot == .emailChangeNew && row.isMailed }
        let otherSlot: TokenSlot = slot == .emailChangeNew ? .emailChangeCurrent : .emailChangeNew
        let others = try db.rows(CodeStore.tokenLookup(user.id, otherSlot), TokenRow.init)
        let other = others.first {
            $0.isUsed && now < $0.expiresAt && $0.address == user.addressToConfirm(otherSlot)
        }
        if let other { return slot == .emailChangeNew ? row.isMailed : other.isMailed }
        try db.run("UPDATE one_time_tokens SET used_at = \(now) WHERE digest = \(row.digest)")
        return nil
    }

    private func apply(
        _ new: EmailAddress, to account: inout Account, isProven: Bool, at now: Instant, in db: any Connection
    ) throws {
        let before = account.user
        try accounts.setEmail(new, of: &account, isVerified: true, at: now, in: db)
        account.user.newEmail = nil
        account.user.isAnonymous = false
        if before.times.emailConfirmedAt == nil {
            account.user.userMetadata = try Accounts.merged(["email_verified": true], into: account.user.userMetadata)
        }
        account.user.times.emailConfirmedAt = now
        // An administrator's generated links prove nothing, but keep a proven account proven.
        account.user.times.emailProvenAt = isProven || before.times.emailProvenAt != nil ? now : nil
        account.user.appMetadata = try Accounts.providersRecomputed(account)
    }
}

extension Connection {
    /// Records the proof in undoable links: undoing one keeps the address proven.
    fileprivate func keepProof(of user: UserID, at now: Instant) throws {
        let links = try rows(
            """
            SELECT link_undos.identity_id, link_undos.before FROM identities
            JOIN link_undos ON link_undos.identity_id = identities.id WHERE identities.user_id = \(user)
            """
        ) { row -> (IdentityID, String) in (row.id(), row.text()) }
        for (identity, before) in links {
            var undo = LinkUndo(json: try JSONReader.read(before))
            guard undo.provenAt == nil else { continue }
            undo.provenAt = now
            try run("UPDATE link_undos SET before = \(undo.json.text) WHERE identity_id = \(identity)")
        }
    }
}

extension User {
    /// The address whose code confirms the pending change.
    fileprivate func addressToConfirm(_ slot: TokenSlot) -> String? { slot == .emailChangeNew ? newEmail : email }
}

extension Connection {
    /// Changes of address and number do not end each other.
    fileprivate func voidTokens(of user: UserID, provenBy slot: TokenSlot) throws {
        let kept: Set<TokenSlot> =
            switch slot {
            case .phoneChange: [.emailChangeNew, .emailChangeCurrent]
            case .emailChangeNew, .emailChangeCurrent: [.phoneChange]
            default: []
            }
        for slot in TokenSlot.allCases where !kept.contains(slot) { try voidTokens(of: user, slot) }
    }
}
