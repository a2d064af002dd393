import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird

// Right credentials that are set aside: added before their account's address was proven.
extension UserHandlers {
    /// Emails a sign-in code that restores the credential. Within the interval the last mail's code works as well.
    ///
    /// - Returns: The refusal to throw.
    func setAside(
        _ user: User, _ refusal: Refusal, _ request: Request, _ context: ServerContext
    ) async throws -> Refusal {
        if user.email == nil { return try await setAside(user.phone, refusal, request, context) }
        guard let mail = settings.mail, let mailer, let email = user.email.flatMap(EmailAddress.init) else {
            return refusal
        }
        do {
            // A separate interval: a proof just used up the other codes.
            try await mailAdmission.admitMail(.recovery, in: [.confirmed], to: "set aside \(user.id.text)")
        } catch is Refusal {
            return refusal
        }
        let ask = MailAsk(.signIn, .email(email), try mailAdmission.mailRequest(JSONMembers([:]), request, mail))
        try await accounts.mails.ask(ask, at: runtime.now())
        mailer.ring(.codes)
        return refusal
    }

    private func setAside(
        _ phone: String?, _ refusal: Refusal, _ request: Request, _ context: ServerContext
    ) async throws -> Refusal {
        guard let phone = phone.flatMap(PhoneNumber.init), let rules = settings.texts, server.texter != nil else {
            return refusal
        }
        let message: MailRequest
        do {
            message = try texts.message(to: phone, JSONMembers([:]), request, rules)
            try await texts.admit(
                message, "set aside", key: phone.text, in: [.textsConfirmed], rules, request, context)
        } catch is Refusal {
            return refusal
        }
        try await accounts.mails.ask(MailAsk(.signIn, .phone(phone), message), at: runtime.now())
        server.texter?.ring(.texts)
        return refusal
    }

    /// Moves the address to a new account, for a mailbox's reader who cannot pass the account's second factor, or does
    /// not recognize the account, which keeps everything else.
    @Sendable func startOver(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        try server.signIns.requireSignUps()
        try await runtime.take(Limits.signInMethods, of: caller.limitKey)
        let device = try callers.sessionDevice(request, context)
        let outcome = try await server.tokens.issuing(to: device) {
            try await $0.links.startOver(caller.user.id, in: caller.session?.id, from: device, at: $1)
        }
        switch outcome {
        case .signedIn(let issued):
            counts.signIns.increment("otp", "started_over")
            return try await server.tokens.answer(issued, to: device)
        case .noAddress:
            throw Refusal(
                .unprocessableContent, .validationFailed, "The account has no email address that could move.")
        case .stale:
            throw Refusal(
                .forbidden, .freshSignInRequired, "Sign in with an emailed code, then start over within ten minutes.")
        case .tooSoon(let wait):
            throw Refusal.tooManyRequests(retryAfter: wait, bucket: "starting_over")
        case .gone: throw Refusal(.forbidden, .userNotFound, "User from sub claim in JWT does not exist")
        case .sessionEnded: throw Refusal.sessionExpired
        }
    }
}

extension Refusal {
    static let passwordSetAside = Refusal(
        .forbidden, .credentialSetAside, "Enter the code we sent you to keep using this password.")

    /// - Parameter ticket: Restores the passkey, together with the code.
    static func passkeySetAside(_ passkey: SetAsidePasskey, ticket: Secret) -> Refusal {
        var refusal = Refusal(
            .forbidden, .credentialSetAside, "Enter the code we emailed you to keep using this passkey.")
        refusal.details = [
            ("set_aside_ticket", .string(ticket.reveal())),
            ("set_aside_ticket_expires_at", .integer(passkey.expiresAt.seconds)),
        ]
        return refusal
    }
}
