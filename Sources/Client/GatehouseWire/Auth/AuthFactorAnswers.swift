public import Foundation

/// A new factor, which a code must prove before it protects the account. Does not print its secret.
public struct AuthEnrolledFactor: Hashable, Sendable, Identifiable {
    /// The factor's id.
    public var id: UUID
    /// Its kind.
    public var type: AuthFactorType
    /// The user's name for it; nil without one.
    public var friendlyName: String?
    /// The secret for the authenticator app; nil for other kinds.
    public var totp: TOTP?

    /// The secret of an authenticator app, in three forms. It is sent only once. Does not print any of them.
    public struct TOTP: Hashable, Sendable {
        /// The QR code as an SVG picture.
        public var qrCode: String
        /// The secret in base32 ([RFC 4648](https://www.rfc-editor.org/rfc/rfc4648) §6), for entering by hand.
        public var secret: String
        /// The `otpauth` URI that the QR code shows, which opens an authenticator app on the same device.
        public var uri: String

        /// For tests and previews.
        public init(qrCode: String, secret: String, uri: String) {
            self.qrCode = qrCode
            self.secret = secret
            self.uri = uri
        }
    }

    /// For tests and previews.
    public init(id: UUID, type: AuthFactorType, friendlyName: String? = nil, totp: TOTP? = nil) {
        self.id = id
        self.type = type
        self.friendlyName = friendlyName
        self.totp = totp
    }
}

extension AuthEnrolledFactor {
    /// - Throws: ``WireProblem`` without `id` or `type`, or for a member `totp` without its three strings.
    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "factor")
        self.init(
            id: try members.uuid("id"), type: AuthFactorType(rawValue: try members.required("type")),
            friendlyName: members.text("friendly_name"))
        guard let totp = members["totp"] else { return }
        let secrets = try WireMembers(totp, path: "factor.totp")
        self.totp = TOTP(
            qrCode: try secrets.required("qr_code"), secret: try secrets.required("secret"),
            uri: try secrets.required("uri"))
    }
}

extension AuthEnrolledFactor: Unprinted {
    public var description: String { "AuthEnrolledFactor(type: \(type.rawValue), secret: <secret>)" }
}

extension AuthEnrolledFactor.TOTP: Unprinted {
    public var description: String { "TOTP(secret: <secret>)" }
}

/// A challenge for a factor, which one code or one answer of an authenticator meets.
public struct AuthFactorChallenge: Hashable, Sendable, Identifiable {
    /// The challenge's id.
    public var id: UUID
    /// The kind of its factor.
    public var type: AuthFactorType
    /// When it expires, by the server's clock, in seconds since 1970.
    public var expiresAt: TimeInterval
    /// The challenge for the authenticator of a ``AuthFactorType/webAuthn`` factor; nil for other kinds.
    public var webAuthn: WebAuthn?

    /// A challenge for an authenticator.
    public struct WebAuthn: Hashable, Sendable {
        /// Whether the authenticator creates a key, for a factor that is not proven yet. Otherwise it signs with one.
        public var creates: Bool
        /// `PublicKeyCredentialCreationOptions` or `PublicKeyCredentialRequestOptions` in JSON.
        public var credentialOptions: AuthJSON

        /// For tests and previews.
        public init(creates: Bool, credentialOptions: AuthJSON) {
            self.creates = creates
            self.credentialOptions = credentialOptions
        }
    }

    /// For tests and previews.
    public init(id: UUID, type: AuthFactorType, expiresAt: TimeInterval, webAuthn: WebAuthn? = nil) {
        self.id = id
        self.type = type
        self.expiresAt = expiresAt
        self.webAuthn = webAuthn
    }
}

extension AuthFactorChallenge {
    /// - Throws: ``WireProblem`` without `id`, `type` or `expires_at`, or for a member `webauthn` without its options.
    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "challenge")
        guard let expiresAt = try members.number("expires_at", in: WireMembers.times) else {
            throw WireProblem("challenge.expires_at: expected a number")
        }
        self.init(
            id: try members.uuid("id"), type: AuthFactorType(rawValue: try members.required("type")),
            expiresAt: expiresAt)
        guard let webAuthn = members["webauthn"] else { return }
        let ceremony = try WireMembers(webAuthn, path: "challenge.webauthn")
        guard let options = ceremony["credential_options"] else {
            throw WireProblem("challenge.webauthn.credential_options: expected an object")
        }
        self.webAuthn = WebAuthn(
            creates: try ceremony.required("type") == "create", credentialOptions: options["publicKey"] ?? options)
    }
}

/// The user's set of recovery codes, without the codes.
public struct AuthRecoveryCodesStatus: Hashable, Sendable, Identifiable {
    /// The id of the factor that the set is.
    public var id: UUID
    /// How many codes the set had.
    public var total: Int
    /// How many of them are unused.
    public var remaining: Int

    /// For tests and previews.
    public init(id: UUID, total: Int, remaining: Int) {
        self.id = id
        self.total = total
        self.remaining = remaining
    }
}

extension AuthRecoveryCodesStatus {
    /// - Throws: ``WireProblem`` without `id`, `total` or `remaining`.
    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "recovery_codes")
        self.init(
            id: try members.uuid("id"), total: try members.count("total"), remaining: try members.count("remaining"))
    }
}

/// A new set of recovery codes. It is sent only once. Does not print the codes.
public struct AuthRecoveryCodes: Hashable, Sendable, Identifiable {
    /// The id of the factor that the set is.
    public var id: UUID
    /// The set's name among the factors.
    public var friendlyName: String?
    /// The codes, each of which works once.
    public var codes: [String]

    /// For tests and previews.
    public init(id: UUID, friendlyName: String? = nil, codes: [String]) {
        self.id = id
        self.friendlyName = friendlyName
        self.codes = codes
    }
}

extension AuthRecoveryCodes {
    /// - Throws: ``WireProblem`` without `id`, or if `codes` is not an array of strings.
    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "recovery_codes")
        let codes = try WireMembers.list("codes", of: json) { code throws(WireProblem) in
            guard let text = code.stringValue else { throw WireProblem("recovery_codes.codes: expected strings") }
            return text
        }
        self.init(id: try members.uuid("id"), friendlyName: members.text("friendly_name"), codes: codes)
    }
}

extension AuthRecoveryCodes: Unprinted {
    public var description: String { "AuthRecoveryCodes(\(codes.count) codes: <secret>)" }
}

extension WireMembers {
    /// A count that must be present.
    fileprivate func count(_ name: String) throws(WireProblem) -> Int {
        guard let count = number(name).flatMap({ Int(exactly: $0) }), count >= 0 else {
            throw WireProblem("recovery_codes.\(name): expected a count")
        }
        return count
    }
}
