import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import JSONWebTokens

extension FactorHandlers {
    /// The token decides whether the account is anonymous: an account that became permanent first needs new tokens.
    func permanentCaller(_ request: Request) async throws -> UserCaller {
        let caller = try await callers.userCaller(request)
        guard !caller.user.isAnonymous, !caller.hasAnonymousToken else {
            throw Refusal(.forbidden, .noAuthorization, "Anonymous user not allowed to perform these actions")
        }
        return caller
    }

    func ownFactor(
        _ request: Request, _ context: ServerContext
    ) async throws -> (caller: UserCaller, factor: Factor) {
        let caller = try await permanentCaller(request)
        let id = try factorID(context)
        guard let factor = try await accounts.factors.factor(id, of: caller.user.id) else {
            throw Refusal.factorUnknown
        }
        return (caller, factor)
    }

    /// Refuses an unverified factor in a session without the user's second factor, or with an old proof: a stolen
    /// password or token could raise the session through a factor that the owner has begun to add.
    func requireRights(of caller: UserCaller, for factor: Factor) throws {
        if factor.isVerified { return }
        if caller.isTooLow { throw Refusal.newFactorLevel }
        try callers.requireProof(.addFactor, by: caller)
    }

    func factorID(_ context: ServerContext) throws -> FactorID {
        guard let id = context.parameters.get("factor_id").flatMap({ FactorID($0) }) else {
            throw Refusal(.notFound, .validationFailed, "factor_id must be an UUID")
        }
        return id
    }

    /// - Throws: ``Refusal`` if this kind is disabled or has no challenges.
    func requireVerifying(_ kind: Factor.Kind) throws {
        if kind == .recoveryCodes { throw Refusal.unknownFactorType }
        guard !accounts.factorRules.verifying.contains(kind) else { return }
        let (code, name): (AuthErrorCode, String) =
            switch kind {
            case .totp: (.mfaTOTPVerifyNotEnabled, "TOTP")
            case .phone: (.mfaPhoneVerifyNotEnabled, "Phone")
            case .webAuthn, .recoveryCodes: (.mfaWebAuthnVerifyNotEnabled, "WebAuthn")
            }
        throw Refusal(.unprocessableContent, code, "MFA verification is disabled for \(name)")
    }

    /// Counts over all factors, sessions and nodes.
    ///
    /// - Parameter check: nil means a wrong code. A thrown error is not counted.
    /// - Throws: ``Refusal`` 429 after too many.
    func attemptFactor<Value: Sendable>(
        of caller: UserCaller, check: () async throws -> Value?
    ) async throws -> Value? {
        guard let attempts else { return try await check() }
        let keys = [AttemptKey(attempts.byFactors, caller.user.id.text)]
        try await attempts.limiter.look(keys, at: runtime.now()).enforce()
        return try await attempts.limiter.attempt(keys, now: runtime.now, check)
    }

    /// - Throws: ``Refusal`` `mfa_verification_rejected` after revoking all of the user's sessions; the hook's failure
    ///   unless the settings allow it.
    func askHook(
        about factor: FactorID, _ kind: Factor.Kind, isRight: Bool, of caller: UserCaller, from device: Device
    ) async throws {
        guard hooks?[.mfaVerificationAttempt] != nil else { return }
        let answer: AuthJSONObject?
        do {
            answer = try await server.ask(.mfaVerificationAttempt, from: device.address) { writer in
                writer.member("user_id", caller.user.id.text)
                writer.member("factor_id", factor.text)
                writer.member("factor_type", kind.rawValue)
                writer.member("valid", isRight)
            }
        } catch let failure as HookFailure {
            throw Refusal(failure)
        }
        guard answer?["decision"]?.stringValue == "reject" else { return }
        try await accounts.signOut(
            caller.user.id, name: caller.user.name, session: nil, scope: .global,
            as: .bySystem(.endedByHook, from: device), at: runtime.now())
        let message = answer?["message"]?.stringValue ?? ""
        throw Refusal(
            .forbidden, .mfaVerificationRejected,
            message.isEmpty ? "Further MFA verification attempts will be rejected." : message.cut(to: 1_000),
            cause: HookRejection(hook: .mfaVerificationAttempt))
    }
}

extension TokenClaims {
    /// The session's level when the token was issued.
    var level: AssuranceLevel { assuranceLevel.flatMap(AssuranceLevel.init(text:)) ?? .aal1 }
}

extension Request {
    /// Like `jsonMembers`, but `null`, and with `mayBeEmpty` an absent body, means no members.
    func membersOrNull(_ context: ServerContext, mayBeEmpty: Bool = false) async throws -> JSONMembers {
        let bytes = try await bytes(context)
        if bytes.isEmpty, mayBeEmpty { return JSONMembers([:]) }
        guard !bytes.isEmpty else { throw Refusal.badJSON("unexpected end of JSON input") }
        do throws(JSONProblem) {
            return try JSONReader.read(bytes).isNull ? JSONMembers([:]) : JSONMembers(bytes)
        } catch {
            throw Refusal.badJSON(error.sentence)
        }
    }
}

extension Secret {
    var trimmed: Secret {
        let scalars = reveal().unicodeScalars
        let rest = scalars.drop(while: \.properties.isWhitespace)
        guard let end = rest.lastIndex(where: { !$0.properties.isWhitespace }) else { return Secret("") }
        return Secret(String(rest[...end]))
    }
}

extension Answer {
    static func id<Owner>(_ id: Identifier<Owner>) -> Response {
        json { writer in
            writer.beginObject()
            writer.member("id", id.text)
            writer.endObject()
        }
    }
}

extension Refusal {
    static let factorUnknown = Refusal(.notFound, .mfaFactorNotFound, "Factor not found")
    static let newFactorLevel = Refusal(.forbidden, .insufficientAAL, "AAL2 required to verify a new factor")
    static let enrollingLevel = Refusal(.forbidden, .insufficientAAL, "AAL2 required to enroll a new factor")
    static let removalLevel = Refusal(
        .unprocessableContent, .insufficientAAL, "AAL2 required to unenroll verified factor")
    static let unknownFactorType = invalid("factor_type needs to be totp, phone, or webauthn")
    static let codeEmpty = invalid("Code needs to be non-empty")
    static let wrongRecoveryCode = Refusal(
        .unprocessableContent, .mfaVerificationFailed, "Invalid recovery code entered")
    static let tooManyFactors = Refusal(
        .unprocessableContent, .tooManyEnrolledMFAFactors,
        "Maximum number of verified factors reached, unenroll to continue")
    /// A token without a session cannot be raised.
    static let sessionNeeded = Refusal(
        .forbidden, .sessionNotFound, "Session from session_id claim in JWT does not exist")

    static let factorPhoneTaken = Refusal(
        .unprocessableContent, .mfaVerifiedFactorExists,
        "A verified phone factor already exists, unenroll the existing factor to continue")

    static func factorNameTaken(_ name: String) -> Refusal {
        Refusal(
            .unprocessableContent, .mfaFactorNameConflict,
            "A factor with the friendly name \"\(name)\" for this user already exists")
    }

    static func enrollingOff(_ code: AuthErrorCode, _ kind: String) -> Refusal {
        Refusal(.unprocessableContent, code, "MFA enroll is disabled for \(kind)")
    }
}
