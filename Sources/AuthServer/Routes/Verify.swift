import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension AuthServer {
    /// `POST /verify` with `{"type","token","email"}` or `{"type","token_hash"}` → a session, or a message after the
    /// first of two confirmations of a change of address.
    @Sendable func verify(_ request: Request, _ context: ServerContext) async throws -> Response {
        guard settings.mail != nil else { throw Refusal.codeUnknown }
        let body = try await request.jsonMembers(context)
        let type = try body.string("type") ?? ""
        guard !type.isEmpty else { throw Refusal.invalid("Verify requires a verification type") }
        let (token, hash) = (try body.secret("token") ?? Secret(""), try body.secret("token_hash") ?? Secret(""))
        guard token.isEmpty != hash.isEmpty else {
            throw Refusal.invalid("Verify requires either a token or a token hash")
        }
        let (email, phone) = (try body.string("email") ?? "", try body.string("phone") ?? "")
        guard hash.isEmpty else {
            guard email.isEmpty, phone.isEmpty, (try body.string("redirect_to") ?? "").isEmpty else {
                throw Refusal.invalid("Only the token_hash and type should be provided")
            }
            guard let slots = Self.slots(type) else { throw Refusal.invalid("Invalid email verification type") }
            return try await answer(
                verify(.link(hash), for: slots, by: try presentedCaller(request), request, context),
                to: device(request, context), orRefuse: .linkUnknown)
        }
        guard email.isEmpty != phone.isEmpty else {
            throw Refusal.invalid("Only an email address or phone number should be provided on verify")
        }
        guard phone.isEmpty else { throw Refusal.codeUnknown }
        guard let address = EmailAddress(email) else {
            throw Refusal(.unprocessableContent, .validationFailed, "Invalid email format")
        }
        guard let slots = Self.slots(type) else { throw Refusal.codeUnknown }
        let proof = MailedProof.code(token, sentTo: address)
        return try await answer(
            try code(proof, sentTo: address, for: slots, by: try presentedCaller(request), request, context),
            to: device(request, context), orRefuse: .codeUnknown)
    }

    /// The account whose token the request carries; nil without a valid one. Many clients send a key or an old token
    /// and mean no account by it.
    private func presentedCaller(_ request: Request) async throws -> MailCaller? {
        guard let token = request.headers.bearerToken, !token.hasPrefix("sb_") else { return nil }
        do {
            let caller = try await userCaller(request)
            return MailCaller(user: caller.user.id, session: caller.session?.id)
        } catch is Refusal {
            return nil
        }
    }

    /// Tries a code. A wrong one counts like a wrong password of the account, and the answer takes as long.
    func code(
        _ proof: MailedProof, sentTo address: EmailAddress, for slots: [TokenSlot], by caller: MailCaller? = nil,
        opensSession: Bool = true, _ request: Request, _ context: ServerContext
    ) async throws -> VerificationOutcome {
        let outcome: VerificationOutcome? = try await inUniformTime {
            try await attempt(at: AttemptedAccount(address.text), request, context) { _ in
                let found = try await verify(
                    proof, for: slots, by: caller, opensSession: opensSession, request, context)
                if case .unknown = found { return nil }
                return found
            }
        }
        return outcome ?? .unknown
    }

    private func verify(
        _ proof: MailedProof, for slots: [TokenSlot], by caller: MailCaller?, opensSession: Bool = true,
        _ request: Request, _ context: ServerContext
    ) async throws -> VerificationOutcome {
        let (device, browser) = (device(request, context), browser(request))
        return try await issuing(to: device) {
            try await $0.verify(
                proof, for: slots, in: browser, by: caller, opensSession: opensSession, from: device, at: $1)
        }
    }

    /// The secret of the browser that sends the request; nil without one.
    func browser(_ request: Request) -> Secret? { BrowserCookie(request, isSecure: isSecure)?.secret }

    private func answer(
        _ outcome: VerificationOutcome, to device: Device, orRefuse refusal: Refusal
    ) async throws -> Response {
        switch outcome {
        case .signedIn(let issued, let slot):
            counts.signIns.increment("otp", slot == .confirmation ? "confirmed" : "signed_in")
            return try await answer(issued, to: device)
        case .halfway:
            return Answer.json { writer in
                writer.beginObject()
                // A string in Supabase Auth, too.
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

    /// The purposes that a `type` stands for; nil for an unknown type.
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
