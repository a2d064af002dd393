import Crypto
import GatehouseWire
import IdentityProviders
import JSONWebTokens
import Synchronization

/// 2026-03-01T12:00:00Z
let noon = Instant(seconds: 1_772_366_400)

extension AuthJSON {
    /// The object with members set.
    func with(_ changes: AuthJSONObject) -> AuthJSON {
        .object((objectValue ?? [:]).merging(changes) { _, new in new })
    }

    func without(_ names: String...) -> AuthJSON { .object((objectValue ?? [:]).filter { !names.contains($0.key) }) }
}

/// Tests can replace its responses and count its calls.
final class ScriptedProvider: Sendable {
    struct State {
        var answers: [String: ProviderResponse] = [:]
        var failures: [String: ProviderTransportFailure] = [:]
        var requests: [ProviderRequest] = []
        var isHolding = false
        var time = noon
    }

    let issuer: String
    let key: JSONWebKey
    private let state = Mutex(State())

    init(issuer: String = "https://id.example.org", key: JSONWebKey, changes: AuthJSONObject = [:]) throws {
        (self.issuer, self.key) = (issuer, key)
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let document: AuthJSON = [
            "issuer": .string(issuer), "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(base + "/token"), "userinfo_endpoint": .string(base + "/userinfo"),
            "revocation_endpoint": .string(base + "/revoke"), "jwks_uri": .string(base + "/keys"),
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        ]
        answer("/.well-known/openid-configuration", document.with(changes))
        try publish([key])
    }

    func publish(_ keys: [JSONWebKey]) throws {
        let document = try KeySet(keys).publicDocument
        for path in ["/keys", "/auth/keys"] { answer(path, body: document) }
    }

    func answer(_ path: String, status: Int = 200, _ json: AuthJSON) {
        answer(path, status: status, body: Array(json.text.utf8))
    }

    func answer(_ path: String, status: Int = 200, body: [UInt8]) {
        state.withLock { $0.answers[path] = ProviderResponse(status: status, body: body) }
    }

    func fail(_ path: String, _ failure: ProviderTransportFailure?) {
        state.withLock { $0.failures[path] = failure }
    }

    func hold(_ isHolding: Bool) { state.withLock { $0.isHolding = isHolding } }
    func advance(_ duration: Duration) { state.withLock { $0.time = $0.time + duration } }
    var now: Instant { state.withLock { $0.time } }
    var requests: [ProviderRequest] { state.withLock { $0.requests } }
    func count(_ path: String) -> Int { requests.count { $0.url.text.hasSuffix(path) } }

    var lastForm: [String: String] {
        let body = requests.last?.body?.reveal() ?? ""
        let pairs = body.split(separator: "&").map { $0.split(separator: "=", omittingEmptySubsequences: false) }
        return Dictionary(pairs.map { (String($0[0]), $0.count > 1 ? String($0[1]) : "") }) { first, _ in first }
    }

    func transport(_ request: ProviderRequest) async throws -> ProviderResponse {
        state.withLock { $0.requests.append(request) }
        while state.withLock({ $0.isHolding }) { await Task.yield() }
        return try state.withLock { state in
            let path = "/" + request.url.text.split(separator: "/").dropFirst(2).joined(separator: "/")
            if let failure = state.failures[path] { throw failure }
            return state.answers[path] ?? ProviderResponse(status: 404)
        }
    }

    func provider(
        _ settings: ProviderSettings, rule: OutgoingAddressRule = OutgoingAddressRule()
    ) throws -> OpenIDProvider {
        try OpenIDProvider(settings, rule: rule, now: { self.now }, transport: { try await self.transport($0) })
    }

    /// Any OpenID provider, with two clients.
    func acme(_ change: (inout ProviderSettings) -> Void = { _ in }) throws -> OpenIDProvider {
        var settings = try ProviderSettings.openID(
            name: "custom:acme", issuer: issuer, clientIDs: ["web", "app"], credential: .secret(Secret("s3cret/+")))
        change(&settings)
        return try provider(settings)
    }

    func google(_ change: (inout ProviderSettings) -> Void = { _ in }) throws -> OpenIDProvider {
        var settings = try ProviderSettings.google(
            clientIDs: ["web", "app"], credential: .secret(Secret("s3cret")), issuer: issuer)
        change(&settings)
        return try provider(settings)
    }

    func apple(_ credential: ClientCredential = .none) throws -> OpenIDProvider {
        try provider(ProviderSettings.apple(clientIDs: ["web", "app"], credential: credential))
    }

    /// Valid at noon and for five minutes.
    func claims(_ changes: AuthJSONObject = [:]) -> AuthJSON {
        let usual: AuthJSON = [
            "iss": .string(issuer), "aud": "app", "sub": "ada-1", "iat": .integer(noon.seconds),
            "exp": .integer(noon.seconds + 300), "email": "ada@example.org", "email_verified": true,
        ]
        return usual.with(changes)
    }

    func token(_ changes: AuthJSONObject = [:], without names: String..., by other: JSONWebKey? = nil) throws
        -> Secret
    {
        let claims = (claims(changes).objectValue ?? [:]).filter { !names.contains($0.key) }
        return Secret(try TokenSigner(other ?? key).sign(payload: Array(AuthJSON.object(claims).text.utf8)))
    }
}

func failure(_ work: () async throws -> some Sendable) async -> ProviderFailure? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? ProviderFailure
    }
}

extension OpenIDProvider {
    /// As the id_token grant calls it, at noon.
    func native(
        _ token: Secret, accessToken: Secret? = nil, nonce: String? = nil
    ) async throws -> VerifiedIdentity {
        try await verify(idToken: token, accessToken: accessToken, nonce: .presented(nonce), at: noon)
    }
}
