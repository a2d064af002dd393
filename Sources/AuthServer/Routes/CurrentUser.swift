import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import PasswordHashing

extension AuthServer {
    /// `GET /user` → the caller's user.
    @Sendable func showUser(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await userCaller(request)
        return Answer.json { $0.user(caller.account) }
    }

    /// `POST /logout?scope=global|local|others` → 204. Accepts a session that has ended by policy, because it only ends
    /// sessions.
    @Sendable func signOut(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await userCaller(request, mayBeOver: true)
        let name = Query(request)["scope"] ?? SignOutScope.global.rawValue
        guard let scope = SignOutScope(text: name) else {
            throw Refusal.invalid("Unsupported logout scope")
        }
        try await accounts.signOut(
            caller.user.id, name: caller.user.email ?? "", session: caller.session?.id, scope: scope, at: runtime.now())
        return Answer.empty(.noContent)
    }

    /// `PUT /user` with any of `data`, `email`, `password`, `current_password` → the changed user. Checks run in the order
    /// of Supabase Auth.
    @Sendable func updateUser(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await userCaller(request)
        let body = try await request.jsonMembers(context)
        let password = try body.secret("password")
        var update = UserUpdate()
        update.metadata = try body.object("data")
        try checkSize(of: update.metadata)
        update.email = try newEmail(body, of: caller.user)
        if let phone = try body.string("phone"), !phone.isEmpty { try refusePhone(phone) }
        try checkProofKey(body)
        if let password { try checkStrength(of: password, email: update.email?.text ?? caller.user.email) }
        if try body.object("app_metadata") != nil {
            throw Refusal(.forbidden, .notAdmin, "Updating app_metadata requires admin privileges")
        }
        if password != nil, caller.user.isAnonymous, update.email == nil {
            throw Refusal(
                .unprocessableContent, .validationFailed,
                "Updating password of an anonymous user without an email or phone is not allowed")
        }
        let source = source(request, context)
        try await requireProof(body, for: update.email, password, of: caller, source)
        switch try await carryOut(update, password, of: caller, source) {
        case .updated(let account): return updated(account, hasNewPassword: password != nil, request)
        case .emailTaken: throw Refusal.emailTaken
        case .metadataTooLong: throw Refusal.metadataTooLong
        case .gone: throw Refusal(.forbidden, .userNotFound, "User from sub claim in JWT does not exist")
        case .sessionEnded: throw Refusal.sessionExpired
        case .changedMeanwhile:
            throw Refusal(.conflict, .conflict, "The password was changed by another request, please retry.")
        }
    }

    private func updated(_ account: Account, hasNewPassword: Bool, _ request: Request) -> Response {
        var answer = Answer.json { $0.user(account) }
        // The mark that the browser has ended with the last one.
        if hasNewPassword { mark(&answer, of: account.user, for: request) }
        return answer
    }

    private func newEmail(_ body: JSONMembers, of user: User) throws -> EmailAddress? {
        guard let text = try body.string("email"), !text.isEmpty else { return nil }
        guard let email = EmailAddress(text) else {
            throw Refusal.invalid("Unable to validate email address: invalid format")
        }
        if email.text == user.email { return nil }
        guard settings.confirmsAutomatically else {
            throw Refusal(
                .unprocessableContent, .emailProviderDisabled,
                "This server sends no mail, so a new address cannot be confirmed. An administrator can set it.")
        }
        return email
    }

    private func refusePhone(_ phone: String) throws {
        guard PhoneNumber(phone) != nil else {
            throw Refusal.invalid("Invalid phone number format (E.164 required)")
        }
        throw Refusal(.unprocessableContent, .phoneProviderDisabled, "Phone logins are disabled")
    }

    /// Refuses to change the email address or password with a token alone. Depending on the settings, the caller needs
    /// a fresh sign-in or the current password.
    private func requireProof(
        _ body: JSONMembers, for email: EmailAddress?, _ password: Secret?, of caller: UserCaller,
        _ source: HashingSource
    ) async throws {
        guard email != nil || password != nil else { return }
        let isStale = !accounts.policy.isFresh(caller.session, of: caller.user, at: runtime.now())
        let current = try body.secret("current_password").flatMap { $0.isEmpty ? nil : $0 }
        guard let hash = caller.user.passwordHash else {
            if isStale { throw Refusal.freshSignInRequired }
            return
        }
        guard isStale || (password != nil && settings.requiresCurrentPassword) else { return }
        let message = "Current password required when setting new \(password == nil ? "email address" : "password")."
        guard let current else { throw Refusal(.badRequest, .currentPasswordRequired, message) }
        let isRight: Bool? = try await attempt(by: caller) {
            try await check(current, against: hash, for: source).isMatch ? true : nil
        }
        guard isRight == true else { throw Refusal(.badRequest, .currentPasswordInvalid, message) }
    }

    private func carryOut(
        _ update: UserUpdate, _ password: Secret?, of caller: UserCaller, _ source: HashingSource
    ) async throws -> UserUpdateOutcome {
        func change() async throws -> UserUpdateOutcome {
            var update = update
            if let password {
                update.checkedHash = caller.user.passwordHash
                update.passwordHash = try await hashed(password, for: source)
            }
            return try await accounts.update(caller.user.id, update, keeping: caller.session?.id, at: runtime.now())
        }
        guard let password, let hash = caller.user.passwordHash else { return try await change() }
        var result: Result<UserUpdateOutcome, any Error> = .failure(Refusal.samePassword)
        // The response reveals whether the password is the current one, and so does the time that a failing change takes.
        // It counts as a guess, unless the change succeeds: then there is nothing left to guess.
        _ = try await attempt(by: caller) { () -> Bool? in
            guard try await !check(password, against: hash, for: source).isMatch else { return true }
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
    /// A new sign-in with a password or a provider satisfies this.
    static let freshSignInRequired = Refusal(
        .forbidden, .freshSignInRequired, "This change needs a fresh sign-in: sign in again, then repeat it.")
    fileprivate static let samePassword = Refusal(
        .unprocessableContent, .samePassword, "New password should be different from the old password.")
    static let emailTaken = Refusal(
        .unprocessableContent, .emailExists, "A user with this email address has already been registered")
    static let phoneTaken = Refusal(
        .unprocessableContent, .phoneExists, "A user with this phone number has already been registered")
}
