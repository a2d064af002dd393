import Crypto
import GatehouseWire
package import HTTPServing
import HTTPTypes
import Hummingbird

/// They refuse what the real Apple and Google refuse.
package struct StandIns: Sendable {
    package let apple: StandInApple
    package let google: StandInGoogle
    package let registration: StandInRegistration
    private let oauth: [StandInOAuth]
    private let landing: LandingPage
    private let agent: AgentPage

    /// The default redirect target.
    package static func site(_ external: String) -> String { external + LandingPage.path }

    package static func make(_ settings: StandInSettings, in world: StandInWorld) throws -> StandIns {
        let (key, pem) = privateKey(world.randomBytes)
        let apple = StandInRegistration.Apple(
            base: settings.external + SimulatedProvider.apple.path, issuer: settings.appleIssuer,
            webClient: settings.appleWebClient, apps: settings.appleApps, redirectURIs: settings.redirectURIs,
            teamID: identifier(world.randomBytes), keyID: identifier(world.randomBytes),
            privateKey: pem, notificationEndpoint: settings.notificationEndpoint)
        let google = StandInRegistration.Google(
            issuer: settings.external + SimulatedProvider.google.path, webClient: settings.googleWebClient,
            secret: Secret("stand-in-" + Base64URL.text(world.randomBytes(24))), apps: settings.googleApps,
            redirectURIs: settings.redirectURIs)
        let oauth = SimulatedProvider.withoutOpenID.map { provider in
            StandInRegistration.OAuth(
                provider: provider, base: settings.external + provider.path, client: "\(provider.rawValue)-client",
                secret: Secret("stand-in-" + Base64URL.text(world.randomBytes(24))),
                redirectURIs: settings.redirectURIs)
        }
        return StandIns(
            apple: try StandInApple(apple, publicKey: key.publicKey, settings, world),
            google: StandInGoogle(google, settings, world),
            registration: StandInRegistration(oauth: oauth, apple: apple, google: google),
            oauth: oauth.map { StandInOAuth($0, settings, world) },
            landing: LandingPage(
                external: settings.external, app: settings.app, inbox: settings.inbox, offered: settings.offered),
            agent: AgentPage(external: settings.external))
    }

    package func tables(runtime: ServerRuntime) -> [RouteTable] {
        [
            apple.table(runtime: runtime), google.table(runtime: runtime), landing.table(runtime: runtime),
            agent.table(runtime: runtime),
        ]
            + oauth.map { $0.table(runtime: runtime) }
    }

    private static func privateKey(_ randomBytes: (Int) -> [UInt8]) -> (P256.Signing.PrivateKey, Secret) {
        while true {
            // Ignored: the loop replaces bytes beyond the group's order, which practically never occur.
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: randomBytes(32)) else { continue }
            return (key, Secret(key.pemRepresentation))
        }
    }

    /// Ten capital letters and digits, like Apple's team and key ids.
    private static func identifier(_ randomBytes: (Int) -> [UInt8]) -> String {
        let symbols = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        return String(randomBytes(10).map { symbols[Int($0 & 31)] })
    }
}

/// Keeps other websites, whose requests have another `Origin`, from using the test controls. Programs send none.
struct OwnOriginOnly: Sendable {
    let external: String

    func check(_ request: Request, _ context: ServerContext) throws {
        guard let origin = request.headers[.origin], origin != external else { return }
        throw Refusal(.forbidden, RefusalCode("foreign_origin"), "Only programs and this origin may ask for this.")
    }
}
