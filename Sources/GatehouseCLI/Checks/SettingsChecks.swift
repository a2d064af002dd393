import AuthServer
package import GatehouseServer
import GatehouseWire
import IdentityProviders

/// Looks at a configuration that is complete: what in it is seldom meant? `doctor`, `check-config` and the log of
/// `serve` tell it.
package struct SettingsChecks {
    private let given: GivenSettings
    private let settings: ServerSettings

    package init(_ given: GivenSettings, _ settings: ServerSettings) {
        (self.given, self.settings) = (given, settings)
    }

    package var all: [Finding] { [externalURL, callers].compactMap(\.self) }

    /// What most servers should have, and `doctor` therefore says; the defaults are those of Supabase Auth.
    package var recommendations: [Finding] {
        guard settings.secrets != nil, given[.freshSignIn] == nil else { return [] }
        return [
            .warning(
                "fresh sign-in", "whoever has a person's token can change address and password and delete the account",
                "\(Setting.freshSignIn.environmentName)=\(Self.freshSignIn), unless an app of yours cannot ask for it")
        ]
    }

    /// What is recommended, and what `gatehouse dev --strict` has.
    static let freshSignIn = "10m"

    /// Passwords and tokens that cross a network without TLS.
    ///
    /// - Returns: nil for https, and for a server of this machine alone.
    private var externalURL: Finding? {
        // Empty for a gateway alone, whose issuer is elsewhere.
        guard let url = ProviderURL(settings.auth.externalURL), !url.isSecure, !url.isLoopback else { return nil }
        return .warning(
            "external_url", "\(settings.auth.externalURL) is http: passwords and tokens cross the network unencrypted",
            "put a proxy with TLS in front and give its https address as \(Setting.externalURL.environmentName)")
    }

    /// Whether the limits can tell callers apart, as far as the configuration shows. This program speaks no TLS, so
    /// with an https address there is a proxy.
    ///
    /// - Returns: nil when nothing speaks against it.
    private var callers: Finding? {
        guard settings.rates != nil, settings.auth.externalURL.hasPrefix("https://"), given[.trustedProxies] == nil,
            given[.rateHeader] == nil
        else { return nil }
        let network = settings.listen.isLoopback ? "127.0.0.0/8,::1/128" : "the proxy's network, such as 10.0.0.0/8"
        return .warning(
            "callers",
            "a proxy stands in front of \(settings.listen) and is not trusted: to the limits everybody is one address, "
                + "and ten wrong passwords shut everybody out",
            "\(Setting.trustedProxies.environmentName)=\(network), if the proxy sets "
                + "\(Setting.proxyHeader.defaultText ?? "a header")")
    }
}
