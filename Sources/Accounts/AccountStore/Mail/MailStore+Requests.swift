package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension MailStore {
    /// Stores a request for an email: one row, with or without an account.
    package func ask(_ ask: MailAsk, at now: Instant) async throws {
        // Sealed before the transaction, which other writers wait for.
        let mail = try accounts.mailQueue.sealedMail(ask.json, to: ask.recipient, at: now)
        try await database.writeCommitted { db in
            try accounts.mailQueue.insert(mail, ask.kind, of: nil, until: now + ask.request.lifetime, at: now, in: db)
        }
    }

    /// Ends due requests for addresses without an account, of which strangers can send any number. One change each,
    /// without a lease: concurrent nodes end it once.
    ///
    /// - Parameter limit: Emails to examine, oldest first.
    /// - Returns: The number ended, and the number left for ``takeMails(_:limit:lease:at:)``.
    package func endUnanswered(
        _ lane: MailLane, limit: Int, at now: Instant
    ) async throws -> (ended: Int, left: Int) {
        let due = try await database.rows(
            """
            SELECT id, sealed FROM mail_outbox WHERE id IN (\(MailQueue.dueMails(lane, limit: limit, at: now)))
            """
        ) { row in (id: row.id() as Identifier<ClaimedMail>, sealed: row.bytesIfPresent()) }
        let asked: [(id: Identifier<ClaimedMail>, address: Recipient)] = due.compactMap { mail in
            guard case .request(let ask) = accounts.mailQueue.content(mail.id, mail.sealed), !ask.createsAccount else {
                return nil
            }
            return (mail.id, ask.recipient)
        }
        guard !asked.isEmpty else { return (0, due.count) }
        let ended = try await database.writeCommitted { db in
            try asked.reduce(0) { try $0 + db.run(Self.endUnanswered($1.id, askedBy: $1.address, at: now)) }
        }
        return (ended, due.count - ended)
    }

    static func endUnanswered(_ id: Identifier<ClaimedMail>, askedBy address: Recipient, at now: Instant) -> SQL {
        let isAccount: SQL =
            address.phone == nil
            ? "email = \(address.text) AND is_sso_user = 0"
            // Or the number of a pending change.
            : "phone = \(address.text) OR id IN (SELECT user_id FROM one_time_tokens WHERE address = \(address.text))"
        return """
            UPDATE mail_outbox SET state = 'failed', reason = \(unanswered), sealed = NULL, ended_at = \(now)
            WHERE id IN (
                SELECT id FROM mail_outbox WHERE id = \(id) AND state = 'queued' AND next_at <= \(now) \(.skippingLocked))
                AND NOT EXISTS (SELECT 1 FROM users WHERE \(isAccount))
            """
    }

    private static let unanswered = "no account waits for it"

    /// Turns a request into an email and stores it, so that all attempts send the same code. After an error the request
    /// becomes due again when its lease expires.
    ///
    /// - Returns: nil if there is nothing to send, or another node has the request.
    package func resolve(_ ask: MailAsk, of mail: ClaimedMail, at now: Instant) async throws -> ClaimedMail? {
        try await database.write { db in
            let isLeased = try db.row(
                "SELECT 1 FROM mail_outbox WHERE id = \(mail.id) AND attempts = \(mail.attempt) AND state = 'queued'"
            ) { _ in true }
            guard isLeased == true else { return nil }
            guard let (content, user) = try answer(ask, at: now, in: db) else {
                try endUnanswered(mail, at: now, in: db)
                return nil
            }
            var resolved = mail
            resolved.content = .mail(content)
            resolved.user = user
            resolved.expiresAt = now + ask.request.lifetime
            let sealed = try accounts.links.seal(content.json, as: MailQueue.mailSeal, mail.id.bytes)
            try db.run(
                """
                UPDATE mail_outbox SET sealed = \(sealed), kind = \(content.kind.rawValue), user_id = \(user),
                    place = \(secrets.mark(of: content.recipient)), expires_at = \(resolved.expiresAt)
                WHERE id = \(mail.id)
                """)
            return resolved
        }
    }

    private func endUnanswered(_ mail: ClaimedMail, at now: Instant, in db: any Connection) throws {
        try accounts.mailQueue.end(mail, "failed", reason: Self.unanswered, at: now, in: db)
    }

    private func answer(
        _ ask: MailAsk, at now: Instant, in db: any Connection
    ) throws -> (MailContent, UserID)? {
        let found = try db.accounts(SignInStore.ownLookup(ask.recipient)).first
        let account = found.flatMap { $0.user.times.deletedAt == nil ? $0 : nil }
        switch ask.purpose {
        case .recovery:
            guard let account else { return nil }
            try accounts.proofs.noteContest(of: account, in: db)
            let content = try mail(.recovery, .recovery, to: ask.recipient, of: account, ask.request, at: now, in: db)
            return (content, account.user.id)
        case .signUp:
            guard let account, account.user.confirmedAt(ask.recipient) == nil,
                try !accounts.codes.isInvited(account.user.id, at: now, in: db)
            else { return nil }
            let slot = ask.recipient.signUpSlot
            let pending = try accounts.codes.pendingSignUp(of: account.user.id, slot, askedBy: ask.request, in: db)
            let content = try mail(
                ask.kind, slot, to: ask.recipient, of: account, ask.request, confirming: pending, at: now, in: db)
            return (content, account.user.id)
        case .signIn: return try signInMail(ask, account, at: now, in: db)
        case .emailChange:
            guard let account, let new = account.user.newEmail.flatMap(EmailAddress.init),
                try mayRepeatChange(of: account.user, codesLast: ask.request.lifetime, at: now, in: db),
                try !db.isTaken(new, besides: account.user.id)
            else { return nil }
            let content = try changeMails(
                account, to: new, ask.request, confirmsBoth: ask.confirmsBoth, queuesNew: false, at: now, in: db)
            return (content, account.user.id)
        case .phoneChange: return try phoneChange(ask, account, at: now, in: db)
        }
    }

    /// Repeats the code for the pending change of the account whose present number asked, or whose new number is the
    /// one that asked, as Supabase Auth's clients do.
    private func phoneChange(
        _ ask: MailAsk, _ account: Account?, at now: Instant, in db: any Connection
    ) throws -> (MailContent, UserID)? {
        let changing =
            try account.map { [$0] }
            ?? db.accounts(SignInStore.changingLookup(ask.recipient)).filter { $0.user.newPhone == ask.recipient.text }
        // Several accounts may change to one number: a stranger's must not get the code of another's change.
        guard changing.count == 1, let account = changing.first, account.user.times.deletedAt == nil,
            let phone = account.user.newPhone.flatMap(PhoneNumber.init),
            try accounts.proofs.phoneChangeWaits(of: account.user, at: now, in: db),
            try !db.isTaken(phone, besides: account.user.id)
        else { return nil }
        var request = ask.request
        // A test number's code must not confirm another number.
        if ask.recipient != .phone(phone) { request.fixedCode = nil }
        let content = try mail(
            .textPhoneChange, .phoneChange, to: .phone(phone), of: account, request, at: now, in: db)
        return (content, account.user.id)
    }

    /// Whether the pending change's emails may be repeated. A change without a session, such as an imported one of
    /// unknown origin, ends with its codes.
    private func mayRepeatChange(
        of user: User, codesLast lifetime: Duration, at now: Instant, in db: any Connection
    ) throws -> Bool {
        guard user.addressChangeSession == nil else {
            return try accounts.proofs.addressChangeWaits(of: user, at: now, in: db)
        }
        if let sentAt = user.times.emailChangeSentAt, now < sentAt + lifetime { return true }
        try db.endAddressChange(of: user.id, at: now)
        return false
    }

    private func signInMail(
        _ ask: MailAsk, _ account: Account?, at now: Instant, in db: any Connection
    ) throws -> (MailContent, UserID)? {
        if let account,
            try account.user.confirmedAt(ask.recipient) != nil
                || accounts.codes.isInvited(account.user.id, at: now, in: db)
        {
            let content = try mail(
                ask.kind, ask.recipient.signInSlot, to: ask.recipient, of: account, ask.request, at: now, in: db)
            return (content, account.user.id)
        }
        let (signUp, slot): (MailKind, TokenSlot) = (ask.recipient.signUpKind, ask.recipient.signUpSlot)
        if let account {
            // The code proves the address, but not whose password an earlier sign-up's is.
            try accounts.proofs.noteContest(of: account, in: db)
            let pending = PendingSignUp(passwordHash: nil, data: ask.data)
            let content = try mail(
                signUp, slot, to: ask.recipient, of: account, ask.request,
                confirming: account.isAbandoned && account.user.passwordHash != nil ? pending : nil, at: now, in: db)
            return (content, account.user.id)
        }
        guard ask.createsAccount, try db.accounts(SignInStore.lookup(ask.recipient)).isEmpty else { return nil }
        let made = accounts.signIns.newAccount(
            SignUpRequest(
                ask.recipient, passwordHash: nil, metadata: ask.data, isConfirmed: ask.confirmsAutomatically),
            at: now)
        try accounts.admit(made)
        try db.insert(made.user)
        try db.insert(made.identities[0])
        let entry = AuditEntry(
            .userSignedUp, actor: made.user.id, actorName: ask.recipient.text,
            traits: ["provider": .string(ask.recipient.provider)])
        try accounts.record([entry], at: now, in: db)
        guard ask.confirmsAutomatically else {
            return (try mail(signUp, slot, to: ask.recipient, of: made, ask.request, at: now, in: db), made.user.id)
        }
        let content = try mail(
            ask.kind, ask.recipient.signInSlot, to: ask.recipient, of: made, ask.request, at: now, in: db)
        return (content, made.user.id)
    }

    /// Does not queue the email.
    func mail(
        _ kind: MailKind, _ slot: TokenSlot, to address: Recipient, of account: Account, _ request: MailRequest,
        confirming pending: PendingSignUp? = nil, at now: Instant, in db: any Connection
    ) throws -> MailContent {
        let minted = try accounts.codes.makeToken(
            kind, slot, to: address, of: account.user.id, request, confirming: pending, at: now, in: db)
        try db.note(slot, of: account.user.id, at: now)
        return try content(kind, to: address, of: account.user, minted, request)
    }

    func content(
        _ kind: MailKind, to address: Recipient, of user: User, _ minted: MintedToken?, _ request: MailRequest
    ) throws -> MailContent {
        var content = MailContent(kind: kind, recipient: address, redirectTo: request.redirectTo)
        // A text message has no link: its token shows whether the code is still valid.
        content.linkToken = kind.linkType == nil && kind.lane != .texts ? nil : minted?.link
        content.code = minted?.code
        content.newEmail = user.newEmail
        content.account = user.email
        content.isToConfirmed =
            kind != .accountExists && user.hasOwn(address) && user.confirmedAt(address) != nil
        content.data = try JSONReader.read(user.userMetadata).objectValue ?? [:]
        content.language = request.language
        (content.channel, content.isTest) = (request.channel, request.fixedCode != nil)
        return content
    }

    /// `locale` in the user's metadata.
    package func locale(of link: PendingLink) async throws -> String? {
        let metadata = try await database.row("SELECT user_metadata FROM users WHERE id = \(link.user)") { $0.text() }
        return try metadata.flatMap { try JSONReader.read($0)["locale"]?.stringValue }
    }

    /// - Parameters:
    ///   - confirmsBoth: Whether the current address must confirm.
    ///   - queuesNew: Whether to queue the email to the new address.
    /// - Returns: The email to the new address.
    @discardableResult
    func changeMails(
        _ account: Account, to new: EmailAddress, _ request: MailRequest, confirmsBoth: Bool, queuesNew: Bool = true,
        at now: Instant, in db: any Connection
    ) throws -> MailContent {
        let user = account.user.id
        if !confirmsBoth { try db.voidTokens(of: user, .emailChangeCurrent) }
        let end = now + request.lifetime
        var together: MailContent?
        if confirmsBoth, let current = account.user.email.flatMap(EmailAddress.init) {
            let content = try mail(
                .emailChangeCurrent, .emailChangeCurrent, to: .email(current), of: account, request, at: now, in: db)
            if mailsChangesTogether {
                together = content
            } else {
                try accounts.mailQueue.queue(content, of: user, until: end, at: now, in: db)
            }
        }
        var content = try mail(.emailChangeNew, .emailChangeNew, to: .email(new), of: account, request, at: now, in: db)
        (content.currentCode, content.currentLinkToken) = (together?.code, together?.linkToken)
        if queuesNew { try accounts.mailQueue.queue(content, of: user, until: end, at: now, in: db) }
        return content
    }

    /// - Returns: false if the account is gone or has no address.
    package func mailReauthentication(
        _ user: UserID, _ request: MailRequest, at now: Instant
    ) async throws -> Bool {
        try await database.write { db in
            guard let account = try db.account(user), let recipient = account.user.recipient else { return false }
            let kind: MailKind = recipient.phone == nil ? .reauthentication : .textReauthentication
            let content = try mail(
                kind, .reauthentication, to: recipient, of: account, request, at: now, in: db)
            try accounts.mailQueue.queue(content, of: user, until: now + request.lifetime, at: now, in: db)
            return true
        }
    }
}

extension Recipient {
    fileprivate var signInSlot: TokenSlot { phone == nil ? .recovery : .phoneConfirmation }
    var signUpSlot: TokenSlot { phone == nil ? .confirmation : .phoneConfirmation }
    var signUpKind: MailKind { phone == nil ? .signUp : .textSignUp }
}
