package import AccountDomain
import GatehouseWire
package import IdentityProviders

package struct SignInProvider: Sendable {
    package let provider: OpenIDProvider
    package let linking: LinkingPolicy
    package let address: AddressRequirement
    /// As registered with the provider, such as `https://api.example.org/auth/v1/callback`.
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

/// By API name.
package struct SignInProviders: Sendable {
    private let byName: [ExternalName: SignInProvider]

    /// The first of two with the same name is used.
    package init(_ providers: [SignInProvider] = []) {
        byName = Dictionary(providers.map { (ExternalName(trusted: $0.name), $0) }) { first, _ in first }
    }

    /// - Parameter name: Case-insensitive.
    subscript(name: String) -> SignInProvider? { ExternalName(name.lowercased()).flatMap { byName[$0] } }

    /// By `iss`, for callers that name no provider.
    subscript(issuer issuer: String) -> SignInProvider? {
        byName.values.first { $0.provider.settings.issuers.contains(issuer) }
    }

    var names: [String] { byName.keys.map(\.text).sorted(by: <) }
    var apple: SignInProvider? { byName.values.first { $0.provider.settings.kind == .apple } }
}
