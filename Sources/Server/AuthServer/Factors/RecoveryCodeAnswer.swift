import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import PasswordHashing

extension FactorHandlers {
    /// Responds with the same session at aal2 and new tokens.
    @Sendable func verifyRecoveryCode(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await permanentCaller(request)
        guard accounts.factorRules.verifying.contains(.recoveryCodes) else {
            throw Refusal(
                .unprocessableContent, .mfaRecoveryCodesVerifyNotEnabled,
                "MFA verification is disabled for recovery codes")
        }
        let body = try await request.jsonMembers(context)
        guard let code = RecoveryCode(typed: try body.secret("code") ?? Secret("")) else { throw Refusal.codeEmpty }
        guard let session = caller.session?.id else { throw Refusal.sessionNeeded }
        let device = try callers.device(request, context)
        return try await server.noting(.factor, of: .user(caller.user.id), from: device) {
            let source = server.signIns.source(request, context)
            guard let raised = try await raise(session, by: code, of: caller, device, source) else {
                throw Refusal.wrongRecoveryCode
            }
            return try await raisedAnswer(raised, by: .recoveryCodes, device)
        }
    }

    private func raise(
        _ session: SessionID, by code: RecoveryCode, of caller: UserCaller, _ device: Device, _ source: HashingSource
    ) async throws -> IssuedSession? {
        try await attemptFactor(of: caller) {
            let hash: Secret?
            switch try await accounts.recoveryCodes.recoveryLookup(code, of: caller.user.id, at: runtime.now()) {
            case .none: hash = nil
            case .locked(let end): throw refusalOfLock(end)
            case .found(let factor, let stored):
                // Constant work, whether or not a code has this prefix.
                let isRight = try await server.signIns.check(code.text, against: stored, for: source).isMatch
                hash = isRight ? stored : nil
                try await askHook(about: factor, .recoveryCodes, isRight: isRight, of: caller, from: device)
            }
            let outcome = try await server.tokens.issuing(to: device) {
                try await $0.recoveryCodes.verify(
                    code, matching: hash, of: caller.user.id, in: session, from: device, at: $1)
            }
            switch outcome {
            case .raised(let issued): return issued
            case .locked(let end): throw refusalOfLock(end)
            case .ended: throw Refusal.sessionExpired
            case .wrong, .unknown, .tooLow, .stale, .challengeUnknown, .challengeUsed, .challengeExpired:
                counts.factors.increment(Factor.Kind.recoveryCodes.rawValue, "wrong")
                return nil
            }
        }
    }

    private func refusalOfLock(_ end: Instant) -> Refusal {
        var refusal = Refusal.tooManyRequests(retryAfter: end - runtime.now(), bucket: Limits.factorLock)
        refusal = Refusal(
            .tooManyRequests, .mfaRecoveryCodesLocked, "Too many wrong recovery codes, please try again later",
            headers: refusal.headers)
        return refusal
    }
}
