import AccountDomain
import GatehouseWire
import SQLDatabase

/// What a mailed code achieved.
enum Proven: Sendable {
    case whole(Account)
    /// A change of address waits for the code that the other address got.
    case halfway
}

extension Accounts {
    /// Carries out what a code proves, and voids the account's other codes.
    ///
    /// - Parameters:
    ///   - isBound: Whether the caller is the client that asked for the mail, by its PKCE verifier or as the same browser.
    ///   - session: The session of the caller's token, if it is of the same account. It stays active.
    /// - Returns: nil for a code that is used or expired, or if the account is gone, banned or has changed since.
    func prove(
        _ row: TokenRow, isBound: Bool, keeping session: SessionID? = nil, from device: Device, at now: Instant,
        in db: any Connection
    ) throws -> Proven? {
        guard row.isGood(at: now), let slot = row.slot, var account = try db.account(row.user),
            account.user.times.deletedAt == nil, !account.user.isBanned(at: now)
        else { return nil }
        var entries: [AuditEntry] = []
        switch slot {
        case .reauthentication: return nil
        case .confirmation, .recovery, .linkConfirmation:
            guard account.user.email == row.address else { return nil }
            let end = SessionEnd.byUser(.addressProven, in: session, from: device)
            entries = try proveAddress(
                of: &account, by: row, slot, isBound: isBound, keeping: session, end, at: now, in: db)
        case .emailChangeCurrent, .emailChangeNew:
            guard try addressChangeWaits(of: account.user, at: now, in: db) else { return nil }
            guard let new = account.user.newEmail.flatMap(EmailAddress.init),
                row.address == account.user.addressToConfirm(slot), try !db.isTaken(new, besides: account.user.id)
            else { return nil }
            guard let isProven = try lastConfirmation(row, slot, of: account.user, at: now, in: db) else {
                return .halfway
            }
            try notify(.emailChanged, account.user, newEmail: new.text, from: device, at: now, in: db)
            try apply(new, to: &account, isProven: isProven, at: now, in: db)
            entries.append(AuditEntry(.userModified, actor: account.user.id, actorName: new.text))
        }
        try db.voidTokens(of: account.user.id)
        account.user.times.updatedAt = now
        for identity in account.identities where identity.updatedAt == now { try db.update(identity) }
        try db.update(account.user)
        try record(entries, at: now, in: db)
        return .whole(account)
    }

    /// Confirms and proves the present address of an account.
    private func proveAddress(
        of account: inout Account, by row: TokenRow, _ slot: TokenSlot, isBound: Bool, keeping session: SessionID?,
        _ end: SessionEnd, at now: Instant, in db: any Connection
    ) throws -> [AuditEntry] {
        var entries: [AuditEntry] = []
        // Decided before the address is confirmed.
        let drops = row.dropsEarlier(of: account)
        if account.user.times.emailConfirmedAt == nil {
            entries.append(AuditEntry(.userConfirmed, actor: account.user.id, actorName: row.address))
            try confirm(&account, by: row, slot, isBound: isBound, at: now)
        }
        if drops {
            entries.append(AuditEntry(.accountRecovered, actor: account.user.id, actorName: row.address))
            try recover(&account, keeping: session, end, at: now, in: db)
        }
        if row.isMailed {
            account.user.times.emailProvenAt = account.user.times.emailProvenAt ?? now
            try db.keepProof(of: account.user.id, at: now)
        }
        // A change of address that waits is void with its codes; no repeated mail may bring it back.
        account.user.newEmail = nil
        // The code of an invitation opens an account without a password.
        if row.kind == .invite { try db.forgetMails(of: &account.user) }
        return entries
    }

    /// Gives an account to the first who proves its address. It got the address without a proof, by auto-confirm, an
    /// administrator or an import, so its password, sessions, second factors and linked providers may be a stranger's. A provider that
    /// verified the same address stays. The others are remembered: their next sign-in asks for this account.
    private func recover(
        _ account: inout Account, keeping session: SessionID?, _ end: SessionEnd, at now: Instant,
        in db: any Connection
    ) throws {
        account.user.passwordHash = nil
        for identity in account.identities where identity.isOfProvider && !identity.vouches(for: account.user.email) {
            try promiseRevocation(ofTokenOf: identity.id, at: now, in: db)
            try db.removeIdentity(identity, at: now)
            try db.remember(.unlinked, of: identity, from: account.user.id, isByProof: true, at: now)
            account.identities.removeAll { $0.id == identity.id }
        }
        account.user.appMetadata = try Self.providersRecomputed(account)
        try endSessions(of: account.user.id, keeping: session, end, at: now, in: db)
        // A stranger's second factor would lock the owner out.
        try db.forgetFactors(of: &account.user)
        try db.forgetPasskeys(of: account.user.id)
        try db.voidCodes(of: account.user.id)
        try db.forgetDevices(of: account.user.id)
    }

    /// Confirms the address of an account for the first time.
    private func confirm(
        _ account: inout Account, by row: TokenRow, _ slot: TokenSlot, isBound: Bool, at now: Instant
    ) throws {
        if slot != .confirmation {
            // The password may be a stranger's: it was chosen before the address was proven.
            account.user.passwordHash = nil
        } else if account.isAbandoned, let pending = try pendingSignUp(row) {
            try take(pending, isBound: isBound, by: &account)
        }
        account.user.times.emailConfirmedAt = now
        account.user.isAnonymous = false
        account.user.userMetadata = try Self.merged(["email_verified": true], into: account.user.userMetadata)
        for index in account.identities.indices where account.identities[index].email == row.address {
            account.identities[index].data = try Self.merged(
                ["email_verified": true], into: account.identities[index].data)
            account.identities[index].updatedAt = now
        }
    }

    /// Replaces what the first sign-up entered with what the proven one did; with nothing if either could be a
    /// stranger's.
    private func take(_ pending: PendingSignUp, isBound: Bool, by account: inout Account) throws {
        account.user.passwordHash = isBound ? pending.passwordHash : nil
        guard let email = account.user.email.flatMap(EmailAddress.init) else { return }
        if account.user.times.invitedAt != nil {
            if isBound { account.user.userMetadata = try Self.merged(pending.data, into: account.user.userMetadata) }
            return
        }
        func metadata(isVerified: Bool) -> JSONObject {
            AccountMetadata.emailIdentity(
                user: account.user.id, email: email, isVerified: isVerified, data: pending.data)
        }
        let isSame = try JSONReader.read(account.user.userMetadata) == .object(metadata(isVerified: false))
        let data =
            isBound || isSame
            ? metadata(isVerified: true)
            : AccountMetadata.emailIdentity(user: account.user.id, email: email, isVerified: true, data: [:])
        account.user.userMetadata = AnyJSON.object(data).text
        for index in account.identities.indices where account.identities[index].provider == "email" {
            account.identities[index].data = AnyJSON.object(data).text
        }
    }

    /// Whether the session that began the waiting change of address is still active. If not, ends the change.
    func addressChangeWaits(of user: User, at now: Instant, in db: any Connection) throws -> Bool {
        guard let session = user.addressChangeSession else { return true }
        if case .good = try changer(user.id, by: session, at: now, in: db) { return true }
        try db.endAddressChange(of: user.id, at: now)
        return false
    }

    /// Checks whether the other address has confirmed the change already, or need not. Marks the code as used if not.
    ///
    /// - Returns: Whether the confirmations prove the new address; nil if the change waits for the other address.
    private func lastConfirmation(
        _ row: TokenRow, _ slot: TokenSlot, of user: User, at now: Instant, in db: any Connection
    ) throws -> Bool? {
        guard confirmsBothAddresses, user.email != nil else { return slot == .emailChangeNew && row.isMailed }
        let otherSlot: TokenSlot = slot == .emailChangeNew ? .emailChangeCurrent : .emailChangeNew
        let other = try db.row(Self.tokenLookup(user.id, otherSlot), TokenRow.init)
        if let other, other.isUsed, now < other.expiresAt, other.address == user.addressToConfirm(otherSlot) {
            return slot == .emailChangeNew ? row.isMailed : other.isMailed
        }
        try db.run("UPDATE one_time_tokens SET used_at = \(now) WHERE digest = \(row.digest)")
        return nil
    }

    private func apply(
        _ new: EmailAddress, to account: inout Account, isProven: Bool, at now: Instant, in db: any Connection
    ) throws {
        let before = account.user
        try setEmail(new, of: &account, isVerified: true, at: now, in: db)
        account.user.newEmail = nil
        account.user.isAnonymous = false
        account.user.times.emailConfirmedAt = now
        account.user.times.emailProvenAt = isProven ? now : nil
        // Without a proof, the change is an administrator's, by generated links.
        if !isProven { account.user.keepProof(of: before, at: now) }
        account.user.appMetadata = try Self.providersRecomputed(account)
    }
}

extension Connection {
    /// Records the proof in the links that can be undone: without them the address is proven, too.
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
    /// The address whose code confirms the waiting change of address.
    fileprivate func addressToConfirm(_ slot: TokenSlot) -> String? { slot == .emailChangeNew ? newEmail : email }
}
