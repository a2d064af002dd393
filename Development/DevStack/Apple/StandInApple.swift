import Crypto
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import JSONWebTokens

/// Apple's REST API, except that it accepts redirect URIs with http and without a domain.
package struct StandInApple: Sendable {
    static let provider = SimulatedProvider.apple
    /// Apple's.
    static let codeLifetime: Duration = .seconds(300)
    static let accessTokenLifetime: Duration = .seconds(3_600)
    static let idTokenLifetime: Duration = .seconds(86_400)

    let registration: StandInRegistration.Apple
    let keys: StandInKeys
    let ledger: Ledger
    let world: StandInWorld
    let slowness: Duration
    let secrets: ClientSecretCheck
    private let origin: OwnOriginOnly

    init(
        _ registration: StandInRegistration.Apple, publicKey: P256.Signing.PublicKey, _ settings: StandInSettings,
        _ world: StandInWorld
    ) throws {
        self.registration = registration
        self.world = world
        keys = StandInKeys(makeKey: world.makeKey)
        ledger = Ledger(randomBytes: world.randomBytes)
        slowness = settings.slowness
        secrets = try ClientSecretCheck(teamID: registration.teamID, keyID: registration.keyID, publicKey)
        origin = OwnOriginOnly(external: settings.external)
    }

    /// Oldest first; the last thousand.
    package var revocations: [Revocation] { ledger.revocations }

    func table(runtime: ServerRuntime) -> RouteTable {
        let (limit, answering) = (runtime.requestTimeLimit, Self.provider.answering)
        let own: Route.Guard = { try origin.check($0, $1) }
        return RouteTable(
            group: RouteGroup(
                prefixes: [Self.provider.path], format: .auth, crossOrigin: nil, cacheControl: "no-store"),
            runtime: runtime,
            [
                Route(.get, "/.well-known/openid-configuration", discovery),
                Route(.get, "/auth/keys", publishKeys),
                Route(.get, "/auth/authorize", answering(showPeople)),
                Route(.post, "/auth/authorize", timeLimit: limit, answering(choose)),
                Route(.post, "/auth/token", timeLimit: limit + slowness, answering(token)),
                Route(.post, "/auth/revoke", timeLimit: limit, answering(revoke)),
                // Test controls.
                Route(.post, "/rotate-keys", guardedBy: own, rotateKeys),
                Route(.post, "/notify", guardedBy: own, timeLimit: limit, answering(notify)),
                Route(
                    .post, "/native-credential", guardedBy: own, timeLimit: limit + slowness,
                    answering(nativeCredential)),
                Route(.get, "/revocations", guardedBy: own, listRevocations),
            ])
    }

    private func discovery(_ request: Request, _ context: ServerContext) throws -> Response {
        let base = registration.base
        return Answer.json(
            Array(
                AuthJSON.object([
                    "issuer": .string(registration.issuer),
                    "authorization_endpoint": .string("\(base)/auth/authorize"),
                    "token_endpoint": .string("\(base)/auth/token"),
                    "revocation_endpoint": .string("\(base)/auth/revoke"),
                    "jwks_uri": .string("\(base)/auth/keys"),
                    "response_types_supported": ["code"],
                    "response_modes_supported": ["query", "fragment", "form_post"],
                    "subject_types_supported": ["pairwise"],
                    "id_token_signing_alg_values_supported": [.string(try keys.algorithm().rawValue)],
                    "scopes_supported": ["openid", "email", "name"],
                    "token_endpoint_auth_methods_supported": ["client_secret_post"],
                    "claims_supported": [
                        "aud", "email", "email_verified", "exp", "iat", "is_private_email", "iss", "nonce",
                        "nonce_supported", "real_user_status", "sub",
                    ],
                ]).text.utf8))
    }

    private func publishKeys(_ request: Request, _ context: ServerContext) throws -> Response {
        Answer.json(try keys.document())
    }

    private func rotateKeys(_ request: Request, _ context: ServerContext) throws -> Response {
        try keys.rotate()
        return OAuthAnswer.json(["keys": .array(try keys.ids().map(AuthJSON.string))])
    }

    private func listRevocations(_ request: Request, _ context: ServerContext) -> Response {
        OAuthAnswer.json(["revocations": .array(revocations.map(\.json))])
    }
}
