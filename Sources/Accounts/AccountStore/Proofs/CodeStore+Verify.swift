package import AccountDomain
package import GatehouseWire
import SQLDatabase

package enum MailedProof: Sendable {
    case link(Secret)
    case code(Secret, sentTo: Recipient)
    /// Checked by the provider that sent it.
    case approved(sentTo: Recipient)
    /// Typed into a link's page. Both are from the same email.
    case page(link: Secret, code: Secret)

    fileprivate var link: Secret? {
        switch self {
        case .link(let link), .page(let link, code: _): link
        case .code, .approved: nil
        }
    }
}

/// From the access token that comes with a code.
package struct MailCaller: Sendable {
    package let user: UserID
    package let session: SessionID?

    package init(user: UserID, session: SessionID?) { (self.user, self.session) = (user, session) }
}

package enum VerificationOutcome: Sendable {
    case signedIn(IssuedSession, slot: TokenSlot)
    /// Carried out without a session, as requested.
    case confirmed(slot: TokenSlot)
    /// An authorization code, for a client with PKCE.
    case code(Secret)
    /// A change of address waits for the other address.
    case halfway(hasProofKey: Bool)
    case banned
    /// Wrong, used, expired or never issued. A wrong code is recorded.
    case unknown
}

package struct PendingLink: Sendable {
    package let hasProofKey: Bool
    package let isByAdmin: Bool
    /// Whether it confirms an address, which is useful even without a session.
    package let confirms: Bool
    package let address: EmailAddress
    /// Whether a change of address also waits for the other address, so that using the link opens no session.
    package let isFirstOfTwo: Bool
    /// See ``TokenRow/isFirstProof(of:)``.
    package let isFirstProof: Bool
    private let row: TokenRow

    init?(_ row: TokenRow, isFirstOfTwo: Bool = false, isFirstProof: Bool = false) {
        guard let address = EmailAddress(row.address) else { return nil }
        self.address = address
        (hasProofKey, isByAdmin, self.row) = (row.key != nil, row.isByAdmin, row)
        confirms = row.slot != .recovery
        self.isFirstOfTwo = isFirstOfTwo
        self.isFirstProof = isFirstProof
    }

    var user: UserID { row.user }

    package func isOf(_ browser: Secret?) -> Bool { row.isOf(browser) }
}

/// A correct code that replaces the current password in a change of the account.
package struct MailedReauthentication: Sendable {
    fileprivate let digest: [UInt8]
}

extension Connection {
    /// - Returns: false if the code is no longer valid.
    func spend(_ code: MailedReauthentication, of user: UserID, at now: Instant) throws -> Bool {
        try run(
            """
            DELETE FROM one_time_tokens WHERE digest = \(code.digest) AND user_id = \(user) AND expires_at > \(now)
                AND attempts < \(MintedToken.maximumAttempts)
            """) == 1
    }
}

extension CodeStore {
    /// - Parameters:
    ///   - slots: The accepted purposes.
    ///   - opensSession: false to only carry out what the code confirms.
    package func verify(
        _ proof: MailedProof, for slots: [TokenSlot], by caller: VerifyingCaller = VerifyingCaller(),
        opensSession: Bool = true, from device: Device, at now: Instant
    ) async throws -> VerificationOutcome {
        // Anyone can invent a token, so an unknown one must not cost a write.
        if let link = proof.link, try await tokenRow(link) == nil { return .unknown }
        return try await accounts.sessions.revoking(at: now) { db in
            guard let row = try find(proof, for: slots, of: caller.changer(slots), at: now, in: db), let slot = row.slot
            else { return .unknown }
            let found = try db.account(row.user)
            let user = found?.user
            if user?.isBanned(at: now) == true { return .banned }
            let pending = slot.confirmsSignUp ? try pendingSignUp(row) : nil
            var prover = Prover(device: device)
            prover.session = caller.token?.user == row.user ? caller.token?.session : nil
            prover.isClient = row.isOf(caller.browser)
            prover.isKnownDevice = user.map(caller.isKnownDevice) ?? false
            let typed = user?.waitingPassword(caller.password, or: pending)
            let isProtected = user?.hasSecondFactor ?? false
            let isOwn = typed.map { user?.passwordHash?.matches($0) ?? false } ?? false
            if isOwn || !isProtected { prover.password = typed }
            if typed == nil, found?.isAbandoned == true { prover.newPassword = caller.newPassword }
            switch try accounts.proofs.prove(row, by: prover, at: now, in: db) {
            case nil: return .unknown
            case .halfway: return .halfway(hasProofKey: row.key != nil)
            case .whole(var account):
                let passkey = caller.passkey.flatMap { $0.user == account.user.id ? $0.id : nil }
                if let passkey, !isProtected { _ = try accounts.proofs.restore(passkey, of: &account, at: now, in: db) }
                guard opensSession else { return .confirmed(slot: slot) }
                let issued = try open(account, by: slot, from: device, at: now, in: db)
                if isProtected {
                    try accounts.proofs.promise(typed, passkey, to: issued.session.id, of: account.user, in: db)
                }
                return .signedIn(issued, slot: slot)
            }
        }
    }

    /// - Parameters:
    ///   - defers: Leaves a PKCE client's link unused until the client redeems the code.
    ///   - browser: The browser's secret, if it has one.
    package func follow(
        _ link: Secret, for slots: [TokenSlot], defers: Bool, in browser: Secret? = nil, from device: Device,
        at now: Instant
    ) async throws -> VerificationOutcome {
        guard let found = try await tokenRow(link) else { return .unknown }
        guard found.key != nil else {
            return try await verify(
                .link(link), for: slots, by: VerifyingCaller(browser: browser), from: device, at: now)
        }
        return try await accounts.sessions.revoking(at: now) { db in
            guard let row = try find(.link(link), for: slots, at: now, in: db), let key = row.key else {
                return .unknown
            }
            if try db.account(row.user)?.user.isBanned(at: now) == true { return .banned }
            var content = AuthorizationCode.Content.mailed(row.digest)
            if !defers {
                var prover = Prover(device: device)
                prover.isClient = row.isOf(browser)
                let proven = try accounts.proofs.prove(row, by: prover, at: now, in: db)
                guard let proven else { return .unknown }
                guard case .whole = proven else { return .halfway(hasProofKey: true) }
                content = .session
            }
            let id: Identifier<AuthorizationCode> = accounts.newID()
            let code = AuthorizationCode(
                user: row.user, identity: nil, method: row.method, key: key, provider: nil, rule: "mailed_link",
                content: content, handout: nil)
            try accounts.flows.insert(code, code: Secret(id.text), at: now, in: db)
            return .code(Secret(id.text))
        }
    }

    /// nil for a link that can no longer be used.
    package func pendingLink(_ link: Secret, for slots: [TokenSlot], at now: Instant) async throws -> PendingLink? {
        guard let row = try await tokenRow(link), row.isGood(at: now), let slot = row.slot, slots.contains(slot) else {
            return nil
        }
        guard let other = slot.other else {
            let account = try await accounts.admin.account(row.user)
            let isFirst = account.map { row.isFirstProof(of: $0) && !$0.user.isBanned(at: now) } ?? false
            return PendingLink(row, isFirstProof: isFirst)
        }
        guard confirmsBothAddresses else { return PendingLink(row) }
        let others = try await database.rows(Self.tokenLookup(row.user, other), TokenRow.init)
        // Without a row there is no current address to confirm, or the change began under another setting.
        return PendingLink(row, isFirstOfTwo: !others.isEmpty && !others.contains(where: \.isUsed))
    }

    /// True while one account has a valid code for the address.
    package func waits(for slots: [TokenSlot], sentTo address: Recipient, at now: Instant) async throws -> Bool {
        try await database.read { db in
            try look(.approved(sentTo: address), for: slots, of: nil, at: now, in: db).right != nil
        }
    }

    /// Finds the code that replaces the current password. Records a wrong code; the change uses up the right one.
    ///
    /// - Returns: nil for a wrong code.
    package func reauthentication(
        _ code: Secret, of user: User, isApproved: Bool = false, at now: Instant
    ) async throws -> MailedReauthentication? {
        guard let recipient = user.recipient else { return nil }
        let id = user.id
        return try await database.write { db in
            try find(
                isApproved ? .approved(sentTo: recipient) : .code(code, sentTo: recipient), for: [.reauthentication],
                of: id, at: now, in: db
            )
            .map { MailedReauthentication(digest: $0.digest) }
        }
    }

    /// Whether a queued email's code is still valid: a newer code, a new password or the account's deletion may have
    /// voided it.
    package func isCurrent(_ content: MailContent, at now: Instant) async throws -> Bool {
        guard let link = content.linkToken else { return true }
        return try await tokenRow(link)?.isGood(at: now) ?? false
    }

    private func tokenRow(_ link: Secret) async throws -> TokenRow? {
        try await database.row(Self.tokenLookup(link: TokenDigest.of(link)), TokenRow.init)
    }

    /// Finds the row of a correct code or link. Records a wrong code with each code that it was compared with.
    ///
    /// - Parameter user: Limits typed codes to this account.
    private func find(
        _ proof: MailedProof, for slots: [TokenSlot], of user: UserID? = nil, at now: Instant, in db: any Connection
    ) throws -> TokenRow? {
        let found = try look(proof, for: slots, of: user, at: now, in: db)
        if found.right == nil { for row in found.compared { try countWrongCode(row, in: db) } }
        return found.right
    }

    func look(
        _ proof: MailedProof, for slots: [TokenSlot], of user: UserID?, at now: Instant, in db: any Connection
    ) throws -> (right: TokenRow?, compared: [TokenRow]) {
        switch proof {
        case .link(let link):
            let row = try db.row(Self.tokenLookup(link: TokenDigest.of(link)), TokenRow.init)
            guard let row, row.isGood(at: now), let slot = row.slot, slots.contains(slot) else { return (nil, []) }
            return (row, [])
        case .code(let code, let address):
            let rows = try slots.flatMap { try self.rows(sentTo: address, $0, of: user, at: now, in: db) }
            return (rows.first { isCode(code, of: $0) }, rows)
        case .approved(let address):
            let rows = try slots.flatMap { try self.rows(sentTo: address, $0, of: user, at: now, in: db) }
            // The provider knows only the number, not which account asked.
            return (rows.allSatisfy { $0.user == rows.first?.user } ? rows.first : nil, [])
        case .page(let link, let code):
            // The caller has the link, and so the email: there is nothing to guess.
            let row = try look(.link(link), for: slots, of: user, at: now, in: db).right
            return (row.flatMap { isCode(code, of: $0) ? $0 : nil }, [])
        }
    }

    /// The rows to compare a typed code with. Several accounts may change to one email address: without a named account,
    /// none of their codes is compared. Clients never name the account of a number, so all of its codes are.
    private func rows(
        sentTo address: Recipient, _ slot: TokenSlot, of user: UserID?, at now: Instant, in db: any Connection
    ) throws -> [TokenRow] {
        let rows: [TokenRow]
        if let user {
            rows = try db.rows(Self.tokenLookup(user, slot), TokenRow.init).filter { $0.address == address.text }
        } else {
            rows = try db.rows(Self.tokenLookup(address: address, slot, at: now), TokenRow.init)
        }
        guard let first = rows.first, slot == .phoneChange || rows.allSatisfy({ $0.user == first.user }) else {
            return []
        }
        return rows.filter { $0.isGood(at: now) && $0.takesCodes }
    }

    private func isCode(_ code: Secret, of row: TokenRow) -> Bool {
        guard let slot = row.slot else { return false }
        return secrets.isDigest(row.codeDigest, ofCode: code, of: Self.codeOwner(row.user, slot, row.address))
    }

    func countWrongCode(_ row: TokenRow, in db: any Connection) throws {
        // A void row stays until it expires: a repeated email must know that sign-ups compete.
        try db.run("UPDATE one_time_tokens SET attempts = attempts + 1 WHERE digest = \(row.digest)")
    }

    private func open(
        _ account: Account, by slot: TokenSlot, from device: Device, at now: Instant, in db: any Connection
    ) throws -> IssuedSession {
        var account = account
        let session = accounts.newSession(of: account.user.id, by: .otp, on: device, at: now)
        account.user.times.lastSignInAt = now
        try db.run("UPDATE users SET last_sign_in_at = \(now) WHERE id = \(account.user.id)")
        try accounts.mails.noteDevice(device, of: account.user, at: now, in: db)
        try db.insert(session, from: device)
        let login = AuditEntry(
            .login, actor: account.user.id, actorName: account.user.name,
            traits: ["provider": .string(slot.provider)])
        try accounts.record([login], at: now, in: db)
        return try accounts.sessions.issue(session, to: account)
    }
}

extension TokenRow {
    /// The method of a session that the link's authorization code opens.
    fileprivate var method: AuthenticationMethod {
        switch kind {
        case .signUp: .emailSignUp
        case .invite: .invite
        case .recovery: .recovery
        case .emailChangeCurrent, .emailChangeNew: .emailChange
        default: .magicLink
        }
    }
}
