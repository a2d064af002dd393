import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import PasswordHashing

extension FactorHandlers {
    private static let defaultName = "Recovery codes"

    /// Also served with recovery codes disabled.
    @Sendable func showRecoveryCodes(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await permanentCaller(request)
        guard let set = try await accounts.recoveryCodes.recoverySet(of: caller.user.id) else {
            throw Refusal.noRecoveryCodes
        }
        return Answer.json { writer in
            writer.beginObject()
            writer.member("id", set.factor.id.text)
            writer.member("type", set.factor.kind.rawValue)
            writer.member("total", Int64(set.total))
            writer.member("remaining", Int64(set.remaining))
            writer.endObject()
        }
    }

    /// `POST /factors/recovery-codes`. The response shows the codes for the only time.
    @Sendable func makeRecoveryCodes(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await permanentCaller(request)
        try requireMakingCodes()
        let given = try factorName(try await request.membersOrNull(context, mayBeEmpty: true))
        let name = given.unicodeScalars.allSatisfy(\.properties.isWhitespace) ? Self.defaultName : given
        return try await answeringRefusals("AAL2 required to generate recovery codes", of: caller, name: name) {
            try await accounts.recoveryCodes.checkRecoverySet(
                named: name, of: caller.user.id, in: caller.session?.id, at: runtime.now())
            let codes = try await hashedCodes(for: server.signIns.source(request, context))
            let factor = try await accounts.recoveryCodes.makeRecoverySet(
                named: name, codes, of: caller.user.id, in: caller.session?.id,
                from: try callers.device(request, context),
                at: runtime.now())
            return recoveryCodes(codes, of: factor)
        }
    }

    /// Keeps the set's ID and name. Reads no body.
    @Sendable func replaceRecoveryCodes(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await permanentCaller(request)
        try requireMakingCodes()
        return try await answeringRefusals("AAL2 required to regenerate recovery codes", of: caller) {
            let checked = try await accounts.recoveryCodes.checkRecoverySet(
                named: nil, of: caller.user.id, in: caller.session?.id, at: runtime.now())
            let codes = try await hashedCodes(for: server.signIns.source(request, context))
            let factor = try await accounts.recoveryCodes.replaceRecoveryCodes(
                codes, checked: checked, of: caller.user.id, in: caller.session?.id,
                from: try callers.device(request, context),
                at: runtime.now())
            return recoveryCodes(codes, of: factor)
        }
    }

    /// Also served with recovery codes disabled.
    @Sendable func deleteRecoveryCodes(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await permanentCaller(request)
        return try await answeringRefusals("AAL2 required to delete recovery codes", of: caller) {
            let factor = try await accounts.recoveryCodes.deleteRecoverySet(
                of: caller.user.id, in: caller.session?.id, from: try callers.device(request, context),
                at: runtime.now())
            return Answer.id(factor.id)
        }
    }

    private func requireMakingCodes() throws {
        guard accounts.factorRules.enrolling.contains(.recoveryCodes) else {
            throw Refusal.enrollingOff(.mfaRecoveryCodesEnrollNotEnabled, "recovery codes")
        }
    }

    /// One job after another, so the client holds one place in the hashing queue.
    private func hashedCodes(for source: HashingSource) async throws -> [HashedRecoveryCode] {
        var hashed: [HashedRecoveryCode] = []
        for code in RecoveryCode.set(accounts.factorRules.recoveryCodes, randomBytes: accounts.randomBytes) {
            hashed.append(HashedRecoveryCode(code, hash: try await server.signIns.hashed(code.text, for: source)))
        }
        return hashed
    }

    private func recoveryCodes(_ codes: [HashedRecoveryCode], of factor: Factor) -> Response {
        Answer.json { writer in
            writer.beginObject()
            writer.member("id", factor.id.text)
            writer.member("type", factor.kind.rawValue)
            writer.member("friendly_name", factor.name)
            writer.member("total", Int64(codes.count))
            writer.name("codes")
            writer.beginArray()
            for hashed in codes { writer.value(hashed.code.text.reveal()) }
            writer.endArray()
            writer.endObject()
        }
    }

    private func answeringRefusals(
        _ levelMessage: String, of caller: UserCaller, name: String = "", _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            // The transaction sees only the session's level.
            if caller.hasOldToken { throw RecoverySetRefusal.tooLow }
            return try await body()
        } catch let refusal as RecoverySetRefusal {
            throw Refusal(refusal, levelMessage, name: name)
        }
    }
}

extension Refusal {
    fileprivate static let noRecoveryCodes = Refusal(
        .notFound, .mfaFactorNotFound, "The user has not enrolled recovery codes")

    fileprivate init(_ refusal: RecoverySetRefusal, _ levelMessage: String, name: String) {
        switch refusal {
        case .ended: self = .sessionExpired
        case .tooLow: self.init(.forbidden, .insufficientAAL, levelMessage)
        case .stale: self = .freshSignInRequired
        case .exists:
            self.init(
                .unprocessableContent, .mfaVerifiedFactorExists,
                "Recovery codes are already enrolled for this user, use regenerate to rotate them")
        case .unknown: self = .noRecoveryCodes
        case .replaced:
            self.init(.conflict, .conflict, "The recovery codes were replaced by another request, please retry.")
        case .nameTaken: self = .factorNameTaken(name)
        case .tooMany: self = .tooManyFactors
        case .standsAlone:
            self.init(
                .unprocessableContent, .mfaRecoveryCodesSoleFactor,
                "Recovery codes cannot be the only verified factor. Please enroll another factor first.")
        }
    }
}
