import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension AdminHandlers {
    @Sendable func listUserFactors(_ request: Request, _ context: ServerContext) async throws -> Response {
        let account = try await namedAccount(context)
        return Answer.json(Array((account.user.factors ?? "[]").utf8))
    }

    /// An empty name or number keeps the current one. Other members, and the number of another kind of factor, are
    /// ignored.
    @Sendable func updateUserFactor(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (user, id) = try await namedFactor(context)
        let body = try await request.jsonMembers(context)
        let text = try body.string("phone") ?? ""
        let phone = text.isEmpty ? nil : try PhoneNumber(checking: text)
        if let phone { try server.factors.texts.requireCountry(of: phone) }
        let change = FactorChange(name: try server.factors.factorName(body), phone: phone)
        let outcome = try await accounts.factors.updateFactor(
            id, of: user, change, from: try callers.device(request, context), at: runtime.now())
        return try answer(outcome, name: change.name ?? "")
    }

    /// Responds with the factor as it was. With a delay in the settings, a verified factor goes at `removal_at`, unless
    /// its owner uses it.
    @Sendable func removeUserFactor(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (user, id) = try await namedFactor(context)
        let outcome = try await accounts.factors.removeFactor(
            id, of: user, byAdministratorOn: try callers.device(request, context), at: runtime.now())
        return try answer(outcome)
    }

    private func namedFactor(_ context: ServerContext) async throws -> (user: UserID, factor: FactorID) {
        let account = try await namedAccount(context)
        let id = try server.factors.factorID(context)
        guard try await accounts.factors.factor(id, of: account.user.id) != nil else { throw Refusal.factorUnknown }
        return (account.user.id, id)
    }

    private func answer(_ outcome: FactorAdministration, name: String = "") throws -> Response {
        switch outcome {
        case .done(let factor): return Answer.json { factor.write(to: &$0) }
        case .unknown: throw Refusal.factorUnknown
        case .nameTaken: throw Refusal.factorNameTaken(name)
        case .phoneTaken: throw Refusal.factorPhoneTaken
        case .isDelayed:
            throw Refusal.invalid(
                "A verified factor's number does not change while removals are delayed: remove the factor")
        }
    }
}
