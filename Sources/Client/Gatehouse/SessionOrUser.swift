public import Foundation
import GatehouseWire

/// The result of a sign-up or of redeeming a code.
public enum SessionOrUser: Hashable, Sendable {
    /// The user is signed in.
    case session(AuthSession)
    /// Not signed in: the user must confirm a mail first. The user may be fictitious, so that a sign-up does not reveal
    /// whether an address has an account; do not display its members.
    case user(AuthUser)
    /// One of the two addresses of an email change is confirmed. The other must be confirmed too.
    case pending
}

extension SessionOrUser {
    /// nil if not signed in yet.
    public var session: AuthSession? { if case .session(let session) = self { session } else { nil } }

    /// The user of the session, or the one who must confirm a mail.
    public var user: AuthUser? {
        switch self {
        case .session(let session): session.user
        case .user(let user): user
        case .pending: nil
        }
    }
}

/// The sessions that a sign-out ends.
public enum AuthSignOutScope: String, Hashable, Sendable {
    /// All sessions of the user.
    case global
    /// This session.
    case local
    /// All sessions except this one, which stays signed in.
    case others
}

/// The server's part of a sign-out. The client is signed out in both cases.
public enum SignOutOutcome: Hashable, Sendable {
    /// The server ended the sessions, or there was none left to end.
    case revoked
    /// The session remains active on the server, but the client has deleted its tokens.
    case notRevoked(AuthClientError)
}

/// A sign-in provider, by the server's name for it.
public struct AuthProvider: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// In lower case.
    public let rawValue: String

    /// Any provider of the server, such as `custom:acme`.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Any provider of the server, as a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// Sign in with Apple.
    public static let apple: AuthProvider = "apple"
    /// Google.
    public static let google: AuthProvider = "google"
}

/// The result of a provider's own sign-in in the app. Does not print its tokens.
///
/// ```swift
/// let nonce = SignInNonce()   // of GatehouseModel; the sheet's request gets `nonce.hashed`
/// let credentials = IDTokenCredentials(provider: .apple, idToken: idToken, nonce: nonce.raw)
/// try await client.signInWithIdToken(credentials: credentials)
/// ```
public struct IDTokenCredentials: Sendable {
    /// The provider that issued the token.
    public var provider: AuthProvider
    /// The provider's ID token (OpenID Connect Core §2).
    public var idToken: String
    /// The provider's access token, required if the ID token has an `at_hash`.
    public var accessToken: String?
    /// The raw nonce whose SHA-256 was sent to the provider.
    public var nonce: String?
    /// The user's name from Apple, which sends it only once, along with the token. The server stores it with the
    /// account in one transaction; hosted Supabase ignores it.
    public var name: AppleName?
    /// Apple's authorization code, valid for five minutes. The server exchanges it for the token that revokes the
    /// consent when the account is deleted; hosted Supabase ignores it.
    public var authorizationCode: String?

    /// Creates credentials, all of which are sent to the server once.
    public init(
        provider: AuthProvider, idToken: String, accessToken: String? = nil, nonce: String? = nil,
        name: AppleName? = nil,
        authorizationCode: String? = nil
    ) {
        self.provider = provider
        self.idToken = idToken
        self.accessToken = accessToken
        self.nonce = nonce
        self.name = name
        self.authorizationCode = authorizationCode
    }
}

extension IDTokenCredentials: Unprinted {
    public var description: String { "OpenIDConnectCredentials(provider: \(provider.rawValue), tokens: <secret>)" }
}

/// Changes to the user's own account; nil keeps a field. Does not print the password.
public struct AuthUserAttributes: Sendable {
    /// The new address; see ``GatehouseClient/update(user:redirectTo:)``.
    public var email: String?
    /// The new telephone number, which must be confirmed.
    public var phone: String?
    /// The new password: at least 8 characters and at most 1,024 bytes.
    public var password: String?
    /// Required if the server answers `current_password_required`.
    public var currentPassword: String?
    /// The code sent by ``GatehouseClient/reauthenticate()``.
    public var nonce: String?
    /// Merged into the metadata at the top level; null deletes a key.
    public var data: AuthJSONObject?

    /// Omitted fields keep their values.
    public init(
        email: String? = nil, phone: String? = nil, password: String? = nil, currentPassword: String? = nil,
        nonce: String? = nil, data: AuthJSONObject? = nil
    ) {
        self.email = email
        self.phone = phone
        self.password = password
        self.currentPassword = currentPassword
        self.nonce = nonce
        self.data = data
    }

    var body: [String: AuthJSON?] {
        [
            "email": email.json, "phone": phone.json, "password": password.json,
            "current_password": currentPassword.json, "nonce": (nonce?.withASCIIDigits).json,
            "data": data.map(AuthJSON.object),
        ]
    }
}

extension AuthUserAttributes: Unprinted {
    public var description: String { "UserAttributes" }
}

/// The purpose of a code or link in a mail.
public enum EmailCodeType: String, Hashable, Sendable {
    /// The confirmation of a sign-up.
    case signup
    /// An invitation by an administrator.
    case invite
    /// A link that signs in.
    case magiclink
    /// A password reset.
    case recovery
    /// The confirmation of a new address.
    case emailChange = "email_change"
    /// A code for signing up or signing in.
    case email
}

/// The purpose of a code in a text message.
public enum PhoneCodeType: String, Hashable, Sendable {
    /// The code of a text message.
    case sms
    /// The code for a new phone number.
    case phoneChange = "phone_change"
}

/// The mail to send again.
public enum EmailResendType: String, Hashable, Sendable {
    /// The mail that confirms a sign-up.
    case signup
    /// The mail that confirms a new address.
    case emailChange = "email_change"
}

/// The URL that links a provider.
public struct OAuthRequest: Hashable, Sendable {
    /// The requested provider.
    public let provider: AuthProvider
    /// Open this URL in a browser, unchanged.
    public let url: URL
}

extension Optional where Wrapped == String {
    var json: AuthJSON? { map(AuthJSON.string) }
}

/// The member with the captcha response.
func captcha(_ token: String?) -> AuthJSON? {
    token.map { ["captcha_token": .string($0)] }
}
