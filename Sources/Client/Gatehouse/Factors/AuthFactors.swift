public import Foundation
import GatehouseWire

extension GatehouseClient {
    /// Second factors: authenticator apps, security keys and recovery codes.
    public var mfa: AuthFactors { AuthFactors(client: self) }
}

/// The second factors of the signed-in user.
///
/// Once a factor is verified, a session that began with a password, a provider or a mail has the level `aal1`, and a
/// code raises it to `aal2`. A verification replaces the tokens of the session in place: no refresh runs at the same
/// time, and if its answer is lost, the user stays signed in and enters the next code.
///
/// Every call throws ``AuthClientError`` (`signedOut` without a session), or `CancellationError`.
///
/// ```swift
/// let factor = try await client.mfa.enroll(params: .totp(issuer: "Journal"))
/// show(factor.totp?.qrCode)
/// try await client.mfa.challengeAndVerify(params: FactorChallengeAndVerifyParams(factorId: factor.id, code: code))
/// ```
public struct AuthFactors: Sendable {
    let client: GatehouseClient

    /// Adds a factor, which protects the account when it is verified. Its secret is sent only once.
    ///
    /// - Throws: ``AuthClientError``. Codes: `insufficient_aal` if the account has a factor and the session is `aal1`;
    ///   `mfa_factor_name_conflict`; `too_many_enrolled_mfa_factors`; `mfa_totp_enroll_not_enabled` and others alike.
    public func enroll(params: FactorEnrollParams) async throws -> AuthEnrolledFactor {
        try await client.read(AuthRequest("POST", "/factors", body: params.body)) { json throws(WireProblem) in
            try AuthEnrolledFactor(json: json)
        }
    }

    /// Requests a challenge for a factor. It is valid for a few minutes, for any session of the user.
    ///
    /// - Throws: ``AuthClientError``. Codes: `mfa_factor_not_found`; `over_request_rate_limit`;
    ///   `mfa_totp_verify_not_enabled` and others alike.
    public func challenge(params: FactorChallengeParams) async throws -> AuthFactorChallenge {
        try await client.read(
            AuthRequest("POST", Self.path(params.factorId) + "/challenge")
        ) { json throws(WireProblem) in try AuthFactorChallenge(json: json) }
    }

    /// Answers a challenge. The session is then `aal2`, and the user's other sessions below `aal2` end.
    ///
    /// - Throws: ``AuthClientError``. Codes: `mfa_verification_failed` for a wrong or used code;
    ///   `mfa_challenge_expired`; `mfa_factor_not_found` for an unknown factor or challenge;
    ///   `mfa_ip_address_mismatch` for a used challenge; `over_request_rate_limit`. The session stays as it is, also
    ///   after `offline`: enter the next code.
    @discardableResult
    public func verify(params: FactorVerifyParams) async throws -> AuthSession {
        try await client.raise(AuthRequest("POST", Self.path(params.factorId) + "/verify", body: params.body))
    }

    /// Requests a challenge, and answers it with a code.
    ///
    /// - Throws: As ``challenge(params:)`` and ``verify(params:)``.
    @discardableResult
    public func challengeAndVerify(params: FactorChallengeAndVerifyParams) async throws -> AuthSession {
        let challenge = try await challenge(params: FactorChallengeParams(factorId: params.factorId))
        return try await verify(
            params: FactorVerifyParams(factorId: params.factorId, challengeId: challenge.id, code: params.code))
    }

    /// Requests a challenge for a security key, and answers it with one that the user chooses.
    ///
    /// - Throws: As ``challenge(params:)`` and ``verify(params:)``; ``AuthClientError``: `cancelled`, `noPasskey` or
    ///   `passkeyFailed` of the authenticator; `unexpectedAnswer` for a factor that is no security key.
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

    /// Removes a factor. The sessions that it raised last return to `aal1` and stay signed in.
    ///
    /// - Throws: ``AuthClientError``. Codes: `insufficient_aal` for a verified factor in a session of `aal1`;
    ///   `mfa_factor_not_found`; `mfa_recovery_codes_sole_factor` for the last one other than recovery codes;
    ///   `fresh_sign_in_required` if the server requires a recent proof.
    @discardableResult
    public func unenroll(params: FactorUnenrollParams) async throws -> AuthUnenrolledFactor {
        try await client.remove(factor: params.factorId, by: AuthRequest("DELETE", Self.path(params.factorId)))
        return AuthUnenrolledFactor(id: params.factorId)
    }

    /// Fetches the factors from the server.
    public func listFactors() async throws -> AuthFactorList {
        AuthFactorList(all: try await client.user().factors ?? [])
    }

    /// The level of the session, and the level that it can reach. Makes no call to the server.
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
    /// The options in the form that passkeys have.
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

    /// How many codes are left. Works at any level.
    ///
    /// - Throws: ``AuthClientError``, with the code `mfa_factor_not_found` for a user without recovery codes.
    public func status() async throws -> AuthRecoveryCodesStatus {
        try await client.read(AuthRequest("GET", Self.path)) { json throws(WireProblem) in
            try AuthRecoveryCodesStatus(json: json)
        }
    }

    /// Creates the set. The codes are sent only here and by ``regenerate()``.
    ///
    /// - Throws: ``AuthClientError``. Codes: `insufficient_aal` in a session of `aal1`; `mfa_verified_factor_exists` if
    ///   there is a set; `mfa_recovery_codes_sole_factor` without another factor;
    ///   `mfa_recovery_codes_enroll_not_enabled`.
    public func generate(friendlyName: String? = nil) async throws -> AuthRecoveryCodes {
        let body = friendlyName.map { ["friendly_name": AuthJSON.string($0) as AuthJSON?] }
        let codes = try await client.read(AuthRequest("POST", Self.path, body: body)) { json throws(WireProblem) in
            try AuthRecoveryCodes(json: json)
        }
        await client.refetchUser()
        return codes
    }

    /// Raises the session with one of the codes, which is then used up. Case, spaces and hyphens do not matter.
    ///
    /// - Throws: ``AuthClientError``. Codes: `mfa_verification_failed` for a wrong or used code;
    ///   `mfa_recovery_codes_locked` after too many, with ``AuthRefusal/retryAfter`` if the server says how long;
    ///   `mfa_recovery_codes_verify_not_enabled`. After `offline` the code may be used up.
    @discardableResult
    public func verify(code: String) async throws -> AuthSession {
        try await client.raise(
            AuthRequest("POST", Self.path + "/verify", body: ["code": .string(code.withASCIIDigits)]))
    }

    /// Replaces all codes, also those that are left.
    ///
    /// - Throws: ``AuthClientError``. Codes: `insufficient_aal` in a session of `aal1`; `mfa_factor_not_found` if there
    ///   is no set.
    public func regenerate() async throws -> AuthRecoveryCodes {
        try await client.read(AuthRequest("POST", Self.path + "/regenerate")) { json throws(WireProblem) in
            try AuthRecoveryCodes(json: json)
        }
    }

    /// Deletes the set.
    ///
    /// - Throws: ``AuthClientError``. Codes: `insufficient_aal` in a session of `aal1`; `mfa_factor_not_found` if there
    ///   is no set; `fresh_sign_in_required` if the server requires a recent proof.
    @discardableResult
    public func unenroll() async throws -> AuthUnenrolledFactor {
        let status = try await client.read(AuthRequest("DELETE", Self.path)) { json throws(WireProblem) in
            try WireMembers(json, path: "recovery_codes").uuid("id")
        }
        await client.forget(factor: status)
        return AuthUnenrolledFactor(id: status)
    }
}
