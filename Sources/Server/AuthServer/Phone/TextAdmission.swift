import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

struct TextAdmission: AuthPart {
    let server: AuthServer

    /// - Parameter sends: Whether the request needs a message.
    /// - Throws: ``Refusal`` `phone_provider_disabled` with this status unless numbers can sign in.
    func requirePhone(
        or status: HTTPResponse.Status, _ message: String, sends: Bool = true
    ) throws -> TextRules {
        guard settings.allowsPhone, let rules = settings.texts,
            server.texter != nil || !sends || rules.confirmsAutomatically
        else { throw Refusal(status, .phoneProviderDisabled, message) }
        return rules
    }

    /// - Throws: ``Refusal`` `validation_failed` for an unknown channel, and those of ``requireCountry(of:)``.
    func message(
        to phone: PhoneNumber, _ body: JSONMembers, _ request: Request, _ rules: TextRules
    ) throws -> MailRequest {
        let channel = try body.string("channel") ?? ""
        guard let channel = channel.isEmpty ? .sms : TextChannel(text: channel) else {
            throw Refusal.invalid("Invalid channel, supported values are 'sms' or 'whatsapp'")
        }
        guard channel == .sms || rules.sendsWhatsApp else {
            throw Refusal.invalid("Channel whatsapp is not available on this server")
        }
        var message = MailRequest(redirectTo: "", lifetime: rules.codeLifetime)
        message.channel = channel
        message.language = request.headers[.acceptLanguage].map { $0.cut(to: 256) }
        message.fixedCode = rules.testCode(of: phone, at: runtime.now())
        try requireCountry(of: phone)
        return message
    }

    /// - Throws: ``Refusal`` `sms_send_failed` for a number of a country that gets no messages.
    func requireCountry(of phone: PhoneNumber) throws {
        guard let rules = settings.texts, rules.testCode(of: phone, at: runtime.now()) == nil,
            rules.place(of: phone) == nil
        else { return }
        throw Refusal(
            .unprocessableContent, .smsSendFailed, "This server sends no messages to numbers of this country.")
    }

    /// Limits requests by client and number, with or without an account. ``MailDelivery`` limits messages.
    ///
    /// - Parameters:
    ///   - purpose: Purposes have separate intervals.
    ///   - key: The number, or the account.
    /// - Throws: ``Refusal`` 429 `over_sms_send_rate_limit`.
    func admit(
        _ message: MailRequest, _ purpose: String, key: String, in budgets: [MailBudget],
        _ rules: TextRules, _ request: Request, _ context: ServerContext
    ) async throws {
        // A test number costs nothing.
        guard message.fixedCode == nil else { return }
        try requireRoom(in: budgets, rules)
        // Before the interval, which a refused client must not begin for the number's owner.
        if runtime.limiter != nil { try await runtime.take(Limits.textShare, request, context) }
        try enforce(await interval(purpose, key))
    }

    /// A sign-up's message. Without an error, false means that the number just got a code: this sign-up repeats an
    /// earlier one or competes with it.
    func admitsSignUp(
        _ phone: PhoneNumber, _ message: MailRequest, _ rules: TextRules, _ request: Request, _ context: ServerContext
    ) async throws -> Bool {
        guard message.fixedCode == nil else { return true }
        try requireRoom(in: [.textsOthers], rules)
        if runtime.limiter != nil { try await runtime.take(Limits.textShare, request, context) }
        guard try await interval(Self.codePurpose, phone.text) == .allowed else { return false }
        // The repeated message has to wait for the first.
        _ = try await interval(Self.repeatPurpose, phone.text)
        return true
    }

    static let codePurpose = "code"
    /// It may send nothing, and must not delay a sign-in.
    static let repeatPurpose = "again"

    private func interval(_ purpose: String, _ key: String) async throws -> RateLimiter.Decision {
        guard let interval = server.texter?.interval else { return .allowed }
        let key = "\(purpose) \(Base64URL.text(TokenDigest.of(Secret(key))))"
        return try await interval.take(Mailer.textIntervalBucket, key: key, at: runtime.now())
    }

    /// Refuses a message whose code would expire first. All users share the budgets, so this reveals nothing about an
    /// account.
    private func requireRoom(in budgets: [MailBudget], _ rules: TextRules) throws {
        guard let texter = server.texter, let limiter = runtime.limiter else { return }
        let expiresAt = runtime.now() + rules.codeLifetime
        for budget in budgets {
            guard let spacing = limiter.spacing(of: budget.bucket) else {
                throw Refusal(.tooManyRequests, .overSMSSendRateLimit, "SMS rate limit exceeded")
            }
            guard let last = texter.backlog.lastWaiting(for: budget), last + spacing > expiresAt else { continue }
            try enforce(.refused(retryAfter: last + spacing - expiresAt, bucket: budget.bucket))
        }
    }

    /// Asks a provider that generates the codes. Call only for a number that waits for a code.
    ///
    /// - Returns: false also for this server's codes: compare them.
    func approves(_ code: Secret, of phone: PhoneNumber) async throws -> Bool {
        guard let check = server.texter?.checkCode, settings.texts?.testCode(of: phone, at: runtime.now()) == nil else {
            return false
        }
        switch try await check(phone, code) {
        case .right: return true
        case .wrong: return false
        case .failed:
            counts.texts.increment("check", "failed")
            throw Refusal(.serviceUnavailable, .smsSendFailed, "The code could not be checked. Please try again.")
        }
    }

    private func enforce(_ decision: RateLimiter.Decision) throws {
        guard case .refused(let wait, let bucket) = decision else { return }
        counts.texts.increment("none", "limited")
        let headers = Refusal.tooManyRequests(retryAfter: wait, bucket: bucket).headers
        throw Refusal(
            .tooManyRequests, .overSMSSendRateLimit,
            "For security purposes, you can only request this after \(headers[.retryAfter] ?? "some") seconds.",
            headers: headers)
    }
}
