import Foundation
import Gatehouse
import GatehouseModel

/// What protects the accounts, and what sessions have proven.
struct InMemoryProtection: Sendable {
    struct Codes: Sendable {
        var factor: UUID
        var left: [String]
        var total: Int
        var failures = 0
        var lockedUntil: Date?
    }

    struct Key: Sendable {
        var passkey: Passkey
        /// The authenticator's id of it.
        var credential: String
    }

    /// Recovery codes by account.
    var codes: [UUID: Codes] = [:]
    /// The last step whose code was accepted, by factor.
    var usedSteps: [UUID: Int] = [:]
    /// The factor that raised a session last, by session number.
    var raised: [Int: UUID] = [:]
    /// Passkeys by account.
    var keys: [UUID: [Key]] = [:]
    /// The accounts of open challenges; nil for a sign-in.
    var challenges: [UUID: UUID?] = [:]
}

extension InMemoryServer {
    /// The code that an authenticator app shows now.
    static func code(of factor: UUID, at now: Date) -> String {
        let step = Int(now.timeIntervalSince1970 / 30)
        let seed = withUnsafeBytes(of: factor.uuid) { $0.reduce(17) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF } }
        let code = String((seed &+ step &* 7_919) % 1_000_000)
        return String(repeating: "0", count: 6 - code.count) + code
    }

    /// Whether the account has a verified factor.
    func hasSecondFactor(_ id: UUID) -> Bool { factors(of: id).contains { $0.status == .verified } }

    /// A session that continues another one keeps its level.
    mutating func keepLevel(of session: Int, in opened: Opened, at now: Date) throws(AuthClientError) -> Opened {
        guard let factor = protection.raised[session] else { return opened }
        protection.raised[opened.id] = factor
        return try refresh(opened.id, at: now)
    }

    private func factors(of id: UUID) -> [Factor] { account(id)?.user.factors ?? [] }

    private mutating func setFactors(_ factors: [Factor], of id: UUID) { update(id) { $0.user.factors = factors } }

    /// The access token of a session: opaque, and after a second factor with the claim that clients read.
    func accessToken(_ number: Int, of session: Int) -> String {
        guard protection.raised[session] != nil else { return "access-\(number)" }
        return "e30.\(Base64URL.text(Array(#"{"aal":"aal2"}"#.utf8))).\(number)"
    }

    /// - Throws: `insufficient_aal` for an account with a factor, in a session that has not proven one.
    func requireLevel(_ session: Int, status: Int = 403) throws(AuthClientError) {
        guard let id = sessions[session], hasSecondFactor(id) else { return }
        guard protection.raised[session] != nil else { throw Fault.refused(status, .insufficientAAL) }
    }

    mutating func enroll(
        _ kept: InMemoryDevice.Kept, name: String?, at now: Date
    ) throws(AuthClientError) -> AuthMFAEnrollResponse {
        guard settings.allowsAuthenticatorApps else { throw Fault.refused(422, .mfaTOTPEnrollNotEnabled) }
        let id = kept.session.user.id
        let known = factors(of: id)
        guard !known.contains(where: { $0.friendlyName == name }) else {
            throw Fault.refused(422, .mfaFactorNameConflict)
        }
        guard known.count < 10 else { throw Fault.refused(422, .tooManyEnrolledMFAFactors) }
        try requireLevel(kept.id)
        let factor = Factor(
            id: Fixtures.id(number()), factorType: .totp, status: .unverified, friendlyName: name, createdAt: now,
            updatedAt: now)
        setFactors(known + [factor], of: id)
        return AuthMFAEnrollResponse(
            id: factor.id, type: .totp, friendlyName: name,
            totp: .init(qrCode: Fixtures.qrCode, secret: Fixtures.appSecret, uri: Fixtures.appURI))
    }

    /// Each code works once, one step early or late.
    mutating func verify(
        _ kept: InMemoryDevice.Kept, code: String, of factor: UUID, at now: Date
    ) throws(AuthClientError) -> Opened {
        let id = kept.session.user.id
        guard let known = factors(of: id).first(where: { $0.id == factor && $0.factorType == .totp }) else {
            throw Fault.refused(404, .mfaFactorNotFound)
        }
        if known.status != .verified { try requireLevel(kept.id) }
        let step = Int(now.timeIntervalSince1970 / 30)
        let fits = [-1, 0, 1].map { step + $0 }.first { step in
            Self.code(of: factor, at: Date(timeIntervalSince1970: Double(step) * 30)) == code
        }
        guard let fits, fits > protection.usedSteps[factor] ?? .min else {
            throw Fault.refused(422, .mfaVerificationFailed)
        }
        protection.usedSteps[factor] = fits
        let others = factors(of: id).filter { $0.factorType != .totp || $0.status == .verified || $0.id == factor }
        setFactors(
            others.map { other in
                var changed = other
                if other.id == factor { changed.status = .verified }
                return changed
            }, of: id)
        return try raise(kept, by: factor, at: now)
    }

    /// Ends the user's other sessions that have not proven a factor.
    private mutating func raise(
        _ kept: InMemoryDevice.Kept, by factor: UUID, at now: Date
    ) throws(AuthClientError) -> Opened {
        protection.raised[kept.id] = factor
        let raised = protection.raised
        end(.signedOut) { $0.value == kept.session.user.id && raised[$0.key] == nil }
        return try refresh(kept.id, at: now)
    }

    mutating func removeFactor(_ kept: InMemoryDevice.Kept, _ factor: UUID) throws(AuthClientError) {
        let id = kept.session.user.id
        guard let known = factors(of: id).first(where: { $0.id == factor }) else {
            throw Fault.refused(404, .mfaFactorNotFound)
        }
        if known.status == .verified {
            try requireLevel(kept.id, status: 422)
            let isLast = !factors(of: id).contains {
                $0.id != factor && $0.factorType != .recoveryCode && $0.status == .verified
            }
            if isLast, protection.codes[id] != nil { throw Fault.refused(422, .mfaRecoveryCodesSoleFactor) }
        }
        drop(factor, of: id)
    }

    private mutating func drop(_ factor: UUID, of id: UUID) {
        setFactors(factors(of: id).filter { $0.id != factor }, of: id)
        protection.raised = protection.raised.filter { $0.value != factor }
    }
}

// Recovery codes.
extension InMemoryServer {
    mutating func makeCodes(
        _ kept: InMemoryDevice.Kept, replacing: Bool, at now: Date
    ) throws(AuthClientError) -> AuthMFARecoveryCodesGenerateResponse {
        guard settings.allowsRecoveryCodes else { throw Fault.refused(422, .mfaRecoveryCodesEnrollNotEnabled) }
        let id = kept.session.user.id
        try requireLevel(kept.id)
        let known = protection.codes[id]
        if replacing, known == nil { throw Fault.refused(404, .mfaFactorNotFound) }
        if !replacing, known != nil { throw Fault.refused(422, .mfaVerifiedFactorExists) }
        guard factors(of: id).contains(where: { $0.factorType != .recoveryCode && $0.status == .verified }) else {
            throw Fault.refused(422, .mfaRecoveryCodesSoleFactor)
        }
        let factor = known?.factor ?? Fixtures.id(number())
        let codes = Fixtures.recoveryCodes(number())
        protection.codes[id] = InMemoryProtection.Codes(factor: factor, left: codes, total: codes.count)
        if known == nil {
            let set = Factor(
                id: factor, factorType: .recoveryCode, friendlyName: "Recovery codes", createdAt: now, updatedAt: now)
            setFactors(factors(of: id) + [set], of: id)
        }
        return AuthMFARecoveryCodesGenerateResponse(id: factor, friendlyName: "Recovery codes", codes: codes)
    }

    func codesStatus(of id: UUID) -> AuthMFARecoveryCodesStatusResponse? {
        protection.codes[id].map {
            AuthMFARecoveryCodesStatusResponse(id: $0.factor, total: $0.total, remaining: $0.left.count)
        }
    }

    mutating func deleteCodes(_ kept: InMemoryDevice.Kept) throws(AuthClientError) {
        let id = kept.session.user.id
        try requireLevel(kept.id)
        guard let known = protection.codes[id] else { throw Fault.refused(404, .mfaFactorNotFound) }
        protection.codes[id] = nil
        drop(known.factor, of: id)
    }

    /// Five wrong codes lock the set for 15 minutes. A refusal that counts is returned.
    mutating func verify(
        _ kept: InMemoryDevice.Kept, recoveryCode: String, at now: Date
    ) throws(AuthClientError) -> Result<Opened, AuthClientError> {
        let id = kept.session.user.id
        guard var codes = protection.codes[id] else { return .failure(Fault.refused(422, .mfaVerificationFailed)) }
        if let until = codes.lockedUntil, now < until {
            return .failure(
                Fault.refused(429, .mfaRecoveryCodesLocked, retryAfter: .seconds(until.timeIntervalSince(now))))
        }
        let plain = recoveryCode.lowercased().filter { !$0.isWhitespace && $0 != "-" }
        guard let index = codes.left.firstIndex(where: { $0 == plain }) else {
            codes.failures = codes.lockedUntil == nil ? codes.failures + 1 : 1
            codes.lockedUntil = codes.failures == 5 ? now + 900 : nil
            protection.codes[id] = codes
            return .failure(Fault.refused(422, .mfaVerificationFailed))
        }
        codes.left.remove(at: index)
        (codes.failures, codes.lockedUntil) = (0, nil)
        protection.codes[id] = codes
        return .success(try raise(kept, by: codes.factor, at: now))
    }
}
