import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

// The two ways to continue after `identity_needs_confirmation`: prove ownership of the account, or claim the email
// address from an account that never confirmed it (`Docs/linking.md`).
extension AuthServer {
    /// `POST /token?grant_type=link_confirmation` with `{"link_ticket"}` and an access token of the account, or with
    /// `{"link_ticket","email","password"}`.
    func confirmLink(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        let ticket = try Self.ticket(body)
        let asker = try await ticketAsker(body, request, context)
        let outcome = try await accounts.confirmLink(
            ticket, by: asker, from: device(request, context), at: runtime.now())
        counts.signIns.increment("link", outcome.label)
        if case .refused(.notSignedIn, _) = outcome, case .password = asker { throw wrongCredentials() }
        return try answer(outcome, of: "the provider")
    }

    /// `POST /token?grant_type=link_recovery`: `{"link_ticket"}`.
    func recoverAddress(_ request: Request, _ context: ServerContext) async throws -> Response {
        let ticket = try Self.ticket(try await request.jsonMembers(context))
        let outcome = try await accounts.recover(ticket, from: device(request, context), at: runtime.now())
        counts.signIns.increment("recovery", outcome.label)
        return try answer(outcome, of: "the provider")
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
            let caller = try await userCaller(request)
            try requireFreshSignIn(caller)
            return .session(caller.session?.id, of: caller.user.id)
        }
        return try await inUniformTime {
            try await withTimeLimit(runtime.requestTimeLimit, sleep: runtime.sleep) {
                let holder = try await passwordHolder(body, password, request, context)
                return .password(of: holder.account.user.id, checkedHash: holder.checkedHash)
            }
        }
    }
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
