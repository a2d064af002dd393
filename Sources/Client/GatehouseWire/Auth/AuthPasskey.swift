public import Foundation

/// A passkey of an account.
public struct AuthPasskey: Hashable, Sendable, Identifiable {
    /// Its id, for renaming and deleting.
    public var id: UUID
    /// At first the password manager's name, such as `Apple Passwords`.
    public var friendlyName: String?
    /// When it was registered.
    public var createdAt: Date
    /// When it last signed in; nil if never.
    public var lastUsedAt: Date?
    /// When it was set aside. It then signs in only with an emailed code, which restores it.
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
    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "passkey")
        self.init(
            id: try members.uuid("id"), friendlyName: members.text("friendly_name"),
            createdAt: try members.requiredDate("created_at"), lastUsedAt: members.date("last_used_at"))
        setAsideAt = members.date("set_aside_at")
    }

    package static func list(json: AuthJSON) throws(WireProblem) -> [AuthPasskey] {
        try WireMembers.list("passkeys", of: ["passkeys": json], AuthPasskey.init(json:))
    }
}

/// The options for creating a passkey.
public struct AuthPasskeyRegistrationOptions: Hashable, Sendable {
    /// The challenge's id, for verification.
    public var challengeID: UUID
    /// `PublicKeyCredentialCreationOptionsJSON` ([WebAuthn §5.1.8](https://www.w3.org/TR/webauthn-3/)).
    public var options: AuthJSON
    /// The challenge's expiry in seconds since 1970, by the server's clock.
    public var expiresAt: TimeInterval
    /// The challenge in ``options``.
    public var challenge: [UInt8]
    /// The passkey's domain.
    public var relyingPartyID: String
    /// The account's id in authenticators.
    public var userHandle: [UInt8]
    /// The account's name in password managers.
    public var userName: String
    /// The account's existing passkeys, which are not created again.
    public var excludedCredentials: [[UInt8]]
}

/// The options for signing in with a passkey.
public struct AuthPasskeyAuthenticationOptions: Hashable, Sendable {
    /// The challenge's id, for verification.
    public var challengeID: UUID
    /// `PublicKeyCredentialRequestOptionsJSON` ([WebAuthn §5.1.10](https://www.w3.org/TR/webauthn-3/)).
    public var options: AuthJSON
    /// The challenge's expiry in seconds since 1970, by the server's clock.
    public var expiresAt: TimeInterval
    /// The challenge in ``options``.
    public var challenge: [UInt8]
    /// The passkey's domain.
    public var relyingPartyID: String
    /// The accepted passkeys; empty for any of the domain.
    public var allowedCredentials: [[UInt8]]
}

extension AuthPasskeyRegistrationOptions {
    /// Reads the options. Throws ``WireProblem`` if a required member is missing or malformed.
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
    /// Reads the options. Throws ``WireProblem`` if a required member is missing or malformed.
    public init(json: AuthJSON) throws(WireProblem) {
        let answer = try PasskeyOptionsAnswer(json)
        self.init(
            challengeID: answer.id, options: answer.options, expiresAt: answer.expiresAt, challenge: answer.challenge,
            relyingPartyID: try answer.members.required("rpId"),
            allowedCredentials: try answer.members.credentials("allowCredentials"))
    }
}

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
    fileprivate func bytes(_ name: String) throws(WireProblem) -> [UInt8] {
        guard let bytes = Base64URL.decode(try required(name)) else {
            throw WireProblem("options.\(name): expected base64url")
        }
        return bytes
    }

    /// Empty if absent.
    fileprivate func credentials(_ name: String) throws(WireProblem) -> [[UInt8]] {
        guard let list = self[name]?.arrayValue else { return [] }
        return try list.map { descriptor throws(WireProblem) in
            try WireMembers(descriptor, path: "options.\(name)").bytes("id")
        }
    }
}
