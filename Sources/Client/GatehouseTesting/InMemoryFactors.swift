import Foundation
import Gatehouse
import GatehouseModel

struct InMemoryProtection: Sendable {
    struct Codes: Sendable {
        var factor: UUID
        var left: [String]
        var total: Int
        var failures = 0
        var lockedUntil: Date?
    }

    struct Key: Sendable {
        var passkey: AuthPasskey
        /// The authenticator's id.
        var credential: String
    }

    /// By account.
    var codes: [UUID: Codes] = [:]
    /// By factor.
    var usedSteps: [UUID: Int] = [:]
    /// The last raising factor, by session number.
    var raised: [Int: UUID] = [:]
    /// By account.
    var keys: [UUID: [Key]] = [:]
    /// nil for a sign-in.
    var challenges: [UUID: UUID?] = [:]
}

extension InMemoryFactors {
    static func code(of factor: UUID, at now: Date) -> String {
        let step = Int(now.timeIntervalSince1970 / 30)
        let seed = withUnsafeBytes(of: factor.uuid) { $0.reduce(17) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF } }
        let code = String((seed &+ step &* 7_919) % 1_000_000)
        return String(repeating: "0", count: 6 - code.count) + code
    }

    func hasSecondFactor(_ id: UUID) -> Bool { factors(of: id).contains { $0.status == .verified } }

    func factors(of id: UUID) -> [AuthFactor] { account(id)?.user.factors ?? [] }

    mutating func setFactors(_ factors: [AuthFactor], of id: UUID) { update(id) { $0.user.factors = factors } }

    /// - Throws: `insufficient_aal` if the account has a factor that the session has not proven.
    func requireLevel(_ session: Int, status: Int = 403) throws(AuthClientError) {
        guard let id = server.sessions[session], hasSecondFactor(id) else { return }
        guard server.protection.raised[session] != nil else { throw Fault.refused(status, .insufficientAAL) }
    }

    mutating func enroll(
        _ caller: Caller, name: String?, at now: Date
    ) throws(AuthClientError) -> AuthEnrolledFactor {
        guard settings.allowsAuthenticatorApps else { throw Fault.refused(422, .mfaTOTPEnrollNotEnabled) }
        let id = caller.user
        let known = factors(of: id)
        guard !known.contains(where: { $0.friendlyName == name }) else {
            throw Fault.refused(422, .mfaFactorNameConflict)
        }
        guard known.count < 10 else { throw Fault.refused(422, .tooManyEnrolledMFAFactors) }
        try requireLevel(caller.id)
        let factor = AuthFactor(
            id: Fixtures.id(number()), factorType: .totp, status: .unverified, friendlyName: name, createdAt: now,
            updatedAt: now)
        setFactors(known + [factor], of: id)
        return AuthEnrolledFactor(
            id: factor.id, type: .totp, friendlyName: name,
            totp: .init(qrCode: Fixtures.qrCode, secret: Fixtures.appSecret, uri: Fixtures.appURI))
    }

    /// Codes are single-use, and valid one step early or late.
    mutating func verify(
        _ caller: Caller, code: String, of factor: UUID?, at now: Date
    ) throws(AuthClientError) -> Opened {
        let id = caller.user
        guard let factor, let known = factors(of: id).first(where: { $0.id == factor && $0.factorType == .totp }) else {
            throw Fault.refused(404, .mfaFactorNotFound)
        }
        if known.status != .verified { try requireLevel(caller.id) }
        let step = Int(now.timeIntervalSince1970 / 30)
        let fits = [-1, 0, 1].map { step + $0 }.first { step in
            Self.code(of: factor, at: Date(timeIntervalSince1970: Double(step) * 30)) == code
        }
        guard let fits, fits > server.protection.usedSteps[factor] ?? .min else {
            throw Fault.refused(422, .mfaVerificationFailed)
        }
        server.protection.usedSteps[factor] = fits
        let others = factors(of: id).filter { $0.factorType != .totp || $0.status == .verified || $0.id == factor }
        setFactors(
            others.map { other in
                var changed = other
                if other.id == factor { changed.status = .verified }
                return changed
            }, of: id)
        return try raise(caller, by: factor, at: now)
    }

    /// Ends the user's other unproven sessions.
    mutating func raise(
        _ caller: Caller, by factor: UUID, at now: Date
    ) throws(AuthClientError) -> Opened {
        server.protection.raised[caller.id] = factor
        let raised = server.protection.raised
        end(.signedOut) { $0.value == caller.user && raised[$0.key] == nil }
        return try server.refresh(caller.id, at: now)
    }

    mutating func removeFactor(_ caller: Caller, _ factor: UUID) throws(AuthClientError) {
        let id = caller.user
        guard let known = factors(of: id).first(where: { $0.id == factor }) else {
            throw Fault.refused(404, .mfaFactorNotFound)
        }
        if known.status == .verified {
            try requireLevel(caller.id, status: 422)
            let isLast = !factors(of: id).contains {
                $0.id != factor && $0.factorType != .recoveryCode && $0.status == .verified
            }
            if isLast, server.protection.codes[id] != nil { throw Fault.refused(422, .mfaRecoveryCodesSoleFactor) }
        }
        drop(factor, of: id)
    }

    private mutating func drop(_ factor: UUID, of id: UUID) {
        setFactors(factors(of: id).filter { $0.id != factor }, of: id)
        server.protection.raised = server.protection.raised.filter { $0.value != factor }
    }
}

extension InMemoryFactors {
    mutating func makeCodes(
        _ caller: Caller, replacing: Bool, at now: Date
    ) throws(AuthClientError) -> AuthRecoveryCodes {
        guard settings.allowsRecoveryCodes else { throw Fault.refused(422, .mfaRecoveryCodesEnrollNotEnabled) }
        let id = caller.user
        try requireLevel(caller.id)
        let known = server.protection.codes[id]
        if replacing, known == nil { throw Fault.refused(404, .mfaFactorNotFound) }
        if !replacing, known != nil { throw Fault.refused(422, .mfaVerifiedFactorExists) }
        guard factors(of: id).contains(where: { $0.factorType != .recoveryCode && $0.status == .verified }) else {
            throw Fault.refused(422, .mfaRecoveryCodesSoleFactor)
        }
        let factor = known?.factor ?? Fixtures.id(number())
        let codes = Fixtures.recoveryCodes(number())
        server.protection.codes[id] = InMemoryProtection.Codes(factor: factor, left: codes, total: codes.count)
        if known == nil {
            let set = AuthFactor(
                id: factor, factorType: .recoveryCode, friendlyName: "Recovery codes", createdAt: now, updatedAt: now)
            setFactors(factors(of: id) + [set], of: id)
        }
        return AuthRecoveryCodes(id: factor, friendlyName: "Recovery codes", codes: codes)
    }

    func codesStatus(of id: UUID) -> AuthRecoveryCodesStatus? {
        server.protection.codes[id].map {
            AuthRecoveryCodesStatus(id: $0.factor, total: $0.total, remaining: $0.left.count)
        }
    }

    /// - Returns: The id of the deleted set.
    mutating func deleteCodes(_ caller: Caller) throws(AuthClientError) -> UUID {
        let id = caller.user
        try requireLevel(caller.id)
        guard let known = server.protection.codes[id] else { throw Fault.refused(404, .mfaFactorNotFound) }
        server.protection.codes[id] = nil
        drop(known.factor, of: id)
        return known.factor
    }

    /// Five wrong codes lock the set for 15 minutes.
    mutating func verify(
        _ caller: Caller, recoveryCode: String, at now: Date
    ) throws(AuthClientError) -> Opened {
        let id = caller.user
        guard var codes = server.protection.codes[id] else { throw Fault.refused(422, .mfaVerificationFailed) }
        if let until = codes.lockedUntil, now < until {
            throw Fault.refused(429, .mfaRecoveryCodesLocked, retryAfter: .seconds(until.timeIntervalSince(now)))
        }
        let plain = recoveryCode.lowercased().filter { !$0.isWhitespace && !"-\u{2066}\u{2069}".contains($0) }
        guard let index = codes.left.firstIndex(where: { $0 == plain }) else {
            codes.failures = codes.lockedUntil == nil ? codes.failures + 1 : 1
            codes.lockedUntil = codes.failures == 5 ? now + 900 : nil
            server.protection.codes[id] = codes
            throw Fault.refused(422, .mfaVerificationFailed)
        }
        codes.left.remove(at: index)
        (codes.failures, codes.lockedUntil) = (0, nil)
        server.protection.codes[id] = codes
        return try raise(caller, by: codes.factor, at: now)
    }
}
