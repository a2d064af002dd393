import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import PasswordHashing

extension UserHandlers {
    @Sendable func showUser(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request, admitsChild: true)
        return Answer.json { $0.user(caller.account) }
    }

    /// Accepts a session that ended by policy. A session without the user's second factor keeps sessions that had it.
    /// With `keep_clients=true`, OAuth clients keep theirs. A child session signs out only itself.
    @Sendable func signOut(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request, mayBeOver: true, admitsChild: true)
        let name = Query(request)["scope"] ?? SignOutScope.global.rawValue
        guard let scope = SignOutScope(text: name) else {
            throw Refusal.invalid("Unsupported logout scope")
        }
        guard scope == .local || caller.session?.child == nil else { throw Refusal.childSession }
        // Any other sign-out ends the caller's session, so it cannot be repeated and must not fail.
        if scope == .others || caller.session == nil {
            try await runtime.take(Limits.signOut, of: caller.limitKey)
        }
        try await accounts.signOut(
            caller.user.id, name: caller.user.name, session: caller.session?.id, level: caller.level,
            scope: scope, keepsClients: Query(request)["keep_clients"] == "true",
            from: try callers.device(request, context), at: runtime.now())
        return Answer.empty(.noContent)
    }

    /// Checks run in the order of Supabase Auth.
    @Sendable func updateUser(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        let body = try await request.jsonMembers(context)
        let password = try body.secret("password")
        var update = UserUpdate(device: try callers.device(request, context))
        update.metadata = try body.object("data")
        try server.signIns.checkSize(of: update.metadata)
        let email = try newEmail(body, of: caller.user)
        if let email, let mail = changeMail(of: caller.user) {
            update.emailChange = EmailChange(
                email: email, mail: try mailAdmission.mailRequest(body, request, mail),
                asksBoth: mail.confirmsBothAddresses)
        } else {
            update.email = email
        }
        let phone = try newPhone(body, of: caller.user)
        try server.identities.checkProofKey(body)
        if let password {
            try await server.signIns.checkStrength(of: password, email: email?.text ?? caller.user.email)
        }
        if try body.object("app_metadata") != nil {
            throw Refusal(.forbidden, .notAdmin, "Updating app_metadata requires admin privileges")
        }
        let changesAddress = email != nil || phone != nil
        try checkCaller(caller, changesAddress: changesAddress, password)
        if let phone { try set(phone, in: &update, body, request) }
        let source = server.signIns.source(request, context)
        update.reauthentication = try await requireProof(
            body, changesAddress: changesAddress, password, of: caller, source)
        if let change = update.phoneChange, try await !admit(change, of: caller, request, context) {
            throw Refusal.phoneTaken
        }
        let account = try updated(try await carryOut(update, password, of: caller, source))
        if update.emailChange != nil { mailer?.ring(.codes) }
        if update.phoneChange != nil { server.texter?.ring(.texts) }
        return answer(account, hasNewPassword: password != nil, request)
    }

    private func updated(_ outcome: UserUpdateOutcome) throws -> Account {
        switch outcome {
        case .updated(let account): return account
        case .emailTaken: throw Refusal.emailTaken
        case .phoneTaken: throw Refusal.phoneTaken
        case .metadataTooLong: throw server.signIns.metadataTooLong
        case .gone: throw Refusal(.forbidden, .userNotFound, "User from sub claim in JWT does not exist")
        case .sessionEnded: throw Refusal.sessionExpired
        case .changedMeanwhile:
            throw Refusal(.conflict, .conflict, "The password was changed by another request, please retry.")
        case .codeSpent: throw Refusal.codeNotValid
        }
    }

    /// Refuses a session without the user's second factor, and a password without an address.
    private func checkCaller(_ caller: UserCaller, changesAddress: Bool, _ password: Secret?) throws {
        if changesAddress || password?.isEmpty == false {
            try callers.requireHighLevel(
                caller, "AAL2 session is required to update email or password when MFA is enabled.",
                status: .unauthorized)
        }
        if password != nil, caller.user.isAnonymous, !changesAddress {
            throw Refusal(
                .unprocessableContent, .validationFailed,
                "Updating password of an anonymous user without an email or phone is not allowed")
        }
    }

    /// nil unless a change of address needs emailed codes.
    private func changeMail(of user: User) -> MailRules? {
        guard mailer != nil else { return nil }
        return user.isAnonymous && settings.confirmsAutomatically ? nil : settings.mail
    }

    private func answer(_ account: Account, hasNewPassword: Bool, _ request: Request) -> Response {
        var answer = Answer.json { $0.user(account) }
        // The browser's previous mark has expired with the old password.
        if hasNewPassword { server.mark(&answer, of: account.user, for: request) }
        return answer
    }

    private func newEmail(_ body: JSONMembers, of user: User) throws -> EmailAddress? {
        guard let text = try body.string("email"), !text.isEmpty else { return nil }
        guard let email = EmailAddress(text) else {
            throw Refusal.invalid("Unable to validate email address: invalid format")
        }
        if email.text == user.email { return nil }
        guard settings.confirmsAutomatically || changeMail(of: user) != nil else {
            throw Refusal(
                .unprocessableContent, .emailProviderDisabled,
                "This server sends no mail, so a new address cannot be confirmed. An administrator can set it.")
        }
        return email
    }

    /// A token alone cannot change address or password: the settings ask for a recent sign-in or the current password.
    /// Always refuses a wrong password.
    ///
    /// - Returns: The emailed code that replaces them, if sent.
    private func requireProof(
        _ body: JSONMembers, changesAddress: Bool, _ password: Secret?, of caller: UserCaller,
        _ source: HashingSource
    ) async throws -> MailedReauthentication? {
        guard changesAddress || password != nil else { return nil }
        let change: SensitiveChange = password == nil ? .changeAddress : .changePassword
        let isStale = accounts.policy.needsProof(
            change, by: caller.user, in: caller.session, at: runtime.now())
        let current = try body.secret("current_password").flatMap { $0.isEmpty ? nil : $0 }
        let asksForCode = try needsReauthentication(caller, password)
        let needsCurrent = password != nil && settings.requiresCurrentPassword && !provedAddress(caller)
        if isStale || asksForCode || needsCurrent, let code = try await code(body, of: caller) { return code }
        if asksForCode {
            throw Refusal(.badRequest, .reauthenticationNeeded, "Password update requires reauthentication")
        }
        guard let hash = caller.user.passwordHash else {
            if isStale { throw Refusal.freshSignInRequired }
            return nil
        }
        guard isStale || needsCurrent || current != nil else { return nil }
        let message = "Current password required when setting new \(password == nil ? "email address" : "password")."
        guard let current else { throw Refusal(.badRequest, .currentPasswordRequired, message) }
        let isRight: Bool? = try await server.attempt(by: caller) {
            try await server.signIns.check(current, against: hash, for: source).isMatch ? true : nil
        }
        guard isRight == true else { throw Refusal(.badRequest, .currentPasswordInvalid, message) }
        return nil
    }

    /// A recent sign-in with an emailed code replaces the current password.
    private func provedAddress(_ caller: UserCaller) -> Bool {
        guard let entries = caller.session?.authenticationMethods else { return false }
        return AuthenticationMethod.provesAddress(entries, at: runtime.now())
    }

    private func needsReauthentication(_ caller: UserCaller, _ password: Secret?) throws -> Bool {
        let isRequired =
            mailer != nil && settings.mail?.requiresReauthentication == true
            || server.texter != nil && settings.texts?.requiresReauthentication == true
        guard password != nil, isRequired else { return false }
        guard let session = caller.session else { return true }
        let now = runtime.now()
        return NodeClocks.isAhead(session.createdAt, at: now) || now > session.createdAt + .seconds(86_400)
    }

    /// The code of `GET /reauthenticate`, which only the change spends.
    ///
    /// - Throws: ``Refusal`` `reauthentication_not_valid`.
    private func code(_ body: JSONMembers, of caller: UserCaller) async throws -> MailedReauthentication? {
        guard let nonce = try body.secret("nonce"), !nonce.isEmpty, mailer != nil || server.texter != nil else {
            return nil
        }
        let code = try await server.attempt(by: caller) {
            var isApproved = false
            if case .phone(let phone) = caller.user.recipient,
                try await accounts.codes.waits(for: [.reauthentication], sentTo: .phone(phone), at: runtime.now())
            {
                isApproved = try await texts.approves(nonce, of: phone)
            }
            return try await accounts.codes.reauthentication(
                nonce, of: caller.user, isApproved: isApproved, at: runtime.now())
        }
        guard let code else { throw Refusal.codeNotValid }
        return code
    }

    private func carryOut(
        _ update: UserUpdate, _ password: Secret?, of caller: UserCaller, _ source: HashingSource
    ) async throws -> UserUpdateOutcome {
        func change() async throws -> UserUpdateOutcome {
            var update = update
            if let password {
                update.checkedHash = caller.user.passwordHash
                update.passwordHash = try await server.signIns.hashed(password, for: source)
            }
            if let change = update.emailChange {
                // No mail follows, so the user need not wait to correct the address.
                if try await accounts.isTaken(change.email, besides: caller.user.id) { return .emailTaken }
                try await mailAdmission.admitMail(.emailChangeNew, in: MailBudget.ofMails, to: caller.user.id.text)
            }
            return try await accounts.update(caller.user.id, update, keeping: caller.session?.id, at: runtime.now())
        }
        guard let password, let hash = caller.user.passwordHash else { return try await change() }
        var result: Result<UserUpdateOutcome, any Error> = .failure(Refusal.samePassword)
        // Response and timing reveal the current password, so this counts as a guess unless the change succeeds.
        _ = try await server.attempt(by: caller) { () -> Bool? in
            guard try await !server.signIns.check(password, against: hash, for: source).isMatch else { return true }
            do {
                result = .success(try await change())
            } catch {
                result = .failure(error)
            }
            if case .success(.updated) = result { return true }
            return nil
        }
        return try result.get()
    }
}

extension Refusal {
    /// A new sign-in with a password or provider satisfies this.
    static let freshSignInRequired = Refusal(
        .forbidden, .freshSignInRequired, "This change needs a fresh sign-in: sign in again, then repeat it.")
    fileprivate static let codeNotValid = Refusal(
        .unprocessableContent, .reauthenticationNotValid, "Nonce has expired or is invalid")
    fileprivate static let samePassword = Refusal(
        .unprocessableContent, .samePassword, "New password should be different from the old password.")
    static let emailTaken = Refusal(
        .unprocessableContent, .emailExists, "A user with this email address has already been registered")
    static let phoneTaken = Refusal(
        .unprocessableContent, .phoneExists, "A user with this phone number has already been registered")
}
