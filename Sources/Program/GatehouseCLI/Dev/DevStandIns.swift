import AccountDomain
import DevStack
package import GatehouseServer
import GatehouseWire
import IdentityProviders

/// The simulated Apple and Google.
package struct DevStandIns: Sendable {
    let standIns: StandIns
    package let providers: [ConfiguredProvider]

    /// - Parameters:
    ///   - url: The stack's root URL.
    ///   - app: The app in a browser.
    /// - Returns: nil unless the URL is loopback: only there does a server accept providers without TLS.
    package init?(at url: String, app: String? = nil, inbox: String? = nil, confirmsAutomatically: Bool) throws {
        guard ProviderURL(url)?.isLoopback == true else { return nil }
        let authURL = url + "/auth/v1"
        var settings = StandInSettings(external: url)
        settings.redirectURIs = [authURL + "/callback"]
        settings.notificationEndpoint = authURL + "/apple/notifications"
        settings.app = app
        settings.inbox = inbox
        standIns = try StandIns.make(settings, in: Self.world)
        let defaults = ProviderDefaults(externalURL: authURL, confirmsAutomatically: confirmsAutomatically)
        var apple = try Self.apple(standIns.registration.apple)
        apple.isEmailOptional = true
        let google = try Self.google(standIns.registration.google)
        providers = [apple, google].map { defaults.configure($0, linking: .automatic, redirectURL: nil) }
    }

    package var appleURL: String { standIns.registration.apple.base }
    package var googleURL: String { standIns.registration.google.issuer }

    private static func apple(_ registration: StandInRegistration.Apple) throws -> ProviderSettings {
        let key = try AppleSigningKey(
            pem: registration.privateKey, keyID: registration.keyID, teamID: registration.teamID)
        return try .apple(
            clientIDs: [registration.webClient] + registration.apps, credential: .appleKey(key),
            base: registration.base, issuers: [registration.issuer])
    }

    private static func google(_ registration: StandInRegistration.Google) throws -> ProviderSettings {
        try .google(
            clientIDs: [registration.webClient] + registration.apps, credential: .secret(registration.secret),
            issuer: registration.issuer)
    }

    private static var world: StandInWorld {
        StandInWorld(now: System.now, randomBytes: System.randomBytes, wait: System.sleep) { url, json in
            try await System.world().http.send(
                "POST", url, headers: ["Content-Type": "application/json"], body: json
            ).status
        }
    }
}

/// For apps in development: every page of this machine.
package enum DevRedirects {
    /// - Parameter more: Such as `boxscore://**`.
    package static func list(_ more: [String]) -> String {
        let hosts = ["http://localhost", "http://127.0.0.1", "https://localhost", "https://127.0.0.1"]
        return (hosts.flatMap { ["\($0)", "\($0)/**", "\($0):*", "\($0):*/**"] } + more).joined(separator: ",")
    }
}
