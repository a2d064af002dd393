package import GatehouseWire

/// What a developer would have typed into the companies' consoles, and got from them: with this the server is
/// configured for the stand-ins.
package struct StandInRegistration: Sendable {
    package struct Apple: Sendable {
        /// In front of `/auth/authorize`, `/auth/token`, `/auth/revoke` and `/auth/keys`.
        package let base: String
        /// The `iss` of ID tokens and notifications.
        package let issuer: String
        /// The Services ID, for browsers.
        package let webClient: String
        /// Bundle ids, for sign-in without a browser.
        package let apps: [String]
        package let redirectURIs: [String]
        /// Ten capital letters and digits, as the key's id.
        package let teamID: String
        package let keyID: String
        /// The .p8 file's text.
        package let privateKey: Secret
        /// Where notifications go; nil: nowhere.
        package let notificationEndpoint: String?

        /// What client secrets are made out to, whatever the issuer is.
        static let secretAudience = "https://appleid.apple.com"
    }

    package struct Google: Sendable {
        /// Also where the discovery document is found.
        package let issuer: String
        package let webClient: String
        package let secret: Secret
        /// Client ids of apps, for sign-in without a browser.
        package let apps: [String]
        package let redirectURIs: [String]
    }

    package let apple: Apple
    package let google: Google
}

/// What may be decided about the stand-ins; all but the address has a value that does.
package struct StandInSettings: Sendable {
    /// Where people and the server reach the dev port, without a slash at the end: `http://127.0.0.1:9999`.
    package let external: String
    /// Compared letter by letter.
    package var redirectURIs: [String]
    /// The `iss` of Apple's tokens; the stand-in's own address, so that nobody takes them for real ones.
    package var appleIssuer: String
    /// The Services ID.
    package var appleWebClient = "com.example.app.web"
    /// Bundle ids. The first is the one that native sign-in and notifications are about unless they name another.
    package var appleApps = ["com.example.app"]
    package var googleWebClient = "web.apps.example.com"
    /// Client ids of apps; the first as above.
    package var googleApps = ["ios.apps.example.com", "android.apps.example.com"]
    /// Nil: `POST /dev/apple/notify` is refused.
    package var notificationEndpoint: String?
    /// Where the reference app can be used in a browser; nil: nowhere.
    package var app: String?
    /// How long the token endpoints take for the person who is slow.
    package var slowness: Duration = .seconds(5)

    package init(external: String) {
        self.external = external
        redirectURIs = [external + "/auth/v1/callback"]
        appleIssuer = external + Company.apple.path
    }
}
