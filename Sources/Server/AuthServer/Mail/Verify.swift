import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension MailHandlers {
    /// A session, or a message after the first of two confirmations of a change of address.
    @Sendable func verify(_ request: Request, _ context: ServerContext) async throws -> Response {
        guard settings.mail != nil || settings.texts != nil else { throw Refusal.codeUnknown }
        let body = try await request.jsonMembers(context)
        let type = try body.string("type") ?? ""
        guard !type.isEmpty else { throw Refusal.invalid("Verify requires a verification type") }
        let (token, hash) = (try body.secret("token") ?? Secret(""), try body.secret("token_hash") ?? Secret(""))
        guard token.isEmpty != hash.isEmpty else {
            throw Refusal.invalid("Verify requires either a token or a token hash")
        }
        let (email, phone) = (try body.string("email") ?? "", try body.string("phone") ?? "")
        let known = try await knownCaller(body, request)
        guard hash.isEmpty else {
            guard email.isEmpty, phone.isEmpty, (try body.string("redirect_to") ?? "").isEmpty else {
                throw Refusal.invalid("Only the token_hash and type should be provided")
            }
            guard let slots = Self.slots(type) else { throw Refusal.invalid("Invalid email verification type") }
            let code = try body.secret("code")
            let proof = code.map { MailedProof.page(link: hash, code: $0) } ?? .link(hash)
            return try await answer(
                verify(proof, for: slots, by: known, request, context),
                to: try callers.sessionDevice(request, context), orRefuse: .linkUnknown)
        }
        if let passkey = known.passkey, email.isEmpty, phone.isEmpty, let slots = Self.slots(type) {
            guard let address = try await accounts.admin.account(passkey.user)?.user.email.flatMap(EmailAddress.init)
            else {
                throw Refusal.codeUnknown
            }
            return try await verify(token, sentTo: .email(address), for: slots, by: known, request, context)
        }
        guard email.isEmpty != phone.isEmpty else {
            throw Refusal.invalid("Only an email address or phone number should be provided on verify")
        }
        guard phone.isEmpty else { return try await verifyText(token, type, phone, by: known, request, context) }
        guard let address = EmailAddress(email) else {
            throw Refusal(.unprocessableContent, .validationFailed, "Invalid email format")
        }
        guard let slots = Self.slots(type) else { throw Refusal.codeUnknown }
        return try await verify(token, sentTo: .email(address), for: slots, by: known, request, context)
    }

    private func verifyText(
        _ token: Secret, _ type: String, _ phone: String, by known: KnownCaller, _ request: Request,
        _ context: ServerContext
    ) async throws -> Response {
        let number = try PhoneNumber(checking: phone)
        guard let slots = Self.textedSlots(type) else { throw Refusal.codeUnknown }
        return try await verify(token, sentTo: .phone(number), for: slots, by: known, request, context)
    }

    private func verify(
        _ token: Secret, sentTo address: Recipient, for slots: [TokenSlot], by caller: KnownCaller,
        _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        try await server.noting(.code, of: .address(address), from: try callers.device(request, context)) {
            try await verify(MailedProof.code(token, sentTo: address), for: slots, by: caller, request, context)
        }
    }

    private func verify(
        _ proof: MailedProof, for slots: [TokenSlot], by caller: KnownCaller, _ request: Request,
        _ context: ServerContext
    ) async throws -> Response {
        try await answer(
            try code(proof, for: slots, by: caller, request, context),
            to: try callers.sessionDevice(request, context), orRefuse: .codeUnknown)
    }

    private func knownCaller(_ body: JSONMembers, _ request: Request) async throws -> KnownCaller {
        try await KnownCaller(
            token: presentedCaller(request), password: body.secret("password"), passkey: setAsidePasskey(body))
    }

    /// - Throws: ``Refusal`` `otp_expired` for an expired or forged `set_aside_ticket`.
    private func setAsidePasskey(_ body: JSONMembers) throws -> SetAsidePasskey? {
        guard let ticket = try body.secret("set_aside_ticket"), !ticket.isEmpty else { return nil }
        guard let passkey = SetAsidePasskey(ticket: ticket, accounts.secrets, at: runtime.now()) else {
            throw Refusal.codeUnknown
        }
        return passkey
    }

    /// Evidence besides the code that the caller knows the account.
    struct KnownCaller: Sendable {
        var token: MailCaller?
        /// As typed. Ignored unless the account awaits a password.
        var password: Secret?
        var passkey: SetAsidePasskey?
    }

    /// nil without a valid token: many clients send a key or an old token and mean no account.
    private func presentedCaller(_ request: Request) async throws -> MailCaller? {
        guard let token = request.headers.bearerToken, !token.hasPrefix("sb_") else { return nil }
        do {
            let caller = try await callers.userCaller(request)
            return MailCaller(user: caller.user.id, session: caller.session?.id)
        } catch is Refusal {
            return nil
        }
    }

    /// No limit besides the code's five attempts refuses the right one. A wrong code counts against its caller, whether
    /// or not the address has a code.
    func code(
        _ proof: MailedProof, for slots: [TokenSlot], by caller: KnownCaller = KnownCaller(),
        opensSession: Bool = true, _ request: Request, _ context: ServerContext
    ) async throws -> VerificationOutcome {
        let (found, refusal): (VerificationOutcome, Refusal?) = try await server.inUniformTime {
            let found = try await verify(proof, for: slots, by: caller, opensSession: opensSession, request, context)
            guard case .unknown = found else { return (found, nil) }
            do {
                try await server.countWrongCode(request, context)
                return (found, nil)
            } catch let refusal as Refusal {
                // Delayed like the others: the code was looked up.
                return (found, refusal)
            }
        }
        if let refusal { throw refusal }
        return found
    }

    private func verify(
        _ proof: MailedProof, for slots: [TokenSlot], by known: KnownCaller, opensSession: Bool = true,
        _ request: Request, _ context: ServerContext
    ) async throws -> VerificationOutcome {
        let proof = try await approved(proof, for: slots)
        let device = try opensSession ? callers.sessionDevice(request, context) : callers.device(request, context)
        var caller = VerifyingCaller(browser: browser(request), token: known.token)
        caller.passkey = known.passkey
        let (cookie, secrets) = (DeviceCookie(request, isSecure: server.identities.isSecure), accounts.secrets)
        caller.isKnownDevice = { user in
            let account = user.recipient.map(AttemptedAccount.init)?.digest
            return account.flatMap { cookie.mark(of: $0, secrets) }?.isCurrent(of: user, secrets) ?? false
        }
        if let password = known.password, !password.isEmpty {
            let waiting = try await accounts.proofs.waitingPasswords(proof, for: slots, by: caller, at: runtime.now())
            let source = server.signIns.source(request, context)
            caller.password = try await server.signIns.firstMatch(of: password, among: waiting.hashes, for: source)
            if caller.password == nil, waiting.takesAnother, try await isAcceptable(password) {
                caller.newPassword = try await server.signIns.hashed(password, for: source)
            }
        }
        return try await server.tokens.issuing(to: device) { [caller] in
            try await $0.codes.verify(
                proof, for: slots, by: caller, opensSession: opensSession, from: device, at: $1)
        }
    }

    /// Asks a provider that generates the codes.
    private func approved(_ proof: MailedProof, for slots: [TokenSlot]) async throws -> MailedProof {
        guard case .code(let code, .phone(let phone)) = proof, server.texter?.checkCode != nil,
            try await accounts.codes.waits(for: slots, sentTo: .phone(phone), at: runtime.now()),
            try await texts.approves(code, of: phone)
        else { return proof }
        return .approved(sentTo: .phone(phone))
    }

    private func isAcceptable(_ password: Secret) async throws -> Bool {
        do {
            try await server.signIns.checkStrength(of: password, email: nil)
            return true
        } catch is Refusal {
            return false
        }
    }

    func browser(_ request: Request) -> Secret? { BrowserCookie(request, isSecure: server.identities.isSecure)?.secret }

    private func answer(
        _ outcome: VerificationOutcome, to device: Device, orRefuse refusal: Refusal
    ) async throws -> Response {
        switch outcome {
        case .signedIn(let issued, let slot):
            counts.signIns.increment("otp", slot.confirmsSignUp ? "confirmed" : "signed_in")
            return try await server.tokens.answer(issued, to: device)
        case .halfway:
            return Answer.json { writer in
                writer.beginObject()
                // A string, as in Supabase Auth.
                writer.member("code", "200")
                writer.member("msg", Self.halfwayMessage)
                writer.endObject()
            }
        case .banned:
            counts.signIns.increment("otp", "banned")
            throw Refusal(.forbidden, .userBanned, "User is banned")
        case .unknown, .code, .confirmed:
            counts.signIns.increment("otp", "wrong_code")
            throw refusal
        }
    }

    static let halfwayMessage =
        "Confirmation link accepted. Please proceed to confirm link sent to the other email"

    /// nil for an unknown type.
    static func slots(_ type: String) -> [TokenSlot]? {
        switch type {
        case "signup", "invite": [.confirmation]
        case "magiclink", "recovery": [.recovery]
        case "email_change": [.emailChangeNew, .emailChangeCurrent]
        case "email": [.confirmation, .recovery]
        default: nil
        }
    }
}

extension Refusal {
    static let codeUnknown = Refusal(.forbidden, .otpExpired, "Token has expired or is invalid")
    static let linkUnknown = Refusal(.forbidden, .otpExpired, "Email link is invalid or has expired")
}
