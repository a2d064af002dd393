public import Foundation
import GatehouseWire

/// The result of a sign-up or a redeemed code.
public enum SessionOrUser: Hashable, Sendable {
    /// The user is signed in.
    case session(AuthSession)
    /// The user must confirm by email or text message first. May be fictitious, to hide whether an address or number
    /// has an account: do not display it.
    case user(AuthUser)
    /// An email change's other address must follow.
    case pending
}

extension SessionOrUser {
    /// The session; nil if not signed in yet.
    public var session: AuthSession? { if case .session(let session) = self { session } else { nil } }

    /// The session's user, or the one who must confirm.
    public var user: AuthUser? {
        switch self {
        case .session(let session): session.user
        case .user(let user): user
        case .pending: nil
        }
    }
}

/// The sessions that a sign-out revokes.
public enum AuthSignOutScope: String, Hashable, Sendable {
    /// All sessions of the user.
    case global
    /// This session.
    case local
    /// All sessions except this one, which stays signed in.
    case others
}

/// The server's part of a sign-out. The client is signed out in either case.
public enum SignOutOutcome: Hashable, Sendable {
    /// The server revoked the sessions, or there were none.
    case revoked
    /// The session stays active on the server, without its tokens here.
    case notRevoked(AuthClientError)
}

/// The server's name for a sign-in provider.
public struct AuthProvider: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// In lower case.
    public let rawValue: String

    /// Accepts every provider, such as `custom:acme`.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Accepts every provider, such as `custom:acme`.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// Sign in with Apple.
    public static let apple: AuthProvider = "apple"
    /// Google.
    public static let google: AuthProvider = "google"
    /// Microsoft: work, school and personal accounts.
    public static let azure: AuthProvider = "azure"
    /// Bitbucket.
    public static let bitbucket: AuthProvider = "bitbucket"
    /// Discord.
    public static let discord: AuthProvider = "discord"
    /// Facebook. Tokens of Limited Login sign in with ``GatehouseClient/signInWithIdToken(credentials:)``.
    public static let facebook: AuthProvider = "facebook"
    /// Figma.
    public static let figma: AuthProvider = "figma"
    /// GitHub.
    public static let github: AuthProvider = "github"
    /// GitLab.
    public static let gitlab: AuthProvider = "gitlab"
    /// Kakao.
    public static let kakao: AuthProvider = "kakao"
    /// LinkedIn.
    public static let linkedinOIDC: AuthProvider = "linkedin_oidc"
    /// Notion.
    public static let notion: AuthProvider = "notion"
    /// Slack.
    public static let slackOIDC: AuthProvider = "slack_oidc"
    /// Spotify.
    public static let spotify: AuthProvider = "spotify"
    /// Twitch.
    public static let twitch: AuthProvider = "twitch"
    /// X.
    public static let x: AuthProvider = "x"
    /// Zoom.
    public static let zoom: AuthProvider = "zoom"
}

/// A provider's sign-in in the app. Does not print its tokens.
///
/// ```swift
/// let nonce = SignInNonce()   // of GatehouseModel; the sheet's request gets `nonce.hashed`
/// let credentials = IDTokenCredentials(provider: .apple, idToken: idToken, nonce: nonce.raw)
/// try await client.signInWithIdToken(credentials: credentials)
/// ```
public struct IDTokenCredentials: Sendable {
    /// The token's issuer.
    public var provider: AuthProvider
    /// The provider's ID token (OpenID Connect Core §2).
    public var idToken: String
    /// The provider's access token, required if the ID token has an `at_hash`.
    public var accessToken: String?
    /// The raw nonce whose SHA-256 was sent to the provider.
    public var nonce: String?
    /// The name, which Apple sends only once. Stored with the account; ignored by hosted Supabase.
    public var name: AppleName?
    /// Apple's authorization code, valid for five minutes, with which the server revokes the consent when the account
    /// is deleted. Ignored by hosted Supabase.
    public var authorizationCode: String?

    /// Creates credentials, for one sign-in.
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
    /// The new telephone number, which must be confirmed by the texted code.
    public var phone: String?
    /// How the code reaches the new number; nil for a text message.
    public var channel: PhoneChannel?
    /// The new password: 8 characters to 1,024 bytes.
    public var password: String?
    /// Required after `current_password_required`.
    public var currentPassword: String?
    /// The code from ``GatehouseClient/reauthenticate()``.
    public var nonce: String?
    /// Merged at the top level; null deletes a key.
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
            "email": email.json, "phone": phone.json, "channel": (channel?.rawValue).json, "password": password.json,
            "current_password": currentPassword.json, "nonce": (nonce?.withASCIIDigits).json,
            "data": data.map(AuthJSON.object),
        ]
    }
}

extension AuthUserAttributes: Unprinted {
    public var description: String { "UserAttributes" }
}

/// The purpose of an emailed code or link.
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

/// The purpose of a texted code.
public enum PhoneCodeType: String, Hashable, Sendable {
    /// A sign-up or sign-in.
    case sms
    /// The confirmation of a new number.
    case phoneChange = "phone_change"
}

/// The email to send again.
public enum EmailResendType: String, Hashable, Sendable {
    /// The confirmation of a sign-up.
    case signup
    /// The confirmation of a new address.
    case emailChange = "email_change"
}

/// The URL that links a provider.
public struct OAuthRequest: Hashable, Sendable {
    /// The requested provider.
    public let provider: AuthProvider
    /// To be opened in a browser, unchanged.
    public let url: URL
}

extension Optional where Wrapped == String {
    var json: AuthJSON? { map(AuthJSON.string) }
}

func captcha(_ token: String?) -> AuthJSON? {
    token.map { ["captcha_token": .string($0)] }
}
