import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import PasswordHashing

extension SignInHandlers {
    /// A session, or the user if the address must be confirmed first. Anonymous without email and phone. Checks run in
    /// the order of Supabase Auth.
    @Sendable func signUp(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        let email = try body.string("email") ?? ""
        let phone = try body.string("phone") ?? ""
        let password = try body.secret("password") ?? Secret("")
        let metadata = try body.object("data") ?? [:]
        guard !email.isEmpty || !phone.isEmpty else {
            return try await signUpAnonymously(metadata, body, request, context)
        }
        let form = SignUpForm(email: email, phone: phone, password: password, metadata: metadata)
        // With auto-confirm the response itself reveals whether the address was taken.
        guard !settings.confirmsAutomatically else { return try await signUp(body, form, request, context) }
        return try await server.inUniformTime { try await signUp(body, form, request, context) }
    }

    private struct SignUpForm {
        let email: String
        let phone: String
        let password: Secret
        let metadata: AuthJSONObject
    }

    private func signUpAnonymously(
        _ metadata: AuthJSONObject, _ body: JSONMembers, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        guard settings.allowsAnonymousSignIn else {
            throw Refusal(.unprocessableContent, .anonymousProviderDisabled, "Anonymous sign-ins are disabled")
        }
        try await runtime.take(Limits.anonymousSignUp, request, context)
        try await server.requireCaptcha(body, request, context)
        try requireSignUps()
        try server.identities.checkProofKey(body)
        try checkSize(of: metadata)
        let device = try callers.sessionDevice(request, context)
        let issued = try await server.tokens.issuing(to: device) {
            try await $0.signIns.signUpAnonymously(metadata: metadata.filter { !$0.value.isNull }, from: device, at: $1)
        }
        counts.signIns.increment("anonymous", "signed_up")
        return try await server.tokens.answer(issued, to: device)
    }

    private func signUp(
        _ body: JSONMembers, _ form: SignUpForm, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        try await runtime.take(Limits.signUp, request, context)
        try await server.requireCaptcha(body, request, context)
        try requireSignUps()
        guard !form.password.isEmpty else { throw Refusal.invalid("Signup requires a valid password") }
        try await checkStrength(of: form.password, email: form.email)
        guard form.email.isEmpty || form.phone.isEmpty else {
            throw Refusal.invalid("Only an email address or phone number should be provided on signup.")
        }
        try server.identities.checkProofKey(body)
        guard form.phone.isEmpty else {
            return try await signUpByPhone(form.phone, form.password, form.metadata, body, request, context)
        }
        guard settings.allowsEmail else {
            throw Refusal(.badRequest, .emailProviderDisabled, "Email signups are disabled")
        }
        guard let email = EmailAddress(form.email) else {
            throw Refusal.invalid("Unable to validate email address: invalid format")
        }
        try checkSize(of: form.metadata)
        let cookie = mailAdmission.mailCookie(request)
        var asked: MailRequest?
        if let mail = settings.mail, mailer != nil, !settings.confirmsAutomatically {
            asked = try mailAdmission.mailRequest(body, request, mail, in: cookie)
        }
        let hash = try await signUpHash(form.password, of: email, for: source(request, context))
        var signUp = SignUpRequest(
            email: email, passwordHash: hash, metadata: form.metadata, isConfirmed: settings.confirmsAutomatically)
        signUp.mail = asked
        // After the hash: a full queue refuses it, and the retry must not wait for the interval.
        if asked != nil { signUp.isWithinInterval = try await !admitsSignUpMail(signUp, request, context) }
        var response = try await answer(to: signUp, from: try callers.sessionDevice(request, context))
        guard let asked else { return response }
        for lane in MailLane.allCases { mailer?.ring(lane) }
        mailAdmission.keep(cookie, in: &response, for: asked.lifetime)
        return response
    }

    /// With confirmations, the salt lets the store recognize a repeated sign-up.
    private func signUpHash(
        _ password: Secret, of email: EmailAddress, for source: HashingSource
    ) async throws -> Secret {
        let salt = settings.confirmsAutomatically ? nil : accounts.secrets.signUpSalt(of: .email(email))
        return try await hashed(password, salt: salt, for: source)
    }

    /// If false, this sign-up repeats an earlier one or competes with it, even if other limits refuse it: the earlier
    /// mail may be a stranger's. The response is the same for every address.
    private func admitsSignUpMail(
        _ signUp: SignUpRequest, _ request: Request, _ context: ServerContext
    ) async throws -> Bool {
        do {
            try await mailAdmission.takeMailShare(request, context)
            try mailAdmission.requireRoom(in: [.others])
        } catch let refusal as Refusal {
            try await accounts.signIns.noteRefusedSignUp(signUp, at: runtime.now())
            throw refusal
        }
        return try await mailAdmission.admitsInterval(.confirmation, to: signUp.address.text)
    }

    func answer(to signUp: SignUpRequest, from device: Device) async throws -> Response {
        // For every address, so that the question does not reveal accounts.
        let admitting = try await server.admitted(accounts.signIns.newAccount(signUp, at: runtime.now()), from: device)
        let outcome = try await server.tokens.issuing(to: device, by: admitting) {
            try await $0.signIns.signUp(signUp, from: device, at: $1)
        }
        switch outcome {
        case .signedIn(let issued):
            counts.signIns.increment("password", "signed_up")
            return try await server.tokens.answer(issued, to: device)
        case .waits(let account):
            counts.signIns.increment("password", "waits_for_confirmation")
            return Answer.json { $0.user(account) }
        case .waitsAlready where !signUp.isConfirmed:
            counts.signIns.increment("password", "waits_for_confirmation")
            return decoy(signUp)
        case .waitsAlready, .taken:
            counts.signIns.increment("password", "address_taken")
            guard signUp.isConfirmed else { return decoy(signUp) }
            throw Refusal(.unprocessableContent, .userAlreadyExists, "User already registered")
        }
    }

    /// Hides that the address has an account, and what it contains.
    private func decoy(_ signUp: SignUpRequest) -> Response {
        let decoy = accounts.signIns.decoy(for: signUp, at: runtime.now())
        return Answer.json { $0.user(decoy) }
    }

    func requireSignUps() throws {
        guard settings.allowsSignUp else {
            throw Refusal(.unprocessableContent, .signupDisabled, "Signups not allowed for this instance")
        }
    }
}
