public import Foundation
import GatehouseWire

/// The factor to enroll.
///
/// ```swift
/// let factor = try await client.mfa.enroll(params: .totp(issuer: "Journal", friendlyName: "My phone"))
/// ```
public struct FactorEnrollParams: Hashable, Sendable {
    /// Its kind.
    public var factorType: AuthFactorType
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

    var body: [String: AuthJSON?] {
        [
            "factor_type": .string(factorType.rawValue), "friendly_name": friendlyName.json, "issuer": issuer.json,
            "phone": phone.json,
        ]
    }
}

/// The factor to challenge.
public struct FactorChallengeParams: Hashable, Sendable {
    /// Its id.
    public var factorId: UUID

    /// Creates the parameters.
    public init(factorId: UUID) { self.factorId = factorId }
}

/// The answer to a challenge. Does not print it.
public struct FactorVerifyParams: Hashable, Sendable {
    /// The factor's id.
    public var factorId: UUID
    /// The id of its challenge.
    public var challengeId: UUID
    /// The code of the authenticator app; nil for an authenticator.
    public var code: String?
    /// The answer of an authenticator: `RegistrationResponseJSON` or `AuthenticationResponseJSON`.
    public var credentialResponse: AuthJSON?
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
    public init(factorId: UUID, challengeId: UUID, credentialResponse: AuthJSON, creates: Bool) {
        self.factorId = factorId
        self.challengeId = challengeId
        self.credentialResponse = credentialResponse
        self.creates = creates
    }

    var body: [String: AuthJSON?] {
        [
            "challenge_id": .string(challengeId.uuidString.lowercased()), "code": (code?.withASCIIDigits).json,
            "webauthn": credentialResponse.map { answer in
                ["type": creates ? "create" : "request", "credential_response": answer]
            },
        ]
    }
}

extension FactorVerifyParams: Unprinted {
    public var description: String { "MFAVerifyParams(factorId: \(factorId), code: <secret>)" }
}

/// A code of an authenticator app. Does not print it.
public struct FactorChallengeAndVerifyParams: Hashable, Sendable {
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

extension FactorChallengeAndVerifyParams: Unprinted {
    public var description: String { "MFAChallengeAndVerifyParams(factorId: \(factorId), code: <secret>)" }
}

/// The factor to remove.
public struct FactorUnenrollParams: Hashable, Sendable {
    /// Its id.
    public var factorId: UUID

    /// Creates the parameters.
    public init(factorId: UUID) { self.factorId = factorId }
}

/// The removed factor.
public struct AuthUnenrolledFactor: Hashable, Sendable {
    /// Its id.
    public let id: UUID
}

/// The factors of the account.
public struct AuthFactorList: Hashable, Sendable {
    /// All factors, also those that are not proven yet.
    public let all: [AuthFactor]

    /// The proven authenticator apps.
    public var totp: [AuthFactor] { verified(.totp) }
    /// The proven telephone numbers.
    public var phone: [AuthFactor] { verified(.phone) }
    /// The proven authenticators.
    public var webAuthn: [AuthFactor] { verified(.webAuthn) }
    /// The recovery codes: at most one set.
    public var recoveryCode: [AuthFactor] { verified(.recoveryCode) }

    private func verified(_ type: AuthFactorType) -> [AuthFactor] {
        all.filter { $0.factorType == type && $0.status == .verified }
    }
}

/// How surely a session's user is who they say (NIST SP 800-63B).
public struct AuthAssuranceLevel: RawRepresentable, Hashable, Sendable {
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
public struct AuthMethodReference: Hashable, Sendable {
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
public struct AuthAssuranceLevels: Hashable, Sendable {
    /// The level of the access token; nil without a session, or if the token does not say.
    public let currentLevel: AuthAssuranceLevel?
    /// ``AuthAssuranceLevel/aal2`` if the account has a proven factor, otherwise ``currentLevel``. If they
    /// differ, ask for a code.
    public let nextLevel: AuthAssuranceLevel?
    /// The methods with which the user signed in, newest first.
    public let currentAuthenticationMethods: [AuthMethodReference]
}

extension AuthSession {
    /// The level of the access token, and the level that the session can reach.
    public var assurance: AuthAssuranceLevels {
        let claims = AccessTokenClaims(accessToken)
        let hasFactor = (user.factors ?? []).contains { $0.status == .verified }
        return AuthAssuranceLevels(
            currentLevel: claims?.level, nextLevel: hasFactor ? .aal2 : claims?.level,
            currentAuthenticationMethods: claims?.methods ?? [])
    }
}

/// The claims of an access token that the client reads, without verifying them: the server decides by its own rows.
struct AccessTokenClaims {
    private let claims: AuthJSON

    /// - Returns: nil for a token that is not a JWT (RFC 7519), which is opaque to the client.
    init?(_ accessToken: String) {
        let parts = Array(accessToken.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]) else { return nil }
        // Ignored: without JSON claims, the token is opaque.
        guard let claims = try? JSONReader.read(payload) else { return nil }
        self.claims = claims
    }

    /// `session_id`.
    var sessionID: UUID? { claims["session_id"]?.stringValue.flatMap { UUID(uuidString: $0) } }

    /// `aal`.
    var level: AuthAssuranceLevel? {
        claims["aal"]?.stringValue.map { AuthAssuranceLevel(rawValue: $0) }
    }

    /// `amr`.
    var methods: [AuthMethodReference] {
        (claims["amr"]?.arrayValue ?? []).compactMap { entry in
            guard let method = entry["method"]?.stringValue, let time = entry["timestamp"]?.intValue else { return nil }
            return AuthMethodReference(method: method, timestamp: TimeInterval(time))
        }
    }
}
