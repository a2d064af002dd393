public import Foundation
import GatehouseWire

/// A second factor of an account.
public typealias Factor = AuthFactor
/// The kind of a factor.
public typealias FactorType = AuthFactorType
/// Whether a factor can be used.
public typealias FactorStatus = AuthFactorStatus
/// A new factor with its secret.
public typealias AuthMFAEnrollResponse = AuthEnrolledFactor
/// A challenge for a factor.
public typealias AuthMFAChallengeResponse = AuthFactorChallenge
/// The session after a verification.
public typealias AuthMFAVerifyResponse = Session
/// How many recovery codes are left.
public typealias AuthMFARecoveryCodesStatusResponse = AuthRecoveryCodesStatus
/// A new set of recovery codes.
public typealias AuthMFARecoveryCodesGenerateResponse = AuthRecoveryCodes

/// The factor to enroll.
///
/// ```swift
/// let factor = try await client.mfa.enroll(params: .totp(issuer: "Journal", friendlyName: "My phone"))
/// ```
public struct MFAEnrollParams: Hashable, Sendable {
    /// Its kind.
    public var factorType: FactorType
    /// The user's name for it, unique among the account's factors.
    public var friendlyName: String?
    /// The name of the app in the authenticator app; nil for the server's address.
    public var issuer: String?
    /// The number of a telephone factor with `+`.
    public var phone: String?

    /// An authenticator app.
    public static func totp(issuer: String? = nil, friendlyName: String? = nil) -> Self {
        Self(factorType: .totp, friendlyName: friendlyName, issuer: issuer)
    }

    /// A telephone number.
    public static func phone(friendlyName: String? = nil, phone: String) -> Self {
        Self(factorType: .phone, friendlyName: friendlyName, phone: phone)
    }

    /// A security key or another authenticator.
    public static func webAuthn(friendlyName: String? = nil) -> Self {
        Self(factorType: .webAuthn, friendlyName: friendlyName)
    }

    var body: [String: AnyJSON?] {
        [
            "factor_type": .string(factorType.rawValue), "friendly_name": friendlyName.json, "issuer": issuer.json,
            "phone": phone.json,
        ]
    }
}

/// The factor to challenge.
public struct MFAChallengeParams: Hashable, Sendable {
    /// Its id.
    public var factorId: UUID

    /// Creates the parameters.
    public init(factorId: UUID) { self.factorId = factorId }
}

/// The answer to a challenge. Does not print it.
public struct MFAVerifyParams: Hashable, Sendable {
    /// The factor's id.
    public var factorId: UUID
    /// The id of its challenge.
    public var challengeId: UUID
    /// The code of the authenticator app; nil for an authenticator.
    public var code: String?
    /// The answer of an authenticator: `RegistrationResponseJSON` or `AuthenticationResponseJSON`.
    public var credentialResponse: AnyJSON?
    /// Whether the authenticator has created a key; see ``AuthFactorChallenge/WebAuthn/creates``.
    public var creates = false

    /// With a code.
    public init(factorId: UUID, challengeId: UUID, code: String) {
        self.factorId = factorId
        self.challengeId = challengeId
        self.code = code
    }

    /// With the answer of an authenticator.
    ///
    /// - Parameter creates: ``AuthFactorChallenge/WebAuthn/creates`` of the challenge.
    public init(factorId: UUID, challengeId: UUID, credentialResponse: AnyJSON, creates: Bool) {
        self.factorId = factorId
        self.challengeId = challengeId
        self.credentialResponse = credentialResponse
        self.creates = creates
    }

    var body: [String: AnyJSON?] {
        [
            "challenge_id": .string(challengeId.uuidString.lowercased()), "code": (code?.withASCIIDigits).json,
            "webauthn": credentialResponse.map { answer in
                ["type": creates ? "create" : "request", "credential_response": answer]
            },
        ]
    }
}

extension MFAVerifyParams: Unprinted {
    public var description: String { "MFAVerifyParams(factorId: \(factorId), code: <secret>)" }
}

/// A code of an authenticator app. Does not print it.
public struct MFAChallengeAndVerifyParams: Hashable, Sendable {
    /// The factor's id.
    public var factorId: UUID
    /// The code.
    public var code: String

    /// Creates the parameters.
    public init(factorId: UUID, code: String) {
        self.factorId = factorId
        self.code = code
    }
}

extension MFAChallengeAndVerifyParams: Unprinted {
    public var description: String { "MFAChallengeAndVerifyParams(factorId: \(factorId), code: <secret>)" }
}

/// The factor to remove.
public struct MFAUnenrollParams: Hashable, Sendable {
    /// Its id.
    public var factorId: UUID

    /// Creates the parameters.
    public init(factorId: UUID) { self.factorId = factorId }
}

/// The removed factor.
public struct AuthMFAUnenrollResponse: Hashable, Sendable {
    /// Its id.
    public let id: UUID
}

/// The factors of the account.
public struct AuthMFAListFactorsResponse: Hashable, Sendable {
    /// All factors, also those that are not proven yet.
    public let all: [Factor]

    /// The proven authenticator apps.
    public var totp: [Factor] { verified(.totp) }
    /// The proven telephone numbers.
    public var phone: [Factor] { verified(.phone) }
    /// The proven authenticators.
    public var webAuthn: [Factor] { verified(.webAuthn) }
    /// The recovery codes: at most one set.
    public var recoveryCode: [Factor] { verified(.recoveryCode) }

    private func verified(_ type: FactorType) -> [Factor] {
        all.filter { $0.factorType == type && $0.status == .verified }
    }
}

/// How surely a session's user is who they say (NIST SP 800-63B).
public struct AuthenticatorAssuranceLevel: RawRepresentable, Hashable, Sendable {
    /// `aal1` or `aal2`.
    public let rawValue: String

    /// Any level.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// One factor.
    public static let aal1 = Self(rawValue: "aal1")
    /// Two factors.
    public static let aal2 = Self(rawValue: "aal2")
}

/// A way in which the user of a session has signed in or proven who they are.
public struct AMREntry: Hashable, Sendable {
    /// Such as `password`, `totp`, `passkey` or `mfa/recovery_code`.
    public var method: String
    /// When, by the server's clock, in seconds since 1970.
    public var timestamp: TimeInterval

    /// For tests and previews.
    public init(method: String, timestamp: TimeInterval) {
        self.method = method
        self.timestamp = timestamp
    }
}

/// The level of a session, and the level that it can reach.
public struct AuthMFAGetAuthenticatorAssuranceLevelResponse: Hashable, Sendable {
    /// The level of the access token; nil without a session, or if the token does not say.
    public let currentLevel: AuthenticatorAssuranceLevel?
    /// ``AuthenticatorAssuranceLevel/aal2`` if the account has a proven factor, otherwise ``currentLevel``. If they
    /// differ, ask for a code.
    public let nextLevel: AuthenticatorAssuranceLevel?
    /// What the user has proven, the newest first.
    public let currentAuthenticationMethods: [AMREntry]
}

extension Session {
    /// The level of the access token, and the level that the session can reach.
    public var assurance: AuthMFAGetAuthenticatorAssuranceLevelResponse {
        let claims = AccessTokenClaims(accessToken)
        let hasFactor = (user.factors ?? []).contains { $0.status == .verified }
        return AuthMFAGetAuthenticatorAssuranceLevelResponse(
            currentLevel: claims?.level, nextLevel: hasFactor ? .aal2 : claims?.level,
            currentAuthenticationMethods: claims?.methods ?? [])
    }
}

/// The claims of an access token that the client reads, without verifying them: the server decides by its own rows.
struct AccessTokenClaims {
    private let claims: AnyJSON

    /// - Returns: nil for a token that is not a JWT (RFC 7519), which is opaque to the client.
    init?(_ accessToken: String) {
        let parts = Array(accessToken.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]) else { return nil }
        // Lost: why the payload is not JSON.
        guard let claims = try? JSONReader.read(payload) else { return nil }
        self.claims = claims
    }

    /// `session_id`.
    var sessionID: UUID? { claims["session_id"]?.stringValue.flatMap { UUID(uuidString: $0) } }

    /// `aal`.
    var level: AuthenticatorAssuranceLevel? {
        claims["aal"]?.stringValue.map { AuthenticatorAssuranceLevel(rawValue: $0) }
    }

    /// `amr`.
    var methods: [AMREntry] {
        (claims["amr"]?.arrayValue ?? []).compactMap { entry in
            guard let method = entry["method"]?.stringValue, let time = entry["timestamp"]?.intValue else { return nil }
            return AMREntry(method: method, timestamp: TimeInterval(time))
        }
    }
}
