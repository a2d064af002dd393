public import Gatehouse
public import GatehouseModel

/// Somebody with an account at Apple, Google or another provider.
public struct ProviderPerson: Hashable, Sendable {
    /// What the provider calls the person: the `sub` of its tokens.
    public var id: String
    /// Nil when the provider gives none.
    public var email: String?
    /// Whether the provider says that the address is the person's.
    public var isEmailVerified: Bool
    /// Whether the address is one of Apple's, which hides the person's own.
    public var isEmailHidden: Bool
    /// Apple gives it the first time only, Google in every token.
    public var firstName: String?

    /// Somebody of your own.
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
    /// Has another address, `grace@example.com`, and a name.
    public static let grace = ProviderPerson(id: "person-grace", email: "grace@example.com", firstName: "Grace")
    /// Hides the address behind one of Apple's.
    public static let hidingEmail = ProviderPerson(
        id: "person-hiding", email: "x1y2z3@privaterelay.appleid.com", isEmailHidden: true, firstName: "Ada")
    /// Gives no address and no name.
    public static let withoutEmail = ProviderPerson(id: "person-without-email", email: nil, isEmailVerified: false)

    /// What a sheet of the provider gives for this person. ``InMemoryAuthService`` alone takes its token.
    ///
    /// - Parameter nonce: The one whose hash was in the request; nil when there was none.
    public func credentials(from provider: Provider, nonce: SignInNonce? = nil) -> OpenIDConnectCredentials {
        OpenIDConnectCredentials(
            provider: provider, idToken: ScriptedToken(self, from: provider, nonce: nonce?.hashed).text,
            nonce: nonce?.raw)
    }
}

/// What stands in for a provider's ID token: it has the form of one, and no signature.
struct ScriptedToken: Hashable, Sendable {
    var person: ProviderPerson
    var provider: Provider
    /// The hashed nonce of the request.
    var nonce: String?
    /// What came beside it.
    var name: AppleName?

    init(_ person: ProviderPerson, from provider: Provider, nonce: String?) {
        self.person = person
        self.provider = provider
        self.nonce = nonce
    }

    /// The same for one person at one provider.
    var key: String { Self.key(provider.rawValue, person.id) }
    static func key(_ provider: String, _ person: String) -> String { "\(provider) \(person)" }

    var text: String {
        var claims: JSONObject = [
            "iss": .string(provider.rawValue), "sub": .string(person.id),
            "email_verified": .bool(person.isEmailVerified), "is_private_email": .bool(person.isEmailHidden),
        ]
        claims["email"] = person.email.map(AnyJSON.string)
        claims["nonce"] = nonce.map(AnyJSON.string)
        // Apple's tokens have no name.
        if provider != .apple { claims["given_name"] = person.firstName.map(AnyJSON.string) }
        return [#"{"alg":"none"}"#, AnyJSON.object(claims).text].map { Base64URL.text(Array($0.utf8)) + "." }.joined()
    }

    /// - Returns: nil for the token of anybody else.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])),
            // What is lost: why somebody else's token cannot be read.
            let json = try? JSONReader.read(bytes), let provider = json["iss"]?.stringValue,
            let id = json["sub"]?.stringValue
        else { return nil }
        person = ProviderPerson(
            id: id, email: json["email"]?.stringValue, isEmailVerified: json["email_verified"]?.boolValue ?? false,
            isEmailHidden: json["is_private_email"]?.boolValue ?? false, firstName: json["given_name"]?.stringValue)
        self.provider = Provider(rawValue: provider)
        nonce = json["nonce"]?.stringValue
    }
}
