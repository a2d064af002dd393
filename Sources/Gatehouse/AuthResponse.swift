public import Foundation

/// What came of a sign-up or of a code.
public enum AuthResponse: Hashable, Sendable {
    /// Signed in.
    case session(Session)
    /// Nobody is signed in: "check your mail". The user may be made up by the server, so that a sign-up does not
    /// tell who has an account; do not show its members.
    case user(User)
    /// One of the two addresses of an email change is confirmed; the code to the other is needed, too.
    case pending
}

extension AuthResponse {
    /// Nil when nobody is signed in yet.
    public var session: Session? { if case .session(let session) = self { session } else { nil } }

    /// Of the session, or the one that waits for its mail.
    public var user: User? {
        switch self {
        case .session(let session): session.user
        case .user(let user): user
        case .pending: nil
        }
    }
}

/// Which sessions a sign-out ends at the server.
public enum SignOutScope: String, Hashable, Sendable {
    /// All of the person's.
    case global
    /// This one.
    case local
    /// All but this one; the person stays signed in here.
    case others
}

/// What came of a sign-out at the server. Here the person is signed out in both cases.
public enum SignOutOutcome: Hashable, Sendable {
    case revoked
    /// The session lives on at the server, and nobody here holds its tokens.
    case notRevoked(AuthClientError)
}

/// A company that vouches for people, as the server names it.
public struct Provider: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// Lower case.
    public let rawValue: String

    /// Any provider of the server, such as `custom:acme`.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Any provider of the server.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// Sign in with Apple.
    public static let apple: Provider = "apple"
    /// Google.
    public static let google: Provider = "google"
}

/// What a provider's own sign-in gave the app. It does not print its tokens.
public struct OpenIDConnectCredentials: Sendable {
    /// Who gave the token.
    public var provider: Provider
    /// The provider's ID token (OpenID Connect Core §2).
    public var idToken: String
    /// The provider's access token, needed when the ID token has an `at_hash`.
    public var accessToken: String?
    /// The raw nonce whose SHA-256 the provider was given.
    public var nonce: String?
    /// What Apple calls the person, which it tells once and beside the token. The server keeps it with the account, in
    /// one transaction; hosted Supabase ignores it.
    public var name: AppleName?
    /// Apple's code, which the server trades for what ends the consent when the account is deleted. Good for five
    /// minutes; hosted Supabase ignores it.
    public var authorizationCode: String?

    /// All of it goes to the server, once.
    public init(
        provider: Provider, idToken: String, accessToken: String? = nil, nonce: String? = nil, name: AppleName? = nil,
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

extension OpenIDConnectCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "OpenIDConnectCredentials(provider: \(provider.rawValue), tokens: <secret>)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["provider": provider.rawValue]) }
}

/// What a person changes about their own account; nil keeps. It does not print the password.
public struct UserAttributes: Sendable {
    /// The new address; see ``AuthClient/update(user:redirectTo:)``.
    public var email: String?
    /// The new number; it waits for its confirmation.
    public var phone: String?
    /// The new password, at least 8 characters and at most 72 bytes.
    public var password: String?
    /// Needed where the server asks for it with `current_password_required`.
    public var currentPassword: String?
    /// The code of ``AuthClient/reauthenticate()``.
    public var nonce: String?
    /// Merged into the metadata at the top level; a null deletes its key.
    public var data: JSONObject?

    /// Everything that is not given is kept.
    public init(
        email: String? = nil, phone: String? = nil, password: String? = nil, currentPassword: String? = nil,
        nonce: String? = nil, data: JSONObject? = nil
    ) {
        self.email = email
        self.phone = phone
        self.password = password
        self.currentPassword = currentPassword
        self.nonce = nonce
        self.data = data
    }

    var body: [String: AnyJSON?] {
        [
            "email": email.json, "phone": phone.json, "password": password.json,
            "current_password": currentPassword.json, "nonce": nonce.json, "data": data.map(AnyJSON.object),
        ]
    }
}

extension UserAttributes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "UserAttributes" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a code or link was sent for.
public enum EmailOTPType: String, Hashable, Sendable {
    case signup
    case invite
    case magiclink
    case recovery
    case emailChange = "email_change"
    /// Fits a code for signing up and one for signing in.
    case email
}

/// What a code to a phone was sent for.
public enum MobileOTPType: String, Hashable, Sendable {
    case sms
    case phoneChange = "phone_change"
}

/// Which mail to send once more.
public enum ResendEmailType: String, Hashable, Sendable {
    case signup
    case emailChange = "email_change"
}

/// Where to send the person to link another way to sign in.
public struct OAuthResponse: Hashable, Sendable {
    /// As asked for.
    public let provider: Provider
    /// Open it in a browser, unchanged.
    public let url: URL
}

extension Optional where Wrapped == String {
    var json: AnyJSON? { map(AnyJSON.string) }
}

/// The member that carries a captcha's answer.
func captcha(_ token: String?) -> AnyJSON? {
    token.map { ["captcha_token": .string($0)] }
}
