import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

// Every request stores one row, so neither response nor timing reveals whether an account exists.
extension MailHandlers {
    @Sendable func recover(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (mail, _) = try mailAdmission.requireMail(or: .badRequest)
        let body = try await request.jsonMembers(context)
        try await server.requireCaptcha(body, request, context)
        guard let text = try body.string("email"), !text.isEmpty else {
            throw Refusal.invalid("Password recovery requires an email")
        }
        return try await ask(
            .recovery, try EmailAddress(checking: text), .recovery, body, request, context, mail
        ) { _ in }
    }

    /// `POST /otp`. Unlike Supabase Auth, also succeeds for addresses without an account if `create_user` is false.
    @Sendable func sendOneTimeCode(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        try await server.requireCaptcha(body, request, context)
        let (email, phone) = (try body.string("email") ?? "", try body.string("phone") ?? "")
        guard email.isEmpty != phone.isEmpty else {
            throw Refusal.invalid("Only an email address or phone number should be provided")
        }
        let createsAccount = try body.bool("create_user") ?? true
        guard phone.isEmpty else {
            return try await textCode(phone, createsAccount: createsAccount, body, request, context)
        }
        let (mail, _) = try mailAdmission.requireMail(or: .unprocessableContent)
        if let channel = try body.string("channel"), !channel.isEmpty {
            throw Refusal.invalid("Channel should only be specified with Phone OTP")
        }
        guard createsAccount || EmailAddress(email) != nil else {
            throw Refusal(.unprocessableContent, .otpDisabled, "Signups not allowed for otp")
        }
        return try await askToSignIn(email, createsAccount: createsAccount, body, request, context, mail)
    }

    /// The older form of `/otp`.
    @Sendable func sendMagicLink(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (mail, _) = try mailAdmission.requireMail(or: .unprocessableContent)
        let body = try await request.jsonMembers(context)
        try await server.requireCaptcha(body, request, context)
        guard let email = try body.string("email"), !email.isEmpty else {
            throw Refusal(.unprocessableContent, .validationFailed, "Password recovery requires an email")
        }
        return try await askToSignIn(email, createsAccount: true, body, request, context, mail)
    }

    private func askToSignIn(
        _ email: String, createsAccount: Bool, _ body: JSONMembers, _ request: Request, _ context: ServerContext,
        _ mail: MailRules
    ) async throws -> Response {
        let email = try EmailAddress(checking: email)
        let data = try body.object("data") ?? [:]
        try server.signIns.checkSize(of: data)
        return try await ask(.signIn, email, .recovery, body, request, context, mail) { ask in
            ask.createsAccount = createsAccount && settings.allowsSignUp
            ask.confirmsAutomatically = settings.confirmsAutomatically
            ask.data = data
        }
    }

    @Sendable func resend(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        try await server.requireCaptcha(body, request, context)
        let (email, phone) = (try body.string("email") ?? "", try body.string("phone") ?? "")
        let type = try body.string("type") ?? ""
        guard ["signup", "email_change", "sms", "phone_change"].contains(type) else {
            throw Refusal.invalid("Missing one of these types: signup, email_change, sms, phone_change")
        }
        guard email.isEmpty || phone.isEmpty else {
            throw Refusal.invalid("Only an email address or phone number should be provided.")
        }
        let isOfPhone = type == "sms" || type == "phone_change"
        guard !(isOfPhone ? phone : email).isEmpty else {
            throw Refusal.invalid("Type provided requires \(isOfPhone ? "a phone number" : "an email address")")
        }
        guard !isOfPhone else { return try await resendText(type, phone, body, request, context) }
        let (mail, _) = try mailAdmission.requireMail(or: .badRequest)
        let (purpose, slot): (MailAsk.Purpose, TokenSlot) =
            type == "signup" ? (.signUp, .confirmation) : (.emailChange, .emailChangeNew)
        return try await ask(purpose, try EmailAddress(checking: email), slot, body, request, context, mail) { ask in
            ask.confirmsBoth = mail.confirmsBothAddresses
        }
    }

    private func ask(
        _ purpose: MailAsk.Purpose, _ email: EmailAddress, _ slot: TokenSlot, _ body: JSONMembers,
        _ request: Request, _ context: ServerContext, _ mail: MailRules, _ change: (inout MailAsk) -> Void
    ) async throws -> Response {
        let cookie = mailAdmission.mailCookie(request)
        var ask = MailAsk(purpose, .email(email), try mailAdmission.mailRequest(body, request, mail, in: cookie))
        change(&ask)
        try await mailAdmission.takeMailShare(request, context)
        let budgets: [MailBudget] =
            switch purpose {
            case .recovery, .signIn: [.confirmed]
            case .signUp: [.others]
            case .emailChange, .phoneChange: MailBudget.ofMails
            }
        try await mailAdmission.admitMail(
            slot, isRepeated: purpose == .signUp || purpose == .emailChange, in: budgets, to: email.text)
        try await accounts.mails.ask(ask, at: runtime.now())
        mailer?.ring(.codes)
        var response = Answer.json(Array("{}".utf8))
        mailAdmission.keep(cookie, in: &response, for: mail.codeLifetime)
        return response
    }

    /// Emails the `nonce` for `PUT /user`.
    @Sendable func reauthenticate(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        guard caller.user.email != nil else { return try await textReauthentication(caller, request, context) }
        let (mail, mailer) = try mailAdmission.requireMail(or: .badRequest)
        guard caller.user.times.emailConfirmedAt != nil else {
            throw Refusal(.unprocessableContent, .emailNotConfirmed, "Please verify your email first.")
        }
        try await mailAdmission.admitMail(.reauthentication, in: [.confirmed], to: caller.user.id.text)
        let asked = try mailAdmission.mailRequest(JSONMembers([:]), request, mail)
        _ = try await accounts.mails.mailReauthentication(caller.user.id, asked, at: runtime.now())
        mailer.ring(.codes)
        return Answer.json(Array("{}".utf8))
    }
}

extension HTTPField.Name {
    static let redirectTo = Self("redirect_to")!
}
