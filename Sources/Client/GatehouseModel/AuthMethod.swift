public import Gatehouse
import GatehouseWire

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
    /// A telephone number with a texted code or a password.
    public static let phone = AuthMethod(rawValue: "phone")
    /// A passkey.
    public static let passkey = AuthMethod(rawValue: "passkey")

    static let anonymous = AuthMethod(rawValue: "anonymous")

    /// nil for ``email``, ``phone``, ``passkey`` and an anonymous sign-in.
    public var provider: AuthProvider? {
        [.email, .phone, .passkey, .anonymous].contains(self) ? nil : AuthProvider(rawValue: rawValue)
    }

    /// The display name, such as `GitHub`, not localized.
    public var name: String { self == .anonymous ? "Guest" : ProviderTitle.text(of: rawValue) }
}
