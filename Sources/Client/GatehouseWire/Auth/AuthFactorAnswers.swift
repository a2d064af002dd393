public import Foundation

/// A new factor, which a code must prove before it protects the account. Does not print its secret.
public struct AuthEnrolledFactor: Hashable, Sendable, Identifiable {
    /// The factor's id.
    public var id: UUID
    /// Its kind.
    public var type: AuthFactorType
    /// The user's name for it.
    public var friendlyName: String?
    /// The secret for the authenticator app; nil for other kinds.
    public var totp: TOTP?
    /// The number as sent; nil for other kinds.
    public var phone: String?

    /// An authenticator app's secret, sent only once, never printed.
    public struct TOTP: Hashable, Sendable {
        /// A QR code in SVG.
        public var qrCode: String
        /// In base32 ([RFC 4648](https://www.rfc-editor.org/rfc/rfc4648) §6), for typing.
        public var secret: String
        /// The QR code's `otpauth` URI, which opens an authenticator app.
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
    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "factor")
        self.init(
            id: try members.uuid("id"), type: AuthFactorType(rawValue: try members.required("type")),
            friendlyName: members.text("friendly_name"))
        phone = members.text("phone")
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

/// A factor's challenge, met by one code or authenticator response.
public struct AuthFactorChallenge: Hashable, Sendable, Identifiable {
    /// The challenge's id.
    public var id: UUID
    /// Its factor's kind.
    public var type: AuthFactorType
    /// In seconds since 1970, by the server's clock.
    public var expiresAt: TimeInterval
    /// The authenticator's challenge; nil unless the factor is ``AuthFactorType/webAuthn``.
    public var webAuthn: WebAuthn?

    /// A challenge for an authenticator.
    public struct WebAuthn: Hashable, Sendable {
        /// Whether the authenticator creates a key or signs with one.
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

/// The user's recovery codes, without the codes themselves.
public struct AuthRecoveryCodesStatus: Hashable, Sendable, Identifiable {
    /// The set's id as a factor.
    public var id: UUID
    /// How many codes were created.
    public var total: Int
    /// How many are unused.
    public var remaining: Int

    /// For tests and previews.
    public init(id: UUID, total: Int, remaining: Int) {
        self.id = id
        self.total = total
        self.remaining = remaining
    }
}

extension AuthRecoveryCodesStatus {
    package init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "recovery_codes")
        self.init(
            id: try members.uuid("id"), total: try members.count("total"), remaining: try members.count("remaining"))
    }
}

/// New recovery codes. Sent only once, never printed.
public struct AuthRecoveryCodes: Hashable, Sendable, Identifiable {
    /// The set's id as a factor.
    public var id: UUID
    /// The set's name among the factors.
    public var friendlyName: String?
    /// Each is single-use.
    public var codes: [String]

    /// For tests and previews.
    public init(id: UUID, friendlyName: String? = nil, codes: [String]) {
        self.id = id
        self.friendlyName = friendlyName
        self.codes = codes
    }
}

extension AuthRecoveryCodes {
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
    fileprivate func count(_ name: String) throws(WireProblem) -> Int {
        guard let count = number(name).flatMap({ Int(exactly: $0) }), count >= 0 else {
            throw WireProblem("recovery_codes.\(name): expected a count")
        }
        return count
    }
}
