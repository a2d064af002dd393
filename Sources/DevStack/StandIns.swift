import Crypto
import GatehouseWire
package import HTTPServing
import HTTPTypes
import Hummingbird

/// Stand-ins for Apple and Google, for `gatehouse dev` and for tests. What the real ones refuse, they refuse.
package struct StandIns: Sendable {
    package let apple: StandInApple
    package let google: StandInGoogle
    package let registration: StandInRegistration
    private let landing: Landing

    /// Where browsers come that an app sent nowhere else.
    package static func site(_ external: String) -> String { external + Landing.path }

    /// - Throws: What making keys throws.
    package static func make(_ settings: StandInSettings, in surroundings: Surroundings) throws -> StandIns {
        let (key, pem) = privateKey(surroundings.randomBytes)
        let apple = StandInRegistration.Apple(
            base: settings.external + Company.apple.path, issuer: settings.appleIssuer,
            webClient: settings.appleWebClient, apps: settings.appleApps, redirectURIs: settings.redirectURIs,
            teamID: identifier(surroundings.randomBytes), keyID: identifier(surroundings.randomBytes),
            privateKey: pem, notificationEndpoint: settings.notificationEndpoint)
        let google = StandInRegistration.Google(
            issuer: settings.external + Company.google.path, webClient: settings.googleWebClient,
            secret: Secret("stand-in-" + Base64URL.text(surroundings.randomBytes(24))), apps: settings.googleApps,
            redirectURIs: settings.redirectURIs)
        return StandIns(
            apple: try StandInApple(apple, publicKey: key.publicKey, settings, surroundings),
            google: try StandInGoogle(google, settings, surroundings),
            registration: StandInRegistration(apple: apple, google: google),
            landing: Landing(external: settings.external, app: settings.app))
    }

    /// The tables of both, below `/dev/apple` and `/dev/google`, and the page at `/dev`.
    package func tables(floor: ServingFloor) -> [RouteTable] {
        [apple.table(floor: floor), google.table(floor: floor), landing.table(floor: floor)]
    }

    private static func privateKey(_ randomBytes: (Int) -> [UInt8]) -> (P256.Signing.PrivateKey, Secret) {
        while true {
            // Lost: that the bytes are zero or beyond the group's order, which is next to never; then others are taken.
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: randomBytes(32)) else { continue }
            return (key, Secret(key.pemRepresentation))
        }
    }

    /// Ten capital letters and digits, as Apple's teams and keys have.
    private static func identifier(_ randomBytes: (Int) -> [UInt8]) -> String {
        let symbols = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        return String(randomBytes(10).map { symbols[Int($0 & 31)] })
    }
}

/// Keeps other websites from throwing the switches of a dev port that the browser can reach: forms and scripts of
/// other origins name theirs. Programs have none.
struct OwnOriginOnly: Sendable {
    let external: String

    func check(_ request: Request, _ context: ServerContext) throws {
        guard let origin = request.headers[.origin], origin != external else { return }
        throw Refusal(.forbidden, RefusalCode("foreign_origin"), "Only programs and this origin may ask for this.")
    }
}
