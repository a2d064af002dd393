public import Foundation

/// A second factor, such as an authenticator app ([Multi-factor
/// authentication](https://supabase.com/docs/guides/auth/auth-mfa)). Contains no secret.
public struct AuthFactor: Hashable, Sendable, Identifiable {
    /// Its id, for challenges, verification and removal.
    public var id: UUID
    /// Its kind.
    public var factorType: AuthFactorType
    /// Whether a code has proven it.
    public var status: AuthFactorStatus
    /// The user's name for it.
    public var friendlyName: String?
    /// Digits without `+`; nil unless the factor is a telephone.
    public var phone: String?
    /// When it was enrolled.
    public var createdAt: Date
    /// When it was last changed.
    public var updatedAt: Date
    /// When a challenge for it was last requested.
    public var lastChallengedAt: Date?

    /// For tests and previews.
    public init(
        id: UUID, factorType: AuthFactorType, status: AuthFactorStatus = .verified, friendlyName: String? = nil,
        phone: String? = nil, createdAt: Date, updatedAt: Date, lastChallengedAt: Date? = nil
    ) {
        self.id = id
        self.factorType = factorType
        self.status = status
        self.friendlyName = friendlyName
        self.phone = phone
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.lastChallengedAt = lastChallengedAt
    }
}

/// The server's name for a factor's kind.
public struct AuthFactorType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// In lower case.
    public let rawValue: String

    /// Accepts unknown kinds.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Accepts unknown kinds.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// An authenticator app with codes that change every 30 seconds
    /// ([RFC 6238](https://www.rfc-editor.org/rfc/rfc6238)).
    public static let totp: AuthFactorType = "totp"
    /// A code in a text message.
    public static let phone: AuthFactorType = "phone"
    /// A security key or another authenticator of [WebAuthn](https://www.w3.org/TR/webauthn-3/).
    public static let webAuthn: AuthFactorType = "webauthn"
    /// The set of single-use recovery codes.
    public static let recoveryCode: AuthFactorType = "recovery_code"
}

/// Whether a factor can be used.
public enum AuthFactorStatus: String, Hashable, Sendable, CaseIterable {
    /// Proven by a code.
    case verified
    /// Enrolled, but not proven yet.
    case unverified
}

extension AuthFactor {
    /// Reads any status other than `verified` as `unverified`.
    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "factor")
        let createdAt = try members.requiredDate("created_at")
        self.init(
            id: try members.uuid("id"), factorType: AuthFactorType(rawValue: try members.required("factor_type")),
            status: members.text("status").flatMap(AuthFactorStatus.init(text:)) ?? .unverified,
            friendlyName: members.text("friendly_name"), phone: members.text("phone"), createdAt: createdAt,
            updatedAt: members.date("updated_at") ?? createdAt, lastChallengedAt: members.date("last_challenged_at"))
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id.uuidString.lowercased())
        writer.member("created_at", createdAt.instant)
        writer.member("updated_at", updatedAt.instant)
        writer.member("status", status.rawValue)
        writer.member("friendly_name", unlessEmpty: friendlyName)
        writer.member("factor_type", factorType.rawValue)
        writer.member("phone", phone ?? "")
        writer.member("last_challenged_at", ifPresent: lastChallengedAt?.instant)
        writer.endObject()
    }
}
