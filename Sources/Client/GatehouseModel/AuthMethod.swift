public import Gatehouse

/// A sign-in method, such as a provider.
public struct AuthMethod: RawRepresentable, Hashable, Sendable {
    /// The provider's name in the protocol, such as `github`, or `email`.
    public let rawValue: String

    /// Creates the method of any provider, such as `custom:acme`.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates the method of a provider.
    public init(_ provider: AuthProvider) { self.init(rawValue: provider.rawValue) }

    /// Sign in with Apple.
    public static let apple = AuthMethod(.apple)
    /// Google.
    public static let google = AuthMethod(.google)
    /// An email address with a password or an emailed code.
    public static let email = AuthMethod(rawValue: "email")
    /// A passkey.
    public static let passkey = AuthMethod(rawValue: "passkey")

    static let anonymous = AuthMethod(rawValue: "anonymous")

    /// nil for ``email``, ``passkey`` and an anonymous sign-in.
    public var provider: AuthProvider? {
        [.email, .passkey, .anonymous].contains(self) ? nil : AuthProvider(rawValue: rawValue)
    }

    /// The display name, such as `GitHub`, not localized.
    public var name: String {
        if let name = Self.names[rawValue] { return name }
        let words = (rawValue.split(separator: ":").last ?? "").split(whereSeparator: { "-_ ".contains($0) })
        return words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    }

    private static let names = [
        "anonymous": "Guest", "apple": "Apple", "azure": "Microsoft", "bitbucket": "Bitbucket",
        "discord": "Discord", "email": "Email", "facebook": "Facebook", "figma": "Figma", "fly": "Fly.io",
        "github": "GitHub", "gitlab": "GitLab",
        "google": "Google", "kakao": "Kakao", "keycloak": "Keycloak", "linkedin": "LinkedIn",
        "linkedin_oidc": "LinkedIn", "notion": "Notion", "passkey": "Passkey", "slack": "Slack", "slack_oidc": "Slack",
        "snapchat": "Snapchat", "spotify": "Spotify", "twitch": "Twitch", "twitter": "X", "x": "X",
        "workos": "WorkOS", "zoom": "Zoom",
    ]
}
