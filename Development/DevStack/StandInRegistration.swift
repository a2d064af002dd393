package import GatehouseWire

/// The values that a developer enters in the providers' consoles and gets from them. Configures the server for the
/// simulated providers.
package struct StandInRegistration: Sendable {
    /// An app's registration with the simulated Apple.
    package struct Apple: Sendable {
        /// The base URL of `/auth/authorize`, `/auth/token`, `/auth/revoke` and `/auth/keys`.
        package let base: String
        /// The `iss` of ID tokens and notifications.
        package let issuer: String
        /// The Services ID, for browsers.
        package let webClient: String
        /// Bundle ids, for native sign-in.
        package let apps: [String]
        /// The allowed redirect URIs, compared byte for byte.
        package let redirectURIs: [String]
        /// Ten capital letters and digits, like the key id.
        package let teamID: String
        /// The id of ``privateKey``.
        package let keyID: String
        /// The content of the .p8 file.
        package let privateKey: Secret
        /// The URL for notifications; nil for none.
        package let notificationEndpoint: String?

        /// The audience of client secrets, whatever the issuer.
        static let secretAudience = "https://appleid.apple.com"
    }

    /// An app's registration with the simulated Google.
    package struct Google: Sendable {
        /// Also the base URL of the discovery document.
        package let issuer: String
        /// The client id for browsers.
        package let webClient: String
        /// The client secret of ``webClient``.
        package let secret: Secret
        /// Client ids of apps, for native sign-in.
        package let apps: [String]
        /// The allowed redirect URIs, compared byte for byte.
        package let redirectURIs: [String]
    }

    /// The registration with the simulated Apple.
    package let apple: Apple
    /// The registration with the simulated Google.
    package let google: Google
}

/// The settings of the simulated providers. All except the URL have defaults.
package struct StandInSettings: Sendable {
    /// The public URL of the dev server without a trailing slash: `http://127.0.0.1:9999`.
    package let external: String
    /// Compared byte for byte.
    package var redirectURIs: [String]
    /// The `iss` of Apple's tokens. The default is this server's URL, so that they cannot be mistaken for real ones.
    package var appleIssuer: String
    /// The Services ID.
    package var appleWebClient = "com.example.app.web"
    /// Bundle ids. The first is the default of native sign-in and notifications.
    package var appleApps = ["com.example.app"]
    /// The client id for browsers.
    package var googleWebClient = "web.apps.example.com"
    /// Client ids of apps. The first is the default.
    package var googleApps = ["ios.apps.example.com", "android.apps.example.com"]
    /// nil refuses `POST /dev/apple/notify`.
    package var notificationEndpoint: String?
    /// The URL of the reference app in a browser; nil if unavailable.
    package var app: String?
    /// The URL of the inbox; nil if mails are not kept.
    package var inbox: String?
    /// The delay of the token endpoints for the slow test account.
    package var slowness: Duration = .seconds(5)

    /// - Parameter external: The public URL of the dev server without a trailing slash.
    package init(external: String) {
        self.external = external
        redirectURIs = [external + "/auth/v1/callback"]
        appleIssuer = external + SimulatedProvider.apple.path
    }
}
