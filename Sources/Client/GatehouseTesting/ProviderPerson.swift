public import Gatehouse
public import GatehouseModel

/// A person with an account at Apple, Google or another provider.
public struct ProviderPerson: Hashable, Sendable {
    /// The person's id at the provider, the `sub` of its tokens.
    public var id: String
    /// nil if the provider sends none.
    public var email: String?
    /// Whether the provider has verified the address.
    public var isEmailVerified: Bool
    /// Whether the address is an Apple relay.
    public var isEmailHidden: Bool
    /// Sent only the first time by Apple, in every token by Google.
    public var firstName: String?

    /// Creates a person.
    public init(
        id: String, email: String?, isEmailVerified: Bool = true, isEmailHidden: Bool = false,
        firstName: String? = nil
    ) {
        self.id = id
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.isEmailHidden = isEmailHidden
        self.firstName = firstName
    }

    /// Has the address `ada@example.com` and a name.
    public static let ada = ProviderPerson(id: "person-ada", email: "ada@example.com", firstName: "Ada")
    /// Has the address `grace@example.com` and a name.
    public static let grace = ProviderPerson(id: "person-grace", email: "grace@example.com", firstName: "Grace")
    /// Hides the address behind Apple's relay.
    public static let hidingEmail = ProviderPerson(
        id: "person-hiding", email: "x1y2z3@privaterelay.appleid.com", isEmailHidden: true, firstName: "Ada")
    /// Has no address and no name.
    public static let withoutEmail = ProviderPerson(id: "person-without-email", email: nil, isEmailVerified: false)

    /// The result of a provider's sheet. Only ``InMemoryAuthService`` accepts its token.
    ///
    /// - Parameter nonce: The nonce whose hash was in the request; nil if there was none.
    public func credentials(from provider: AuthProvider, nonce: SignInNonce? = nil) -> IDTokenCredentials {
        IDTokenCredentials(
            provider: provider, idToken: ScriptedToken(self, from: provider, nonce: nonce?.hashed).text,
            nonce: nonce?.raw)
    }
}

/// A simulated ID token, unsigned.
struct ScriptedToken: Hashable, Sendable {
    var person: ProviderPerson
    var provider: AuthProvider
    /// The request's hashed nonce.
    var nonce: String?
    var name: AppleName?

    init(_ person: ProviderPerson, from provider: AuthProvider, nonce: String?) {
        self.person = person
        self.provider = provider
        self.nonce = nonce
    }

    var key: String { Self.key(provider.rawValue, person.id) }
    static func key(_ provider: String, _ person: String) -> String { "\(provider) \(person)" }

    var text: String {
        var claims: AuthJSONObject = [
            "iss": .string(provider.rawValue), "sub": .string(person.id),
            "email_verified": .bool(person.isEmailVerified), "is_private_email": .bool(person.isEmailHidden),
        ]
        claims["email"] = person.email.map(AuthJSON.string)
        claims["nonce"] = nonce.map(AuthJSON.string)
        // Apple's tokens contain no name.
        if provider != .apple { claims["given_name"] = person.firstName.map(AuthJSON.string) }
        return [#"{"alg":"none"}"#, AuthJSON.object(claims).text].map { Base64URL.text(Array($0.utf8)) + "." }.joined()
    }

    /// - Returns: nil for any other token.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])),
            // Ignored: any unreadable token is invalid.
            let json = try? JSONReader.read(bytes), let provider = json["iss"]?.stringValue,
            let id = json["sub"]?.stringValue
        else { return nil }
        person = ProviderPerson(
            id: id, email: json["email"]?.stringValue, isEmailVerified: json["email_verified"]?.boolValue ?? false,
            isEmailHidden: json["is_private_email"]?.boolValue ?? false, firstName: json["given_name"]?.stringValue)
        self.provider = AuthProvider(rawValue: provider)
        nonce = json["nonce"]?.stringValue
    }
}
