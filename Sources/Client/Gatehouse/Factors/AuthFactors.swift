public import Foundation
import GatehouseWire

extension GatehouseClient {
    /// Second factors: authenticator apps, security keys, telephone numbers and recovery codes.
    public var mfa: AuthFactors { AuthFactors(client: self) }
}

/// The signed-in user's second factors.
///
/// Once a factor is verified, sign-ins by password, provider or email have the level `aal1`, and a code raises them to
/// `aal2`. Raising replaces the session's tokens in place. After a lost response, the user stays signed in and enters
/// the next code.
///
/// Calls throw as ``GatehouseClient`` describes; `insufficient_aal` means that the session is `aal1`.
///
/// ```swift
/// let factor = try await client.mfa.enroll(params: .totp(issuer: "Journal"))
/// show(factor.totp?.qrCode)
/// try await client.mfa.challengeAndVerify(params: FactorChallengeAndVerifyParams(factorId: factor.id, code: code))
/// ```
public struct AuthFactors: Sendable {
    let client: GatehouseClient

    /// Adds a factor, which protects the account once verified. Its secret is sent only once.
    ///
    /// - Throws: `insufficient_aal` if the account already has a factor; `mfa_factor_name_conflict`;
    ///   `too_many_enrolled_mfa_factors`; `mfa_totp_enroll_not_enabled` or its like; `mfa_verified_factor_exists` if the
    ///   number is a factor already.
    public func enroll(params: FactorEnrollParams) async throws -> AuthEnrolledFactor {
        try await client.read(AuthRequest("POST", "/factors", body: params.body)) { json throws(WireProblem) in
            try AuthEnrolledFactor(json: json)
        }
    }

    /// Requests a challenge, valid for a few minutes in any session of the user. A telephone factor's code is texted.
    ///
    /// - Throws: `mfa_factor_not_found`; `over_request_rate_limit`; `mfa_totp_verify_not_enabled` or its like;
    ///   `over_sms_send_rate_limit`, with ``AuthRefusal/retryAfter``; `sms_send_failed`.
    public func challenge(params: FactorChallengeParams) async throws -> AuthFactorChallenge {
        let body = params.channel.map { ["channel": AuthJSON.string($0.rawValue) as AuthJSON?] }
        return try await client.read(
            AuthRequest("POST", Self.path(params.factorId) + "/challenge", body: body)
        ) { json throws(WireProblem) in try AuthFactorChallenge(json: json) }
    }

    /// Answers a challenge. Raises the session to `aal2`, and ends the user's other sessions below it.
    ///
    /// - Throws: `mfa_verification_failed`, `mfa_challenge_expired`, `mfa_factor_not_found`, `mfa_ip_address_mismatch`
    ///   for a used challenge, `over_request_rate_limit`. The session stays unchanged, also after `offline`: enter the
    ///   next code.
    @discardableResult
    public func verify(params: FactorVerifyParams) async throws -> AuthSession {
        try await client.raise(AuthRequest("POST", Self.path(params.factorId) + "/verify", body: params.body))
    }

    /// Requests a challenge and answers it with an authenticator app's code.
    ///
    /// - Throws: As ``challenge(params:)`` and ``verify(params:)``.
    @discardableResult
    public func challengeAndVerify(params: FactorChallengeAndVerifyParams) async throws -> AuthSession {
        let challenge = try await challenge(params: FactorChallengeParams(factorId: params.factorId))
        return try await verify(
            params: FactorVerifyParams(factorId: params.factorId, challengeId: challenge.id, code: params.code))
    }

    /// Requests a security key's challenge and lets the user answer it.
    ///
    /// - Throws: As ``challenge(params:)`` and ``verify(params:)``; `cancelled`, `noPasskey` or `passkeyFailed`;
    ///   `unexpectedAnswer` unless the factor is a security key.
    @discardableResult
    public func challengeAndVerify(
        factorId: UUID, with authenticator: any PasskeyAuthenticator
    ) async throws -> AuthSession {
        let challenge = try await challenge(params: FactorChallengeParams(factorId: factorId))
        let answer: AuthJSON
        switch challenge.webAuthn {
        case nil: throw AuthClientError.unexpectedAnswer("challenge.webauthn: expected an object")
        case let ceremony? where ceremony.creates:
            let options = try challenge.options { json throws(WireProblem) in
                try AuthPasskeyRegistrationOptions(json: json)
            }
            answer = try await authenticator.create(options, style: .sheet)
        case .some:
            let options = try challenge.options { json throws(WireProblem) in
                try AuthPasskeyAuthenticationOptions(json: json)
            }
            answer = try await authenticator.get(options, style: .sheet)
        }
        return try await verify(
            params: FactorVerifyParams(
                factorId: factorId, challengeId: challenge.id, credentialResponse: answer,
                creates: challenge.webAuthn?.creates == true))
    }

    /// Removes a factor. Sessions last raised by it return to `aal1`.
    ///
    /// - Throws: `insufficient_aal` for a verified factor, `mfa_factor_not_found`, `mfa_recovery_codes_sole_factor`,
    ///   `fresh_sign_in_required`.
    @discardableResult
    public func unenroll(params: FactorUnenrollParams) async throws -> AuthUnenrolledFactor {
        try await client.remove(factor: params.factorId, by: AuthRequest("DELETE", Self.path(params.factorId)))
        return AuthUnenrolledFactor(id: params.factorId)
    }

    /// Fetches the factors from the server.
    public func listFactors() async throws -> AuthFactorList {
        AuthFactorList(all: try await client.user().factors ?? [])
    }

    /// The session's current and reachable level. Sends no request.
    public func getAuthenticatorAssuranceLevel() async throws -> AuthAssuranceLevels {
        await client.currentSession?.assurance
            ?? AuthAssuranceLevels(
                currentLevel: nil, nextLevel: nil, currentAuthenticationMethods: [])
    }

    /// Single-use codes for a user who has lost the other factors.
    public var recoveryCodes: AuthFactorRecoveryCodes { AuthFactorRecoveryCodes(client: client) }

    private static func path(_ factor: UUID) -> String { "/factors/" + factor.uuidString.lowercased() }
}

extension AuthFactorChallenge {
    fileprivate func options<Options>(
        _ read: (AuthJSON) throws(WireProblem) -> Options
    ) throws(AuthClientError) -> Options {
        let json: AuthJSON = [
            "challenge_id": .string(id.uuidString.lowercased()), "expires_at": .double(expiresAt),
            "options": webAuthn?.credentialOptions ?? .null,
        ]
        do { return try read(json) } catch { throw .unexpectedAnswer(error.description) }
    }
}

/// The signed-in user's recovery codes: one set, which requires another factor.
///
/// ```swift
/// let set = try await client.mfa.recoveryCodes.generate()
/// show(set.codes)
/// ```
public struct AuthFactorRecoveryCodes: Sendable {
    let client: GatehouseClient
    private static let path = "/factors/recovery-codes"

    /// How many codes are left, at any level.
    ///
    /// - Throws: `mfa_factor_not_found` without a set.
    public func status() async throws -> AuthRecoveryCodesStatus {
        try await client.read(AuthRequest("GET", Self.path)) { json throws(WireProblem) in
            try AuthRecoveryCodesStatus(json: json)
        }
    }

    /// Creates the set. The codes are sent only here and by ``regenerate()``.
    ///
    /// - Throws: `insufficient_aal`, `mfa_verified_factor_exists` if there is a set, `mfa_recovery_codes_sole_factor`,
    ///   `mfa_recovery_codes_enroll_not_enabled`.
    public func generate(friendlyName: String? = nil) async throws -> AuthRecoveryCodes {
        let body = friendlyName.map { ["friendly_name": AuthJSON.string($0) as AuthJSON?] }
        let codes = try await client.read(AuthRequest("POST", Self.path, body: body)) { json throws(WireProblem) in
            try AuthRecoveryCodes(json: json)
        }
        await client.refetchUser()
        return codes
    }

    /// Raises the session with a single-use code. Case, spaces and hyphens do not matter.
    ///
    /// - Throws: `mfa_verification_failed`; `mfa_recovery_codes_locked` after too many, with ``AuthRefusal/retryAfter``
    ///   if known; `mfa_recovery_codes_verify_not_enabled`. After `offline` the code may be used up.
    @discardableResult
    public func verify(code: String) async throws -> AuthSession {
        try await client.raise(
            AuthRequest("POST", Self.path + "/verify", body: ["code": .string(code.withASCIIDigits)]))
    }

    /// Replaces all codes.
    ///
    /// - Throws: `insufficient_aal`, `mfa_factor_not_found`.
    public func regenerate() async throws -> AuthRecoveryCodes {
        try await client.read(AuthRequest("POST", Self.path + "/regenerate")) { json throws(WireProblem) in
            try AuthRecoveryCodes(json: json)
        }
    }

    /// Deletes the set.
    ///
    /// - Throws: `insufficient_aal`, `mfa_factor_not_found`, `fresh_sign_in_required`.
    @discardableResult
    public func unenroll() async throws -> AuthUnenrolledFactor {
        let status = try await client.read(AuthRequest("DELETE", Self.path)) { json throws(WireProblem) in
            try WireMembers(json, path: "recovery_codes").uuid("id")
        }
        await client.forget(factor: status)
        return AuthUnenrolledFactor(id: status)
    }
}
