import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension MailAdmission {
    /// - Throws: ``Refusal`` `email_provider_disabled` with this status if the server sends no mail.
    func requireMail(or status: HTTPResponse.Status) throws -> (mail: MailRules, mailer: Mailer) {
        guard let mail = settings.mail, let mailer, settings.allowsEmail else {
            throw Refusal(status, .emailProviderDisabled, "This server sends no mail")
        }
        return (mail, mailer)
    }

    /// One client gets a share of the hourly budget, whether or not mails are sent. Automatic confirmation has no
    /// budget.
    ///
    /// - Throws: ``Refusal`` 429 `over_request_rate_limit`.
    func takeMailShare(_ request: Request, _ context: ServerContext) async throws {
        guard !settings.confirmsAutomatically else { return }
        try await runtime.take(Limits.mailShare, request, context)
    }

    /// Limits mails by address, with or without an account, and while a budget's mails wait longer than a code is
    /// valid.
    ///
    /// - Parameters:
    ///   - slot: Purposes are counted separately.
    ///   - isRepeated: Counted separately, so that repeated mails block no sign-up. A sign-up's mail still delays the
    ///     repeated one.
    ///   - key: The address, or the account.
    /// - Throws: ``Refusal`` 429 `over_email_send_rate_limit`.
    func admitMail(
        _ slot: TokenSlot, isRepeated: Bool = false, in budgets: [MailBudget], to key: String
    ) async throws {
        try requireRoom(in: budgets)
        guard case .refused(let wait, let bucket) = try await interval(slot, isRepeated: isRepeated, to: key) else {
            return
        }
        let headers = Refusal.tooManyRequests(retryAfter: wait, bucket: bucket).headers
        throw Refusal(
            .tooManyRequests, .overEmailSendRateLimit,
            "For security purposes, you can only request this after \(headers[.retryAfter] ?? "some") seconds.",
            headers: headers)
    }

    /// Whether the interval since the last mail has passed. If so, the next one begins.
    func admitsInterval(_ slot: TokenSlot, to key: String) async throws -> Bool {
        try await interval(slot, isRepeated: false, to: key) == .allowed
    }

    private func interval(
        _ slot: TokenSlot, isRepeated: Bool, to key: String
    ) async throws -> RateLimiter.Decision {
        let decision = try await takeInterval(slot, isRepeated: isRepeated, key)
        if decision == .allowed, !isRepeated, slot == .confirmation {
            _ = try await takeInterval(slot, isRepeated: true, key)
        }
        return decision
    }

    private func takeInterval(
        _ slot: TokenSlot, isRepeated: Bool, _ key: String
    ) async throws -> RateLimiter.Decision {
        guard let interval = mailer?.interval else { return .allowed }
        let purpose = isRepeated ? "again \(slot.rawValue)" : slot.rawValue
        return try await interval.take(
            Mailer.intervalBucket, key: "\(purpose) \(Base64URL.text(TokenDigest.of(Secret(key))))",
            at: runtime.now())
    }

    func mailRequest(
        _ body: JSONMembers, _ request: Request, _ mail: MailRules, in browser: BrowserCookie? = nil
    ) throws -> MailRequest {
        var made = MailRequest(redirectTo: redirectTarget(request), lifetime: mail.codeLifetime)
        made.proofKey = try server.identities.proofKey(body)
        made.browser = browser.map { TokenDigest.of($0.secret) }
        made.language = request.headers[.acceptLanguage].map { $0.cut(to: 256) }
        return made
    }

    /// Only for pages of our own origins: apps hold a PKCE verifier instead.
    func mailCookie(_ request: Request) -> BrowserCookie? {
        guard request.isOfPage(of: [settings.externalURL, settings.redirects.siteURL]) else { return nil }
        return BrowserCookie(request, isSecure: server.identities.isSecure)
            ?? BrowserCookie(randomBytes: accounts.randomBytes)
    }

    func keep(_ cookie: BrowserCookie?, in response: inout Response, for lifetime: Duration) {
        guard let cookie else { return }
        response.headers.append(
            cookie.field(isSecure: server.identities.isSecure, lifetime: Int(lifetime.components.seconds)))
    }

    /// The first allowed of header, query and `Referer`, else the site. At most 1,024 bytes, to fit encoded into a
    /// link.
    func redirectTarget(_ request: Request, or other: String? = nil) -> String {
        func short(_ text: String?) -> String? { text.flatMap { $0.utf8.count <= 1_024 ? $0 : nil } }
        return settings.redirects.target(
            short(other), short(request.headers[.redirectTo]), short(Query(request)["redirect_to"]),
            short(request.headers[.referer]))
    }
}

extension PhoneNumber {
    init(checking text: String) throws {
        guard let phone = PhoneNumber(text) else {
            throw Refusal.invalid("Invalid phone number format (E.164 required)")
        }
        self = phone
    }
}

extension EmailAddress {
    init(checking text: String) throws {
        guard let email = EmailAddress(text) else {
            throw Refusal.invalid("Unable to validate email address: invalid format")
        }
        self = email
    }
}
