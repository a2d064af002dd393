package import AccountDomain
package import IdentityProviders

/// An enabled provider and the rules for accounts that it signs in.
package struct ConfiguredProvider: Sendable {
    package let settings: ProviderSettings
    package let linking: LinkingPolicy
    /// The address that the provider must supply before an account is created.
    package let address: AddressRequirement
    /// Our callback URL as registered with the provider.
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

/// The defaults for a provider.
package struct ProviderDefaults: Sendable {
    package let redirectURL: String
    /// The default rule for the users' email addresses.
    package let address: AddressRequirement

    /// - Parameter confirmsAutomatically: An unverified address of a provider is then as good as one that a user types.
    ///   Otherwise it would need a confirmation by mail.
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
