import GatehouseWire
import HTTPServing
import Hummingbird

struct GoogleAuthorization {
    let client: String
    /// Without duplicates, sorted.
    let scopes: [String]
    let nonce: String?
    /// S256 (RFC 7636 §4.2).
    let challenge: String?
    let prompts: [String]
    let isOffline: Bool
    let hint: String?
    let callback: Callback

    /// Google has older names for two scopes, and many more scopes under the same URL.
    private static let scopeFolder = "https://www.googleapis.com/auth/"
    private static let knownPrompts = ["consent", "none", "select_account"]

    init(_ fields: FormFields, _ registration: StandInRegistration.Google) throws(PageRefusal) {
        guard let client = fields["client_id"] else { throw PageRefusal("invalid_request", "client_id is missing.") }
        guard client == registration.webClient else {
            throw PageRefusal(
                "invalid_client", "No web client is registered under this client_id.", found: client,
                accepted: [registration.webClient])
        }
        guard let url = fields["redirect_uri"] else {
            throw PageRefusal("invalid_request", "redirect_uri is missing.", accepted: registration.redirectURIs)
        }
        guard registration.redirectURIs.contains(url) else {
            throw PageRefusal(
                "redirect_uri_mismatch",
                "The client has no such redirect_uri registered. It is compared letter by letter.", found: url,
                accepted: registration.redirectURIs)
        }
        let type = fields["response_type"]
        guard type == "code" else {
            throw PageRefusal(
                type == nil ? "invalid_request" : "unsupported_response_type", "response_type has to be code.",
                found: type, accepted: ["code"])
        }
        if let mode = fields["response_mode"], mode != "query" {
            throw PageRefusal(
                "invalid_request", "Only one response_mode is served here.", found: mode, accepted: ["query"])
        }
        self.client = client
        scopes = try Self.scopes(fields)
        prompts = try Self.prompts(fields)
        challenge = try Self.challenge(fields)
        isOffline = try Self.isOffline(fields)
        (nonce, hint) = (fields["nonce"], fields["login_hint"])
        callback = Callback(url: url, mode: .query, state: fields["state"])
    }

    private static func scopes(_ fields: FormFields) throws(PageRefusal) -> [String] {
        let words = fields.words("scope")
        guard words.contains("openid") else {
            throw PageRefusal(
                "invalid_scope", "scope has to have the word openid: without it this is no sign-in.",
                found: fields["scope"], accepted: ["openid", "email", "profile"])
        }
        let known = ["email", "openid", "profile"]
        if let unknown = words.first(where: { !known.contains($0) && !$0.hasPrefix(scopeFolder) }) {
            throw PageRefusal("invalid_scope", "There is no such scope.", found: unknown, accepted: known)
        }
        return Set<ExternalName>(words.map { ExternalName(trusted: shortName($0)) }).sorted().map(\.text)
    }

    private static func shortName(_ scope: String) -> String {
        switch scope {
        case scopeFolder + "userinfo.email": "email"
        case scopeFolder + "userinfo.profile": "profile"
        default: scope
        }
    }

    private static func prompts(_ fields: FormFields) throws(PageRefusal) -> [String] {
        let prompts = fields.words("prompt")
        guard prompts.allSatisfy({ knownPrompts.contains($0) }), prompts.count < 2 || !prompts.contains("none") else {
            throw PageRefusal(
                "invalid_request", "prompt is none alone, or consent and select_account.", found: fields["prompt"],
                accepted: knownPrompts)
        }
        return prompts
    }

    private static func challenge(_ fields: FormFields) throws(PageRefusal) -> String? {
        let (challenge, method) = (fields["code_challenge"], fields["code_challenge_method"])
        if challenge == nil && method == nil { return nil }
        guard method == "S256" else {
            throw PageRefusal(
                "invalid_request", "code_challenge_method has to be S256.", found: method, accepted: ["S256"])
        }
        guard let challenge, challenge.utf8.count == 43, Base64URL.decode(challenge) != nil else {
            throw PageRefusal(
                "invalid_request", "code_challenge has to be a SHA-256 in base64url: 43 characters.", found: challenge)
        }
        return challenge
    }

    private static func isOffline(_ fields: FormFields) throws(PageRefusal) -> Bool {
        let type = fields["access_type"] ?? "online"
        guard type == "online" || type == "offline" else {
            throw PageRefusal(
                "invalid_request", "access_type is online or offline.", found: type, accepted: ["online", "offline"])
        }
        return type == "offline"
    }

    var wishes: [String] {
        let others = scopes.filter { !["openid", "email", "profile"].contains($0) }
        return [
            scopes.contains("profile") ? "name and picture" : nil, scopes.contains("email") ? "email address" : nil,
        ].compactMap(\.self) + others
    }
}

extension StandInGoogle {
    func showPeople(_ request: Request, _ context: ServerContext) throws -> Response {
        let query = try request.authorizationQuery()
        let authorization = try GoogleAuthorization(query, registration)
        guard !authorization.prompts.contains("none") else {
            // No user is ever signed in here.
            return answer(authorization, [("error", "interaction_required")])
        }
        return page(authorization, query).response
    }

    /// Validates the query again: anyone can submit the form.
    func choose(_ request: Request, _ context: ServerContext) async throws -> Response {
        let query = try request.authorizationQuery()
        let authorization = try GoogleAuthorization(query, registration)
        let choice = try await request.form(context)
        let visitor: Visitor
        do {
            visitor = try Self.provider.visitor(chosen: choice)
        } catch let problem as Visitor.AddressProblem {
            var page = page(authorization, query)
            page.refused = (choice["email"] ?? "", problem)
            return page.response
        }
        guard visitor.person.conduct != .cancels else { return answer(authorization, [("error", "access_denied")]) }
        let now = world.now()
        let isFirst = ledger.noteConsent(authorization.client, visitor)
        let grant = Grant(
            client: authorization.client, visitor: visitor, scopes: authorization.scopes, authorizedAt: now,
            redirectURI: authorization.callback.url, nonce: authorization.nonce, challenge: authorization.challenge,
            mayRefresh: authorization.isOffline && (isFirst || authorization.prompts.contains("consent")))
        let code = ledger.issueCode(for: grant, until: now + Self.codeLifetime)
        return answer(
            authorization,
            [("code", code), ("scope", authorization.scopes.joined(separator: " ")), ("authuser", "0")])
    }

    /// With the issuer (RFC 9207 §2).
    private func answer(
        _ authorization: GoogleAuthorization, _ fields: [(name: String, value: String)]
    ) -> Response {
        authorization.callback.response(Self.provider, fields + [("iss", registration.issuer)])
    }

    private func page(_ authorization: GoogleAuthorization, _ query: FormFields) -> PersonPage {
        PersonPage(
            provider: Self.provider, client: authorization.client, wishes: authorization.wishes,
            returnsTo: authorization.callback.url, query: query.encoded, hint: authorization.hint)
    }
}
