import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension FactorHandlers {
    /// `POST /factors`. The body may be `null`. The response shows the secret for the only time.
    @Sendable func enrollFactor(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await permanentCaller(request)
        let body = try await request.membersOrNull(context)
        let kind = try enrollingKind(try body.string("factor_type"))
        let name = try factorName(body)
        let given = TimeCode.label(try body.string("issuer") ?? "")
        let issuer = given.isEmpty ? accounts.factorRules.issuer : given
        guard issuer.utf8.count <= Factor.longestName else { throw Refusal.invalid("issuer is too long") }
        let phone = try kind == .phone ? PhoneNumber(checking: body.string("phone") ?? "") : nil
        if let phone { try texts.requireCountry(of: phone) }
        let secret = kind == .totp ? accounts.randomBytes(TimeCode.secretBytes) : nil
        try callers.requireProof(.addFactor, by: caller)
        // The transaction sees only the session's level.
        if caller.isTooLow, caller.hasOldToken { throw Refusal.enrollingLevel }
        let outcome = try await accounts.factors.enroll(
            NewFactor(kind, name: name, secret: secret, phone: phone), of: caller.user.id, in: caller.session?.id,
            at: runtime.now())
        switch outcome {
        case .enrolled(let factor):
            let given = phone == nil ? nil : try body.string("phone")
            return enrolled(factor, secret: secret, phone: given, issuer: issuer, of: caller.user)
        case .phoneTaken: throw Refusal.factorPhoneTaken
        case .nameTaken: throw Refusal.factorNameTaken(name)
        case .tooMany: throw Refusal.tooManyFactors
        case .tooLow: throw Refusal.enrollingLevel
        case .ended: throw Refusal.sessionExpired
        }
    }

    private func enrollingKind(_ text: String?) throws -> Factor.Kind {
        guard let kind = text.flatMap(Factor.Kind.init(text:)), kind != .recoveryCodes else {
            throw Refusal.unknownFactorType
        }
        guard accounts.factorRules.enrolling.contains(kind) else {
            throw switch kind {
            case .totp: Refusal.enrollingOff(.mfaTOTPEnrollNotEnabled, "TOTP")
            case .phone: Refusal.enrollingOff(.mfaPhoneEnrollNotEnabled, "Phone")
            case .webAuthn, .recoveryCodes: Refusal.enrollingOff(.mfaWebAuthnEnrollNotEnabled, "WebAuthn")
            }
        }
        return kind
    }

    func factorName(_ body: JSONMembers) throws -> String {
        let name = try body.string("friendly_name") ?? ""
        guard name.utf8.count <= Factor.longestName else { throw Refusal.invalid("friendly_name is too long") }
        return name
    }

    private func enrolled(
        _ factor: Factor, secret: [UInt8]?, phone: String?, issuer: String, of user: User
    ) -> Response {
        Answer.json(capacity: 16_384) { writer in
            writer.beginObject()
            writer.member("id", factor.id.text)
            writer.member("type", factor.kind.rawValue)
            writer.member("friendly_name", factor.name)
            // As it was sent.
            writer.member("phone", ifPresent: phone)
            if let secret {
                let text = Secret(Base32.text(secret))
                let account = user.name.isEmpty ? user.id.text : user.name
                let address = TimeCode.address(issuer: issuer, account: account, secret: text)
                writer.name("totp")
                writer.beginObject()
                writer.member("qr_code", QRCode(address)?.svg ?? "")
                writer.member("secret", text.reveal())
                writer.member("uri", address.reveal())
                writer.endObject()
            }
            writer.endObject()
        }
    }

    /// Reads no body for an authenticator app.
    @Sendable func challengeFactor(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (caller, factor) = try await ownFactor(request, context)
        try requireRights(of: caller, for: factor)
        try requireVerifying(factor.kind)
        guard factor.kind != .webAuthn else {
            // supabase-swift sends no body, and it is not used.
            let bytes = try await request.bytes(context)
            if !bytes.isEmpty { _ = try JSONMembers(bytes) }
            return try await challengeKey(factor, of: caller)
        }
        if factor.kind == .phone { return try await challengePhone(factor, of: caller, request, context) }
        return try await challenge(factor, data: nil, of: caller)
    }

    /// supabase-swift sends no body without a channel.
    private func challengePhone(
        _ factor: Factor, of caller: UserCaller, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let body = try await request.membersOrNull(context, mayBeEmpty: true)
        guard let rules = settings.texts, server.texter != nil, let phone = factor.phone.flatMap(PhoneNumber.init)
        else {
            throw Refusal(.unprocessableContent, .mfaPhoneVerifyNotEnabled, "This server sends no messages")
        }
        let message = try texts.message(to: phone, body, request, rules)
        let budgets: [MailBudget] = factor.isVerified ? [.textsConfirmed] : [.textsOthers]
        try await texts.admit(
            message, "factor", key: caller.user.id.text, in: budgets, rules, request, context)
        let response = try await challenge(factor, data: nil, by: message, of: caller)
        server.texter?.ring(.texts)
        return response
    }

    /// - Parameters:
    ///   - data: The expected response's values.
    ///   - message: For a number.
    ///   - more: Writes further members.
    func challenge(
        _ factor: Factor, data: String?, by message: MailRequest? = nil, of caller: UserCaller,
        more: (inout JSONWriter) -> Void = { _ in }
    ) async throws -> Response {
        let outcome = try await accounts.factors.challenge(
            factor.id, of: caller.user.id, in: caller.session?.id, data: data, by: message, at: runtime.now())
        switch outcome {
        case .made(let challenge):
            return Answer.json { writer in
                writer.beginObject()
                writer.member("id", challenge.id.text)
                writer.member("type", factor.kind.rawValue)
                writer.member("expires_at", challenge.expiresAt.seconds)
                more(&writer)
                writer.endObject()
            }
        case .unknown: throw Refusal.factorUnknown
        case .ended: throw Refusal.sessionExpired
        }
    }

    /// Responds with the same session at aal2 and new tokens.
    @Sendable func verifyFactor(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (caller, factor) = try await ownFactor(request, context)
        let device = try callers.device(request, context)
        return try await server.noting(
            .factor, of: factor.isVerified ? .user(caller.user.id) : nil, from: device
        ) {
            try requireRights(of: caller, for: factor)
            return try await verify(factor, try await request.jsonMembers(context), of: caller, device)
        }
    }

    private func verify(
        _ factor: Factor, _ body: JSONMembers, of caller: UserCaller, _ device: Device
    ) async throws -> Response {
        let challenge = try challengeID(body)
        switch factor.kind {
        case .totp, .phone:
            let code = try body.secret("code") ?? Secret("")
            guard !code.isEmpty else { throw Refusal.codeEmpty }
            try requireVerifying(factor.kind)
            let answer = FactorCodeAnswer(factor: factor, challenge: challenge, code: code.trimmed)
            let phone = factor.phone.flatMap(PhoneNumber.init)
            return try await take(answer, sentTo: phone, of: caller, device)
        case .webAuthn: return try await verifyKey(factor, challenge, body, of: caller, device)
        case .recoveryCodes: throw Refusal.unknownFactorType
        }
    }

    private func challengeID(_ body: JSONMembers) throws -> ChallengeID {
        guard let text = try body.string("challenge_id") else {
            return ChallengeID(bytes: Array(repeating: 0, count: 16))
        }
        guard let id = ChallengeID(text) else { throw Refusal.badJSON("challenge_id must be a UUID") }
        return id
    }

    private func take(
        _ answer: FactorCodeAnswer, sentTo phone: PhoneNumber?, of caller: UserCaller, _ device: Device
    ) async throws -> Response {
        guard let session = caller.session?.id else { throw Refusal.sessionNeeded }
        var outcome = FactorOutcome.wrong
        let raised: IssuedSession? = try await attemptFactor(of: caller) {
            let answer = try await approved(answer, sentTo: phone, of: caller)
            if hooks?[.mfaVerificationAttempt] != nil,
                let isRight = try await accounts.factors.isRight(answer, of: caller.user.id, at: runtime.now())
            {
                try await askHook(about: answer.factor, answer.kind, isRight: isRight, of: caller, from: device)
            }
            outcome = try await server.tokens.issuing(to: device) {
                try await $0.factors.verify(answer, of: caller.user.id, in: session, from: device, at: $1)
            }
            if case .raised(let issued) = outcome { return issued }
            // Only a checked code is an attempt.
            if case .wrong = outcome {
                counts.factors.increment(answer.kind.rawValue, "wrong")
                return nil
            }
            throw refusal(outcome, of: answer.kind, challenge: answer.challenge)
        }
        guard let raised else { throw refusal(outcome, of: answer.kind, challenge: answer.challenge) }
        return try await raisedAnswer(raised, by: answer.kind, device)
    }

    /// Asks a provider that generates the codes, if the answer would be checked.
    private func approved(
        _ answer: FactorCodeAnswer, sentTo phone: PhoneNumber?, of caller: UserCaller
    ) async throws -> FactorCodeAnswer {
        var answer = answer
        guard let phone, server.texter?.checkCode != nil,
            try await accounts.factors.isRight(answer, of: caller.user.id, at: runtime.now()) == false
        else { return answer }
        answer.isApproved = try await texts.approves(answer.code, of: phone)
        return answer
    }

    func raisedAnswer(_ issued: IssuedSession, by kind: Factor.Kind, _ device: Device) async throws -> Response {
        counts.factors.increment(kind.rawValue, "right")
        return try await server.tokens.answer(issued, to: device)
    }

    func refusal(_ outcome: FactorOutcome, of kind: Factor.Kind = .totp, challenge: ChallengeID) -> Refusal {
        switch outcome {
        case .raised, .wrong:
            Refusal(
                .unprocessableContent, .mfaVerificationFailed,
                "Invalid \(kind == .phone ? "MFA Phone" : "TOTP") code entered")
        case .locked(let end):
            .tooManyRequests(retryAfter: end - runtime.now(), bucket: Limits.factorLock)
        case .challengeUnknown:
            Refusal(
                .unprocessableContent, .mfaFactorNotFound, "MFA factor with the provided challenge ID not found")
        case .challengeUsed:
            Refusal(.unprocessableContent, .mfaIPAddressMismatch, "The challenge was used already.")
        case .challengeExpired:
            Refusal(
                .unprocessableContent, .mfaChallengeExpired,
                "MFA challenge \(challenge.text) has expired, verify against another challenge or create a new challenge."
            )
        case .unknown: .factorUnknown
        case .tooLow: .newFactorLevel
        case .stale: .freshSignInRequired
        case .ended: .sessionExpired
        }
    }

    @Sendable func removeFactor(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (caller, factor) = try await ownFactor(request, context)
        if factor.isVerified, caller.hasOldToken { throw Refusal.removalLevel }
        let outcome = try await accounts.factors.removeFactor(
            factor.id, of: caller.user.id, in: caller.session?.id, from: try callers.device(request, context),
            at: runtime.now())
        switch outcome {
        case .removed(let factor): return Answer.id(factor.id)
        case .unknown: throw Refusal.factorUnknown
        case .ended: throw Refusal.sessionExpired
        case .tooLow: throw Refusal.removalLevel
        case .stale: throw Refusal.freshSignInRequired
        case .isRecoverySet:
            throw Refusal(
                .unprocessableContent, .validationFailed,
                "Recovery codes cannot be unenrolled with this endpoint, use DELETE /factors/recovery-codes")
        case .leavesCodesAlone:
            throw Refusal(
                .unprocessableContent, .mfaRecoveryCodesSoleFactor,
                "Recovery codes cannot be the only verified factor. Please enroll another factor before unenrolling "
                    + "this one or delete your recovery codes.")
        }
    }
}
