package import AccountDomain
import GatehouseWire
package import IdentityProviders

/// A provider that people sign in with, and what is decided about whom it vouches for.
package struct SignInProvider: Sendable {
    package let provider: OpenIDProvider
    package let linking: LinkingPolicy
    package let address: AddressRequirement
    /// Ours, as it is registered with the provider: `https://api.example.org/auth/v1/callback`.
    package let redirectURL: String

    package init(
        _ provider: OpenIDProvider, linking: LinkingPolicy = .automatic, address: AddressRequirement = .present,
        redirectURL: String
    ) {
        self.provider = provider
        self.linking = linking
        self.address = address
        self.redirectURL = redirectURL
    }

    var name: String { provider.settings.name }
}

/// The providers that are switched on, by the names that the API has for them.
package struct SignInProviders: Sendable {
    private let byName: [ExternalName: SignInProvider]

    /// Of two with one name the first counts.
    package init(_ providers: [SignInProvider] = []) {
        byName = Dictionary(providers.map { (ExternalName(trusted: $0.name), $0) }) { first, _ in first }
    }

    /// - Parameter name: In any case of letters.
    subscript(name: String) -> SignInProvider? { ExternalName(name.lowercased()).flatMap { byName[$0] } }

    /// Whose `iss` this is, for callers that name no provider.
    subscript(issuer issuer: String) -> SignInProvider? {
        byName.values.first { $0.provider.settings.issuers.contains(issuer) }
    }

    var names: [String] { byName.keys.map(\.text).sorted(by: <) }
    var apple: SignInProvider? { byName.values.first { $0.provider.settings.kind == .apple } }
}
