package import AccountDomain
package import IdentityProviders

package struct ConfiguredProvider: Sendable {
    package let settings: ProviderSettings
    package let linking: LinkingPolicy
    package let address: AddressRequirement
    package let redirectURL: String

    package init(
        settings: ProviderSettings, linking: LinkingPolicy, address: AddressRequirement, redirectURL: String
    ) {
        self.settings = settings
        self.linking = linking
        self.address = address
        self.redirectURL = redirectURL
    }
}

package struct ProviderDefaults: Sendable {
    package let redirectURL: String
    package let address: AddressRequirement

    /// - Parameter confirmsAutomatically: Accepts a provider's unverified address like a typed one.
    package init(externalURL: String, confirmsAutomatically: Bool) {
        redirectURL = externalURL + "/callback"
        address = confirmsAutomatically ? .present : .verified
    }

    package func configure(
        _ settings: ProviderSettings, linking: LinkingPolicy, redirectURL: String?
    ) -> ConfiguredProvider {
        ConfiguredProvider(
            settings: settings, linking: linking, address: settings.isEmailOptional ? .none : address,
            redirectURL: redirectURL ?? self.redirectURL)
    }
}
