package import GatehouseWire

/// Values that a developer would enter in the providers' consoles.
package struct StandInRegistration: Sendable {
    package struct Apple: Sendable {
        package let base: String
        /// In ID tokens and notifications.
        package let issuer: String
        package let webClient: String
        package let apps: [String]
        /// Compared byte for byte.
        package let redirectURIs: [String]
        /// Ten capital letters and digits, like the key id.
        package let teamID: String
        package let keyID: String
        package let privateKey: Secret
        package let notificationEndpoint: String?

        /// Whatever the issuer.
        static let secretAudience = "https://appleid.apple.com"
    }

    package struct Google: Sendable {
        /// Also the discovery document's base URL.
        package let issuer: String
        /// For browsers.
        package let webClient: String
        package let secret: Secret
        package let apps: [String]
        /// Compared byte for byte.
        package let redirectURIs: [String]
    }

    /// An app's registration with a simulated provider without OpenID Connect.
    package struct OAuth: Sendable {
        package let provider: SimulatedProvider
        /// Replaces the scheme and host of the provider's addresses.
        package let base: String
        /// The client id.
        package let client: String
        /// The client secret.
        package let secret: Secret
        /// The allowed redirect URIs, compared byte for byte.
        package let redirectURIs: [String]
    }

    /// The registrations with the simulated GitHub, Discord and X.
    package let oauth: [OAuth]
    /// The registration with the simulated Apple.
    package let apple: Apple
    package let google: Google
}

package struct StandInSettings: Sendable {
    /// The dev server's public URL without a trailing slash: `http://127.0.0.1:9999`.
    package let external: String
    /// Compared byte for byte.
    package var redirectURIs: [String]
    /// Defaults to this server's URL: its tokens cannot be mistaken for real ones.
    package var appleIssuer: String
    package var appleWebClient = "com.example.app.web"
    /// Bundle ids. The first is the default of native sign-in and notifications.
    package var appleApps = ["com.example.app"]
    /// For browsers.
    package var googleWebClient = "web.apps.example.com"
    /// The first is the default.
    package var googleApps = ["ios.apps.example.com", "android.apps.example.com"]
    /// nil refuses `POST /dev/apple/notify`.
    package var notificationEndpoint: String?
    package var app: String?
    package var inbox: String?
    /// The providers that the page at `/dev` links to.
    package var offered = ["google", "apple"]
    /// The delay of the token endpoints for the slow test account.
    package var slowness: Duration = .seconds(5)

    package init(external: String) {
        self.external = external
        redirectURIs = [external + "/auth/v1/callback"]
        appleIssuer = external + SimulatedProvider.apple.path
    }
}
