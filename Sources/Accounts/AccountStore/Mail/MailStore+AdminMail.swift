package import AccountDomain
package import GatehouseWire
import SQLDatabase

package struct LinkOrder: Sendable {
    package let kind: MailKind
    package let email: EmailAddress
    package var newEmail: EmailAddress?
    package var passwordHash: Secret?
    package var data: AuthJSONObject = [:]
    package var request: MailRequest
    /// The administrator's.
    package let device: Device

    package init(_ kind: MailKind, _ email: EmailAddress, _ request: MailRequest, from device: Device) {
        (self.kind, self.email, self.request, self.device) = (kind, email, request, device)
    }
}

package enum LinkOrderOutcome: Sendable {
    case done(Account, MintedToken, MailKind)
    case emailTaken
    case unknownUser
    /// The merged metadata does not fit into an access token.
    case metadataTooLong
}

extension MailStore {
    /// Creates an account, or takes the unconfirmed one.
    package func invite(_ order: LinkOrder, at now: Instant) async throws -> LinkOrderOutcome {
        try await ordered { db in
            let outcome = try invite(order, at: now, in: db)
            if case .done(let account, let minted, _) = outcome {
                let content = try content(.invite, to: .email(order.email), of: account.user, minted, order.request)
                try accounts.mailQueue.queue(
                    content, of: account.user.id, until: now + order.request.lifetime, at: now, in: db)
            }
            return outcome
        }
    }

    private func ordered(
        _ body: @escaping @Sendable (any Connection) throws -> LinkOrderOutcome
    ) async throws -> LinkOrderOutcome {
        do {
            return try await database.write(body)
        } catch is MetadataTooLong {
            return .metadataTooLong
        }
    }

    /// - Returns: false if the account is gone or has no address.
    package func mailRecovery(
        of user: UserID, _ request: MailRequest, byAdministratorOn device: Device, at now: Instant
    ) async throws -> Bool {
        try await database.write { db in
            guard let account = try db.account(user), account.user.times.deletedAt == nil,
                let email = account.user.email.flatMap(EmailAddress.init)
            else { return false }
            let content = try mail(.recovery, .recovery, to: .email(email), of: account, request, at: now, in: db)
            try accounts.mailQueue.queue(content, of: user, until: now + request.lifetime, at: now, in: db)
            try accounts.record(
                [AdminStore.adminEntry(.userRecoveryRequested, account.user, from: device)], at: now, in: db)
            return true
        }
    }

    /// Repeats an unconfirmed sign-up's email.
    package func askAgain(
        _ user: User, _ email: EmailAddress, _ request: MailRequest, byAdministratorOn device: Device, at now: Instant
    ) async throws {
        let ask = MailAsk(.signUp, .email(email), request)
        let mail = try accounts.mailQueue.sealedMail(ask.json, to: ask.recipient, at: now)
        try await database.write { db in
            try accounts.mailQueue.insert(mail, ask.kind, of: nil, until: now + request.lifetime, at: now, in: db)
            try accounts.record(
                [AdminStore.adminEntry(.userConfirmationRequested, user, from: device)], at: now, in: db)
        }
    }

    /// Sends no email.
    package func makeLink(_ order: LinkOrder, at now: Instant) async throws -> LinkOrderOutcome {
        var order = order
        order.request.isMailed = false
        return try await ordered { [order] db in
            let known = try db.accounts(SignInStore.ownLookup(.email(order.email))).first
            if known?.user.times.deletedAt != nil { return .unknownUser }
            switch order.kind {
            case .invite: return try invite(order, at: now, in: db)
            case .signUp: return try signUpLink(order, at: now, in: db)
            case .magicLink:
                guard let known else { return try signUpLink(order, at: now, in: db) }
                return try link(.magicLink, .recovery, order, to: order.email, of: known, at: now, in: db)
            case .recovery:
                guard let known else { return .unknownUser }
                return try link(.recovery, .recovery, order, to: order.email, of: known, at: now, in: db)
            case .emailChangeCurrent, .emailChangeNew:
                guard var known else { return .unknownUser }
                guard let new = order.newEmail, try !db.isTaken(new, besides: known.user.id) else {
                    return .emailTaken
                }
                let waits =
                    try known.user.newEmail == new.text
                    && accounts.proofs.addressChangeWaits(of: known.user, at: now, in: db)
                if !waits {
                    try db.voidTokens(of: known.user.id)
                    (known.user.newEmail, known.user.addressChangeSession) = (new.text, nil)
                    try db.update(known.user)
                }
                let isNew = order.kind == .emailChangeNew
                let slot: TokenSlot = isNew ? .emailChangeNew : .emailChangeCurrent
                return try link(order.kind, slot, order, to: isNew ? new : order.email, of: known, at: now, in: db)
            // Administrators order no other emails.
            default: return .unknownUser
            }
        }
    }

    private func invite(_ order: LinkOrder, at now: Instant, in db: any Connection) throws -> LinkOrderOutcome {
        guard var account = try unconfirmed(order, at: now, in: db) else { return .emailTaken }
        account.user.times.invitedAt = now
        try db.run("UPDATE users SET invited_at = \(now) WHERE id = \(account.user.id)")
        try accounts.record([AdminStore.adminEntry(.userInvited, account.user, from: order.device)], at: now, in: db)
        return try link(.invite, .confirmation, order, to: order.email, of: account, at: now, in: db)
    }

    private func signUpLink(_ order: LinkOrder, at now: Instant, in db: any Connection) throws -> LinkOrderOutcome {
        guard let account = try unconfirmed(order, at: now, in: db) else { return .emailTaken }
        return try link(.signUp, .confirmation, order, to: order.email, of: account, at: now, in: db)
    }

    /// The account of an unconfirmed sign-up, or a new one; nil if the address is taken. A sign-up's data is set aside
    /// with its password, as it may be a stranger's; an earlier invitation's stays.
    ///
    /// - Throws: ``MetadataTooLong``.
    private func unconfirmed(_ order: LinkOrder, at now: Instant, in db: any Connection) throws -> Account? {
        let data = AuthJSON.object(order.data.filter { !$0.value.isNull }).text
        if var existing = try db.accounts(SignInStore.emailLookup(order.email)).first {
            let before = existing.user
            guard existing.isAbandoned, existing.user.email == order.email.text, existing.user.times.deletedAt == nil
            else { return nil }
            let entered = existing.enteredMetadata
            if let hash = existing.user.passwordHash {
                existing.user.setAside.add(SetAside.Password(hash: hash, data: entered, at: now), isKept: true)
            }
            existing.user.passwordHash = order.passwordHash
            let isInvited = existing.user.times.invitedAt != nil
            existing.user.userMetadata =
                isInvited ? try Accounts.merged(order.data, into: existing.user.userMetadata) : data
            guard tokenRoom.admits(existing.user, after: before) else { throw MetadataTooLong() }
            for index in existing.identities.indices where existing.identities[index].provider == "email" {
                let bare = AccountMetadata.emailIdentity(
                    user: existing.user.id, email: order.email, isVerified: false, data: [:])
                existing.identities[index].data = AuthJSON.object(bare).text
                try db.update(existing.identities[index])
            }
            try db.update(existing.user)
            return existing
        }
        var made = accounts.signIns.newAccount(
            SignUpRequest(email: order.email, passwordHash: order.passwordHash, metadata: [:], isConfirmed: false),
            at: now)
        made.user.userMetadata = data
        try accounts.admit(made)
        try db.insert(made.user)
        try db.insert(made.identities[0])
        return made
    }

    private func link(
        _ kind: MailKind, _ slot: TokenSlot, _ order: LinkOrder, to address: EmailAddress, of account: Account,
        at now: Instant, in db: any Connection
    ) throws -> LinkOrderOutcome {
        var account = account
        let minted = try accounts.codes.makeToken(
            kind, slot, to: .email(address), of: account.user.id, order.request, at: now, in: db)
        try db.note(slot, of: account.user.id, at: now)
        account.user.note(slot, at: now)
        if !order.request.isMailed {
            let entry = AdminStore.adminEntry(
                .linkGenerated, account.user, ["type": .string(kind.rawValue)], from: order.device)
            try accounts.record([entry], at: now, in: db)
        }
        return .done(account, minted, kind)
    }
}
