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
    /// The user's name for it, unique in the account.
    public var friendlyName: String?
    /// The app's name in the authenticator; nil for the server's address.
    public var issuer: String?
    /// A telephone factor's number, with `+`.
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
    /// How a telephone factor's code is sent; nil for a text message.
    public var channel: PhoneChannel?

    /// Creates the parameters.
    public init(factorId: UUID) { self.factorId = factorId }

    /// Creates a telephone factor's parameters.
    public init(factorId: UUID, channel: PhoneChannel) {
        self.factorId = factorId
        self.channel = channel
    }
}

/// A challenge's answer. Does not print it.
public struct FactorVerifyParams: Hashable, Sendable {
    /// The factor's id.
    public var factorId: UUID
    /// The challenge's id.
    public var challengeId: UUID
    /// An authenticator app's or a texted code.
    public var code: String?
    /// An authenticator's `RegistrationResponseJSON` or `AuthenticationResponseJSON`.
    public var credentialResponse: AuthJSON?
    /// Whether the authenticator created a key; see ``AuthFactorChallenge/WebAuthn/creates``.
    public var creates = false

    /// Answers with a code.
    public init(factorId: UUID, challengeId: UUID, code: String) {
        self.factorId = factorId
        self.challengeId = challengeId
        self.code = code
    }

    /// Answers with an authenticator's response. `creates` is ``AuthFactorChallenge/WebAuthn/creates``.
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

/// An authenticator app's code. Does not print it.
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

/// An account's factors.
public struct AuthFactorList: Hashable, Sendable {
    /// All factors, including unproven ones.
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

/// How strongly a session's user is authenticated (NIST SP 800-63B).
public struct AuthAssuranceLevel: RawRepresentable, Hashable, Sendable {
    /// `aal1` or `aal2`.
    public let rawValue: String

    /// Accepts unknown levels.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// One factor.
    public static let aal1 = Self(rawValue: "aal1")
    /// Two factors.
    public static let aal2 = Self(rawValue: "aal2")
}

/// A method by which a session's user signed in or was verified.
public struct AuthMethodReference: Hashable, Sendable {
    /// Such as `password`, `totp`, `passkey` or `mfa/recovery_code`.
    public var method: String
    /// In seconds since 1970, by the server's clock.
    public var timestamp: TimeInterval

    /// For tests and previews.
    public init(method: String, timestamp: TimeInterval) {
        self.method = method
        self.timestamp = timestamp
    }
}

/// A session's current and reachable level.
public struct AuthAssuranceLevels: Hashable, Sendable {
    /// The access token's level; nil if unknown.
    public let currentLevel: AuthAssuranceLevel?
    /// ``AuthAssuranceLevel/aal2`` with a proven factor, otherwise ``currentLevel``. If they differ, ask for a code.
    public let nextLevel: AuthAssuranceLevel?
    /// The sign-in's methods, newest first.
    public let currentAuthenticationMethods: [AuthMethodReference]
}

extension AuthSession {
    /// The session's current and reachable level.
    public var assurance: AuthAssuranceLevels {
        let claims = AccessTokenClaims(accessToken)
        let hasFactor = (user.factors ?? []).contains { $0.status == .verified }
        return AuthAssuranceLevels(
            currentLevel: claims?.level, nextLevel: hasFactor ? .aal2 : claims?.level,
            currentAuthenticationMethods: claims?.methods ?? [])
    }
}

/// Unverified: the server decides by its own data.
struct AccessTokenClaims {
    private let claims: AuthJSON

    /// nil for an opaque token (RFC 7519).
    init?(_ accessToken: String) {
        let parts = Array(accessToken.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]) else { return nil }
        // Ignored: such a token is opaque.
        guard let claims = try? JSONReader.read(payload) else { return nil }
        self.claims = claims
    }

    var sessionID: UUID? { claims["session_id"]?.stringValue.flatMap { UUID(uuidString: $0) } }

    var isOfChild: Bool { claims["session_kind"]?.stringValue != nil }

    /// Of the key that the session is bound to (RFC 7800 §3.1).
    var keyThumbprint: String? { claims["cnf"]?["jkt"]?.stringValue }

    var level: AuthAssuranceLevel? {
        claims["aal"]?.stringValue.map { AuthAssuranceLevel(rawValue: $0) }
    }

    var methods: [AuthMethodReference] {
        (claims["amr"]?.arrayValue ?? []).compactMap { entry in
            guard let method = entry["method"]?.stringValue, let time = entry["timestamp"]?.intValue else { return nil }
            return AuthMethodReference(method: method, timestamp: TimeInterval(time))
        }
    }
}
