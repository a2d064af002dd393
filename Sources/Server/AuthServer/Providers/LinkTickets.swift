import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

// After `identity_needs_confirmation`: prove ownership of the account, or claim the address from an account that never
// confirmed it (`Docs/linking.md`).
extension IdentityHandlers {
    /// `POST /token?grant_type=link_confirmation`: `link_ticket` with the account's access token, with `email` and
    /// `password`, or with the `token` of ``mailLinkCode(_:_:)``.
    func confirmLink(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        let ticket = try Self.ticket(body)
        if let code = try body.secret("token"), !code.isEmpty {
            return try await confirmLink(ticket, code: code, request, context)
        }
        let asker = try await ticketAsker(body, request, context)
        let device = try callers.sessionDevice(request, context)
        let outcome = try await server.tokens.issuing(to: device) {
            try await $0.links.confirmLink(ticket, by: asker, from: device, at: $1)
        }
        counts.signIns.increment("link", outcome.label)
        if case .refused(.notSignedIn, _) = outcome, case .password = asker { throw server.signIns.wrongCredentials() }
        return try await answer(outcome, of: "the provider", to: device)
    }

    /// The code has five attempts. A wrong one counts against its caller.
    private func confirmLink(
        _ ticket: Secret, code: Secret, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        guard let user = try await accounts.codes.linkAccount(of: ticket, at: runtime.now()) else {
            throw Refusal(.ticketUnknown, provider: "the provider")
        }
        // Neither mailbox nor password alone may add a sign-in method.
        if user.hasSecondFactor { throw Refusal.linkNeedsSecondFactor }
        let device = try callers.sessionDevice(request, context)
        let outcome: LinkingOutcome? = try await server.inUniformTime {
            let found = try await server.tokens.issuing(to: device) {
                try await $0.codes.confirmLink(ticket, code: code, from: device, at: $1)
            }
            guard case .carriedOut(let outcome) = found else {
                try await server.countWrongCode(request, context)
                return nil
            }
            return outcome
        }
        counts.signIns.increment("link", outcome?.label ?? "wrong_code")
        guard let outcome else { throw Refusal.codeUnknown }
        return try await answer(outcome, of: "the provider", to: device)
    }

    /// `POST /link/code`: emails a code if the question says `can_mail_code`.
    @Sendable func mailLinkCode(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (mail, mailer) = try mailAdmission.requireMail(or: .unprocessableContent)
        let ticket = try Self.ticket(try await request.jsonMembers(context))
        guard let email = try await accounts.codes.linkAccount(of: ticket, at: runtime.now())?.email else {
            throw Refusal(.ticketUnknown, provider: "the provider")
        }
        try await mailAdmission.admitMail(.linkConfirmation, in: [.confirmed], to: email)
        var asked = try mailAdmission.mailRequest(JSONMembers([:]), request, mail)
        asked.lifetime = min(asked.lifetime, LinkStore.ticketLifetime)
        switch try await accounts.codes.mailLinkCode(
            ticket, asked, from: try callers.device(request, context), at: runtime.now())
        {
        case .mailed: mailer.ring(.codes)
        case .unknownTicket: throw Refusal(.ticketUnknown, provider: "the provider")
        case .otherAddress:
            throw Refusal(
                .unprocessableContent, .validationFailed,
                "The account has another address: sign in with one of its sign-in methods")
        }
        return Answer.json(Array("{}".utf8))
    }

    /// `POST /token?grant_type=link_recovery`.
    func recoverAddress(_ request: Request, _ context: ServerContext) async throws -> Response {
        let ticket = try Self.ticket(try await request.jsonMembers(context))
        let device = try callers.sessionDevice(request, context)
        let outcome = try await server.tokens.issuing(to: device) {
            try await $0.links.recover(ticket, from: device, at: $1)
        }
        counts.signIns.increment("recovery", outcome.label)
        return try await answer(outcome, of: "the provider", to: device)
    }

    private static func ticket(_ body: JSONMembers) throws -> Secret {
        guard let ticket = try body.secret("link_ticket"), !ticket.isEmpty else {
            throw Refusal.invalid("link_ticket is missing")
        }
        return ticket
    }

    private func ticketAsker(
        _ body: JSONMembers, _ request: Request, _ context: ServerContext
    ) async throws -> LinkAsker {
        let password = try body.secret("password") ?? Secret("")
        guard !password.isEmpty else {
            let caller = try await callers.userCaller(request)
            try callers.require(.addSignInMethod, by: caller)
            return .session(caller.session?.id, of: caller.user.id)
        }
        return try await server.inUniformTime {
            try await runtime.limited(to: runtime.requestTimeLimit) {
                let holder = try await server.signIns.passwordHolder(body, password, request, context)
                if holder.account.user.hasSecondFactor { throw Refusal.linkNeedsSecondFactor }
                return .password(of: holder.account.user.id, checkedHash: holder.checkedHash)
            }
        }
    }
}

extension Refusal {
    fileprivate static let linkNeedsSecondFactor = Refusal(
        .forbidden, .insufficientAAL, "Sign in with a second factor, then link with that session.")
}

extension LinkingOutcome {
    fileprivate var label: String {
        switch self {
        case .signedIn: "signed_in"
        case .needsConfirmation: "needs_confirmation"
        case .refused(let refusal, _): refusal.rawValue
        }
    }
}
