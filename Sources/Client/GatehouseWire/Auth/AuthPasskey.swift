public import Foundation

/// A passkey of an account.
public struct AuthPasskey: Hashable, Sendable, Identifiable {
    /// For renaming and deleting it.
    public var id: UUID
    /// Its name: at first the one of the app that keeps it, such as `Apple Passwords`.
    public var friendlyName: String?
    /// When it was registered.
    public var createdAt: Date
    /// When it last signed in; nil if it never has.
    public var lastUsedAt: Date?
    /// When it was set aside: it signs in only together with an emailed code, which restores it. nil if it is not.
    public var setAsideAt: Date?

    /// For tests and previews.
    public init(id: UUID, friendlyName: String? = nil, createdAt: Date, lastUsedAt: Date? = nil) {
        self.id = id
        self.friendlyName = friendlyName
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

extension AuthPasskey {
    /// - Throws: ``WireProblem`` without `id` or `created_at`.
    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "passkey")
        self.init(
            id: try members.uuid("id"), friendlyName: members.text("friendly_name"),
            createdAt: try members.requiredDate("created_at"), lastUsedAt: members.date("last_used_at"))
        setAsideAt = members.date("set_aside_at")
    }

    /// Reads an array.
    ///
    /// - Throws: ``WireProblem`` for any other value, or as ``init(json:)`` for an element.
    package static func list(json: AuthJSON) throws(WireProblem) -> [AuthPasskey] {
        try WireMembers.list("passkeys", of: ["passkeys": json], AuthPasskey.init(json:))
    }
}

/// The options with which an authenticator creates a passkey.
public struct AuthPasskeyRegistrationOptions: Hashable, Sendable {
    /// Identifies the challenge when the answer is verified.
    public var challengeID: UUID
    /// `PublicKeyCredentialCreationOptionsJSON` ([WebAuthn §5.1.8](https://www.w3.org/TR/webauthn-3/)).
    public var options: AuthJSON
    /// When the challenge expires, by the server's clock, in seconds since 1970.
    public var expiresAt: TimeInterval
    /// The challenge in ``options``.
    public var challenge: [UInt8]
    /// The domain to which the passkey belongs.
    public var relyingPartyID: String
    /// The account's id for authenticators.
    public var userHandle: [UInt8]
    /// The account's name that password managers show.
    public var userName: String
    /// The ids of the account's passkeys, which must not be created twice.
    public var excludedCredentials: [[UInt8]]
}

/// The options with which an authenticator signs in with a passkey.
public struct AuthPasskeyAuthenticationOptions: Hashable, Sendable {
    /// Identifies the challenge when the answer is verified.
    public var challengeID: UUID
    /// `PublicKeyCredentialRequestOptionsJSON` ([WebAuthn §5.1.10](https://www.w3.org/TR/webauthn-3/)).
    public var options: AuthJSON
    /// When the challenge expires, by the server's clock, in seconds since 1970.
    public var expiresAt: TimeInterval
    /// The challenge in ``options``.
    public var challenge: [UInt8]
    /// The domain to which the passkey belongs.
    public var relyingPartyID: String
    /// The ids of the passkeys that may answer; empty for any of the domain.
    public var allowedCredentials: [[UInt8]]
}

extension AuthPasskeyRegistrationOptions {
    /// - Throws: ``WireProblem`` for a missing or malformed member that an authenticator needs.
    public init(json: AuthJSON) throws(WireProblem) {
        let answer = try PasskeyOptionsAnswer(json)
        let party = try WireMembers(answer.members["rp"] ?? .null, path: "options.rp")
        let user = try WireMembers(answer.members["user"] ?? .null, path: "options.user")
        self.init(
            challengeID: answer.id, options: answer.options, expiresAt: answer.expiresAt, challenge: answer.challenge,
            relyingPartyID: try party.required("id"), userHandle: try user.bytes("id"),
            userName: try user.required("name"),
            excludedCredentials: try answer.members.credentials("excludeCredentials"))
    }
}

extension AuthPasskeyAuthenticationOptions {
    /// - Throws: As for a registration.
    public init(json: AuthJSON) throws(WireProblem) {
        let answer = try PasskeyOptionsAnswer(json)
        self.init(
            challengeID: answer.id, options: answer.options, expiresAt: answer.expiresAt, challenge: answer.challenge,
            relyingPartyID: try answer.members.required("rpId"),
            allowedCredentials: try answer.members.credentials("allowCredentials"))
    }
}

/// The members that both kinds of options have.
private struct PasskeyOptionsAnswer {
    let id: UUID
    let options: AuthJSON
    let members: WireMembers
    let expiresAt: TimeInterval
    let challenge: [UInt8]

    init(_ json: AuthJSON) throws(WireProblem) {
        let answer = try WireMembers(json, path: "passkey")
        guard let expiresAt = try answer.number("expires_at", in: WireMembers.times) else {
            throw WireProblem("passkey.expires_at: expected a number")
        }
        let options = answer["options"] ?? .null
        id = try answer.uuid("challenge_id")
        self.expiresAt = expiresAt
        self.options = options
        members = try WireMembers(options, path: "options")
        challenge = try members.bytes("challenge")
    }
}

extension WireMembers {
    /// Bytes in base64url that must be present.
    fileprivate func bytes(_ name: String) throws(WireProblem) -> [UInt8] {
        guard let bytes = Base64URL.decode(try required(name)) else {
            throw WireProblem("options.\(name): expected base64url")
        }
        return bytes
    }

    /// The ids of an array of credential descriptors; empty if absent.
    fileprivate func credentials(_ name: String) throws(WireProblem) -> [[UInt8]] {
        guard let list = self[name]?.arrayValue else { return [] }
        return try list.map { descriptor throws(WireProblem) in
            try WireMembers(descriptor, path: "options.\(name)").bytes("id")
        }
    }
}
