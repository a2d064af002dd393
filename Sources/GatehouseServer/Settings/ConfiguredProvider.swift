package import AccountDomain
package import IdentityProviders

/// A provider that is switched on, and what is decided about whom it vouches for.
package struct ConfiguredProvider: Sendable {
    package let settings: ProviderSettings
    package let linking: LinkingPolicy
    /// What it has to say of an address before an account is made.
    package let address: AddressRequirement
    /// Ours, as it is registered with the provider.
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

/// What holds for a provider about which nothing else is said.
package struct ProviderDefaults: Sendable {
    package let redirectURL: String
    /// Of people who have an address.
    package let address: AddressRequirement

    /// - Parameter confirmsAutomatically: Then an address that nobody vouches for is as good here as one that
    ///   somebody typed; else it would have to be confirmed by mail.
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

/// The settings of one provider that has names of its own.
struct ProviderNames: Sendable {
    let enabled, clientID, secret, redirectURI, url, skipNonceCheck, emailOptional, linking: Setting

    static let apple = ProviderNames(
        enabled: .appleEnabled, clientID: .appleClientID, secret: .appleSecret, redirectURI: .appleRedirectURI,
        url: .appleURL, skipNonceCheck: .appleSkipNonceCheck, emailOptional: .appleEmailOptional,
        linking: .appleLinking)
    static let google = ProviderNames(
        enabled: .googleEnabled, clientID: .googleClientID, secret: .googleSecret, redirectURI: .googleRedirectURI,
        url: .googleURL, skipNonceCheck: .googleSkipNonceCheck, emailOptional: .googleEmailOptional,
        linking: .googleLinking)
    static let keycloak = ProviderNames(
        enabled: .keycloakEnabled, clientID: .keycloakClientID, secret: .keycloakSecret,
        redirectURI: .keycloakRedirectURI, url: .keycloakURL, skipNonceCheck: .keycloakSkipNonceCheck,
        emailOptional: .keycloakEmailOptional, linking: .keycloakLinking)
}
