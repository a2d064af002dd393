import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

// As for email, every request stores one row, so neither response nor timing reveals whether an account exists.
extension MailHandlers {
    /// `POST /otp` with a number. Signs in or up.
    func textCode(
        _ number: String, createsAccount: Bool, _ body: JSONMembers, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let rules = try texts.requirePhone(or: .badRequest, "Unsupported phone provider")
        let phone = try PhoneNumber(checking: number)
        let data = try body.object("data") ?? [:]
        try server.signIns.checkSize(of: data)
        return try await ask(.signIn, phone, [.textsConfirmed], rules, body, request, context) { ask in
            ask.createsAccount = createsAccount && settings.allowsSignUp
            ask.confirmsAutomatically = rules.confirmsAutomatically
            ask.data = data
        }
    }

    /// `POST /resend` of the types `sms` and `phone_change`.
    func resendText(
        _ type: String, _ number: String, _ body: JSONMembers, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let rules = try texts.requirePhone(or: .badRequest, "Phone logins are disabled")
        let phone = try PhoneNumber(checking: number)
        return type == "sms"
            ? try await ask(.signUp, phone, [.textsOthers], rules, body, request, context)
            : try await ask(.phoneChange, phone, MailBudget.ofTexts, rules, body, request, context)
    }

    private func ask(
        _ purpose: MailAsk.Purpose, _ phone: PhoneNumber, _ budgets: [MailBudget], _ rules: TextRules,
        _ body: JSONMembers, _ request: Request, _ context: ServerContext, _ change: (inout MailAsk) -> Void = { _ in }
    ) async throws -> Response {
        var ask = MailAsk(purpose, .phone(phone), try texts.message(to: phone, body, request, rules))
        change(&ask)
        guard server.texter != nil else {
            throw Refusal(.badRequest, .phoneProviderDisabled, "This server sends no messages")
        }
        let interval =
            switch purpose {
            case .signIn: TextAdmission.codePurpose
            case .phoneChange: "again \(purpose.rawValue)"
            case .signUp, .recovery, .emailChange: TextAdmission.repeatPurpose
            }
        try await texts.admit(ask.request, interval, key: phone.text, in: budgets, rules, request, context)
        try await accounts.mails.ask(ask, at: runtime.now())
        server.texter?.ring(.texts)
        return Answer.json(Array("{}".utf8))
    }

    /// Texts the `nonce` for `PUT /user` to an account without an email address.
    func textReauthentication(
        _ caller: UserCaller, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        guard let phone = caller.user.phone.flatMap(PhoneNumber.init) else {
            throw Refusal.invalid("Reauthentication requires the user to have an email or a phone number")
        }
        let rules = try texts.requirePhone(or: .badRequest, "Phone logins are disabled")
        guard caller.user.times.phoneConfirmedAt != nil else {
            throw Refusal(.unprocessableContent, .phoneNotConfirmed, "Please verify your phone first.")
        }
        let message = try texts.message(to: phone, JSONMembers([:]), request, rules)
        try await texts.admit(
            message, "reauthentication", key: caller.user.id.text, in: [.textsConfirmed], rules, request, context)
        _ = try await accounts.mails.mailReauthentication(caller.user.id, message, at: runtime.now())
        server.texter?.ring(.texts)
        return Answer.json(Array("{}".utf8))
    }

    /// nil for a type without texted codes.
    static func textedSlots(_ type: String) -> [TokenSlot]? {
        switch type {
        case "sms": [.phoneConfirmation]
        case "phone_change": [.phoneChange]
        default: nil
        }
    }
}

extension SignInHandlers {
    /// `POST /signup` with a number and a checked password.
    func signUpByPhone(
        _ number: String, _ password: Secret, _ metadata: AuthJSONObject, _ body: JSONMembers, _ request: Request,
        _ context: ServerContext
    ) async throws -> Response {
        let rules = try texts.requirePhone(or: .badRequest, "Phone signups are disabled")
        guard try (body.string("code_challenge") ?? "").isEmpty else {
            throw Refusal.invalid("PKCE not supported for phone signups")
        }
        let phone = try PhoneNumber(checking: number)
        try checkSize(of: metadata)
        let message = try texts.message(to: phone, body, request, rules)
        let salt = rules.confirmsAutomatically ? nil : accounts.secrets.signUpSalt(of: .phone(phone))
        let hash = try await hashed(password, salt: salt, for: source(request, context))
        var signUp = SignUpRequest(
            .phone(phone), passwordHash: hash, metadata: metadata, isConfirmed: rules.confirmsAutomatically)
        guard !rules.confirmsAutomatically else {
            return try await answer(to: signUp, from: try callers.sessionDevice(request, context))
        }
        signUp.mail = message
        do {
            signUp.isWithinInterval = try await !texts.admitsSignUp(phone, message, rules, request, context)
        } catch let refusal as Refusal {
            // This sign-up competes with an earlier one even if a limit refuses its message.
            try await accounts.signIns.noteRefusedSignUp(signUp, at: runtime.now())
            throw refusal
        }
        let response = try await answer(to: signUp, from: try callers.sessionDevice(request, context))
        server.texter?.ring(.texts)
        return response
    }
}

extension UserHandlers {
    /// - Returns: nil if the body has no other number than the account's.
    func newPhone(_ body: JSONMembers, of user: User) throws -> PhoneNumber? {
        guard let text = try body.string("phone"), !text.isEmpty else { return nil }
        let phone = try PhoneNumber(checking: text)
        return phone.text == user.phone ? nil : phone
    }

    /// - Throws: ``Refusal`` `phone_provider_disabled`, and those of ``TextAdmission/message(to:_:_:_:)``.
    func set(_ phone: PhoneNumber, in update: inout UserUpdate, _ body: JSONMembers, _ request: Request) throws {
        let rules = try texts.requirePhone(or: .unprocessableContent, "Phone logins are disabled")
        if rules.confirmsAutomatically {
            update.phone = phone
        } else {
            update.phoneChange = PhoneChange(phone: phone, message: try texts.message(to: phone, body, request, rules))
        }
    }

    /// No message follows a taken number, so the user need not wait to correct it.
    func admit(
        _ change: PhoneChange, of caller: UserCaller, _ request: Request, _ context: ServerContext
    ) async throws -> Bool {
        let rules = try texts.requirePhone(or: .unprocessableContent, "Phone logins are disabled")
        if try await accounts.isConfirmed(change.phone, besides: caller.user.id) { return false }
        try await texts.admit(
            change.message, "change", key: caller.user.id.text, in: MailBudget.ofTexts, rules, request,
            context)
        return true
    }
}
