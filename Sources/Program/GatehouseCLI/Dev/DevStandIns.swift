import AccountDomain
import DevStack
package import GatehouseServer
import GatehouseWire
import IdentityProviders

/// The simulated providers of `gatehouse dev`, and the server's settings for them.
package struct DevStandIns: Sendable {
    let standIns: StandIns
    /// The settings of the wanted providers for the server.
    package let providers: [ConfiguredProvider]

    /// - Parameters:
    ///   - url: The root URL of the stack.
    ///   - app: The URL of the app in a browser, if available.
    ///   - inbox: The URL of the inbox.
    ///   - names: The providers to offer, of ``names``.
    /// - Returns: nil unless the URL is loopback: a server accepts providers without TLS only on its own machine.
    /// - Throws: Errors of key generation.
    package init?(
        at url: String, app: String? = nil, inbox: String? = nil, offering names: [String] = Self.usual,
        confirmsAutomatically: Bool
    ) throws {
        guard ProviderURL(url)?.isLoopback == true else { return nil }
        let authURL = url + "/auth/v1"
        var settings = StandInSettings(external: url)
        settings.redirectURIs = [authURL + "/callback"]
        settings.notificationEndpoint = authURL + "/apple/notifications"
        settings.app = app
        settings.inbox = inbox
        settings.offered = names
        standIns = try StandIns.make(settings, in: Self.world)
        let defaults = ProviderDefaults(externalURL: authURL, confirmsAutomatically: confirmsAutomatically)
        var apple = try Self.apple(standIns.registration.apple)
        apple.isEmailOptional = true
        let google = try Self.google(standIns.registration.google)
        let known = [apple, google] + (try standIns.registration.oauth.map(Self.oauth))
        providers = known.filter { names.contains($0.name) }
            .map { defaults.configure($0, linking: .automatic, redirectURL: nil) }
    }

    /// Every simulated provider.
    package static let names = ["apple", "google"] + SimulatedProvider.withoutOpenID.map(\.rawValue)
    /// Those that are offered unless others are wanted.
    package static let usual = ["apple", "google", "github"]

    /// The base URL of the simulated Apple.
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

    private static func oauth(_ registration: StandInRegistration.OAuth) throws -> ProviderSettings {
        let known = KnownProvider.all.first { $0.name == registration.provider.rawValue }
        guard let known else { throw CommandFailure("There is no provider \(registration.provider.rawValue).") }
        return try known.settings(
            clientIDs: [registration.client], credential: .secret(registration.secret), url: registration.base)
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
