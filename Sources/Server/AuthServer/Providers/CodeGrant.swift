import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird

extension IdentityHandlers {
    /// `POST /token?grant_type=pkce` ([PKCE flow](https://supabase.com/docs/guides/auth/sessions/pkce-flow)).
    func redeemCode(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        guard let code = try body.secret("auth_code"), !code.isEmpty,
            let verifier = try body.secret("code_verifier"), !verifier.isEmpty
        else { throw Refusal.invalid("invalid request: both auth code and code verifier should be non-empty") }
        let device = try callers.sessionDevice(request, context)
        let outcome = try await server.tokens.issuing(to: device) {
            try await $0.flows.redeem(code: code, verifier: verifier, from: device, at: $1)
        }
        switch outcome {
        case .signedIn(let issued, let handout):
            return try await server.tokens.answer(issued, to: device, handing: handout)
        case .needsConfirmation(let question): throw Refusal(question)
        case .refused(let refusal): throw Refusal(refusal, provider: "the provider")
        case .unknown:
            throw Refusal(.notFound, .flowStateNotFound, "invalid flow state, no valid flow state found")
        case .expired:
            throw Refusal(
                .unprocessableContent, .flowStateExpired, "invalid flow state, flow state has expired")
        case .wrongVerifier:
            throw Refusal(
                .badRequest, .badCodeVerifier, "code challenge does not match previously saved code verifier")
        case .halfway:
            throw Refusal(.forbidden, .otpExpired, MailHandlers.halfwayMessage)
        case .banned: throw Refusal(.forbidden, .userBanned, "User is banned")
        }
    }
}
