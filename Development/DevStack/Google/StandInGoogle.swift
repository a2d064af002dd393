import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import JSONWebTokens

/// Stricter than Google where our clients would be wrong: refuses requests without `openid` and plain code challenges.
package struct StandInGoogle: Sendable {
    static let provider = SimulatedProvider.google
    static let codeLifetime: Duration = .seconds(600)
    static let accessTokenLifetime: Duration = .seconds(3_599)
    static let idTokenLifetime: Duration = .seconds(3_600)

    let registration: StandInRegistration.Google
    let keys: StandInKeys
    let ledger: Ledger
    let world: StandInWorld
    let slowness: Duration
    private let origin: OwnOriginOnly

    init(_ registration: StandInRegistration.Google, _ settings: StandInSettings, _ world: StandInWorld) {
        self.registration = registration
        self.world = world
        keys = StandInKeys(makeKey: world.makeKey)
        ledger = Ledger(randomBytes: world.randomBytes)
        slowness = settings.slowness
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
                Route(.get, "/oauth2/v3/certs", publishKeys),
                Route(.get, "/o/oauth2/v2/auth", answering(showPeople)),
                Route(.post, "/o/oauth2/v2/auth", timeLimit: limit, answering(choose)),
                Route(.post, "/token", timeLimit: limit + slowness, answering(token)),
                Route(.get, "/userinfo", answering(userInfo)),
                Route(.post, "/userinfo", answering(userInfo)),
                Route(.post, "/revoke", timeLimit: limit, answering(revoke)),
                // Test controls.
                Route(.post, "/rotate-keys", guardedBy: own, rotateKeys),
                Route(
                    .post, "/native-credential", guardedBy: own, timeLimit: limit + slowness,
                    answering(nativeCredential)),
                Route(.get, "/revocations", guardedBy: own, listRevocations),
            ])
    }

    private func discovery(_ request: Request, _ context: ServerContext) throws -> Response {
        let issuer = registration.issuer
        return Answer.json(
            Array(
                AuthJSON.object([
                    "issuer": .string(issuer),
                    "authorization_endpoint": .string("\(issuer)/o/oauth2/v2/auth"),
                    "token_endpoint": .string("\(issuer)/token"),
                    "userinfo_endpoint": .string("\(issuer)/userinfo"),
                    "revocation_endpoint": .string("\(issuer)/revoke"),
                    "jwks_uri": .string("\(issuer)/oauth2/v3/certs"),
                    "response_types_supported": ["code"],
                    "response_modes_supported": ["query"],
                    "subject_types_supported": ["public"],
                    "id_token_signing_alg_values_supported": [.string(try keys.algorithm().rawValue)],
                    "scopes_supported": ["openid", "email", "profile"],
                    "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
                    "code_challenge_methods_supported": ["S256"],
                    "grant_types_supported": ["authorization_code", "refresh_token"],
                    "authorization_response_iss_parameter_supported": true,
                    "claims_supported": [
                        "aud", "email", "email_verified", "exp", "family_name", "given_name", "iat", "iss", "name",
                        "picture", "sub",
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
