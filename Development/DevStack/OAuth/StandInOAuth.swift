import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

/// Simulates a provider without OpenID Connect: GitHub, Discord or X, which describe a user in three ways.
package struct StandInOAuth: Sendable {
    static let codeLifetime: Duration = .seconds(600)
    static let accessTokenLifetime: Duration = .seconds(7_200)

    let registration: StandInRegistration.OAuth
    private let shape: OAuthShape
    private let ledger: Ledger
    private let world: StandInWorld
    private let slowness: Duration

    init(_ registration: StandInRegistration.OAuth, _ settings: StandInSettings, _ world: StandInWorld) {
        self.registration = registration
        self.world = world
        shape = OAuthShape(registration.provider)
        ledger = Ledger(randomBytes: world.randomBytes)
        slowness = settings.slowness
    }

    func table(runtime: ServerRuntime) -> RouteTable {
        let (limit, answering) = (runtime.requestTimeLimit, registration.provider.answering)
        let describing = shape.profiles.map { path, describe in
            Route(.get, path, answering { request, _ in try self.profile(request, describe) })
        }
        return RouteTable(
            group: RouteGroup(
                prefixes: [registration.provider.path], format: .auth, crossOrigin: nil, cacheControl: "no-store"),
            runtime: runtime,
            [
                Route(.get, shape.authorization, answering(showPeople)),
                Route(.post, shape.authorization, timeLimit: limit, answering(choose)),
                Route(.post, shape.token, timeLimit: limit + slowness, answering(token)),
            ] + describing)
    }
}

extension StandInOAuth {
    /// A valid authorization request (RFC 6749 §4.1.1).
    private func authorization(_ fields: FormFields) throws(PageRefusal) -> (callback: Callback, challenge: String?) {
        guard fields["client_id"] == registration.client else {
            throw PageRefusal(
                "invalid_client", "No app is registered under this client_id.", found: fields["client_id"],
                accepted: [registration.client])
        }
        guard let url = fields["redirect_uri"], registration.redirectURIs.contains(url) else {
            throw PageRefusal(
                "redirect_uri_mismatch", "The app has no such redirect_uri registered.", found: fields["redirect_uri"],
                accepted: registration.redirectURIs)
        }
        guard fields["response_type"] == "code" else {
            throw PageRefusal("unsupported_response_type", "response_type has to be code.", accepted: ["code"])
        }
        let challenge = fields["code_challenge"]
        guard challenge != nil || !shape.requiresPKCE else {
            throw PageRefusal("invalid_request", "code_challenge is missing.")
        }
        guard challenge == nil || fields["code_challenge_method"] == "S256" else {
            throw PageRefusal("invalid_request", "code_challenge_method has to be S256.", accepted: ["S256"])
        }
        return (Callback(url: url, mode: .query, state: fields["state"]), challenge)
    }

    private func showPeople(_ request: Request, _ context: ServerContext) throws -> Response {
        let query = try request.authorizationQuery()
        return page(try authorization(query).callback, query).response
    }

    private func page(_ callback: Callback, _ query: FormFields) -> PersonPage {
        PersonPage(
            provider: registration.provider, client: registration.client, wishes: query.words("scope"),
            returnsTo: callback.url, query: query.encoded)
    }

    private func choose(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (query, provider) = (try request.authorizationQuery(), registration.provider)
        let (callback, challenge) = try authorization(query)
        let choice = try await request.form(context)
        let visitor: Visitor
        do {
            visitor = try provider.visitor(chosen: choice)
        } catch let problem as Visitor.AddressProblem {
            var page = page(callback, query)
            page.refused = (choice["email"] ?? "", problem)
            return page.response
        }
        guard visitor.person.conduct != .cancels else {
            return callback.response(provider, [("error", "access_denied")])
        }
        let now = world.now()
        let grant = Grant(
            client: registration.client, visitor: visitor, scopes: query.words("scope"), authorizedAt: now,
            redirectURI: callback.url, challenge: challenge)
        return callback.response(provider, [("code", ledger.issueCode(for: grant, until: now + Self.codeLifetime))])
    }

    /// Exchanges a code (RFC 6749 §4.1.3).
    private func token(_ request: Request, _ context: ServerContext) async throws -> Response {
        let form = try await request.form(context)
        guard form["grant_type"] == "authorization_code", let text = form["code"] else {
            throw OAuthRefusal.invalidRequest("grant_type has to be authorization_code, with a code.")
        }
        try authenticate(form, request.headers[.authorization])
        try await world.undergo(ledger.code(text)?.grant.visitor.person, slowness: slowness)
        let now = world.now()
        guard let code = ledger.code(text), now < code.expiresAt, form["redirect_uri"] == code.grant.redirectURI,
            code.grant.client == registration.client
        else { throw OAuthRefusal.invalidGrant("The code is unknown or expired, or belongs to another request.") }
        try StandInGoogle.check(form["code_verifier"], against: code.grant.challenge)
        guard ledger.use(text) else { throw OAuthRefusal.invalidGrant("The code was used before.") }
        let token = ledger.issue(.access, for: code.grant, until: now + Self.accessTokenLifetime)
        return OAuthAnswer.json([
            "access_token": .string(token), "token_type": "bearer",
            "scope": .string(code.grant.scopes.joined(separator: shape.scopeSeparator)),
        ])
    }

    /// By a secret in the form or in `Authorization` (RFC 6749 §2.3.1).
    private func authenticate(_ form: FormFields, _ header: String?) throws(OAuthRefusal) {
        let secret: String? =
            if let header {
                StandInGoogle.basic(header).flatMap { $0.client == registration.client ? $0.secret : nil }
            } else {
                form["client_id"] == registration.client ? form["client_secret"] : nil
            }
        guard let secret, registration.secret.matches(Secret(secret)) else {
            throw OAuthRefusal(.unauthorized, "invalid_client", "client_id or client_secret is wrong.")
        }
    }

    private func profile(_ request: Request, _ describe: (Visitor) -> AuthJSON) throws -> Response {
        guard let text = request.headers.bearerToken, let token = ledger.token(text, at: world.now()) else {
            throw OAuthRefusal(.unauthorized, "invalid_token", "The access token has expired or was never issued.")
        }
        return OAuthAnswer.json(describe(token.grant.visitor))
    }
}
