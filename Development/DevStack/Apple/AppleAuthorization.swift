import GatehouseWire
import HTTPServing
import Hummingbird

struct AppleAuthorization {
    let client: String
    let wantsIDToken: Bool
    let scopes: [String]
    let nonce: String?
    let callback: Callback

    /// Apple accepts the last one but ignores it.
    private static let knownScopes = ["name", "email", "openid"]

    init(_ fields: FormFields, _ registration: StandInRegistration.Apple) throws(PageRefusal) {
        guard let client = fields["client_id"] else { throw PageRefusal("invalid_request", "client_id is missing.") }
        guard client == registration.webClient else {
            throw PageRefusal(
                "invalid_client", "No Services ID is registered under this client_id.", found: client,
                accepted: [registration.webClient])
        }
        guard let url = fields["redirect_uri"] else {
            throw PageRefusal("invalid_request", "redirect_uri is missing.", accepted: registration.redirectURIs)
        }
        guard registration.redirectURIs.contains(url) else {
            throw PageRefusal(
                "invalid_request", "The client has no such redirect_uri registered. It is compared letter by letter.",
                found: url,
                accepted: registration.redirectURIs)
        }
        let types = fields.words("response_type")
        guard types.allSatisfy({ ["code", "id_token"].contains($0) }), types.contains("code") else {
            throw PageRefusal(
                "invalid_request", "response_type has to be code, with or without id_token.",
                found: fields["response_type"], accepted: ["code", "code id_token"])
        }
        scopes = fields.words("scope")
        if let unknown = scopes.first(where: { !Self.knownScopes.contains($0) }) {
            throw PageRefusal(
                "invalid_scope", "There is no such scope.", found: unknown, accepted: ["name", "email"])
        }
        wantsIDToken = types.contains("id_token")
        callback = Callback(url: url, mode: try Self.mode(fields, scopes, wantsIDToken), state: fields["state"])
        nonce = fields["nonce"]
        self.client = client
    }

    private static func mode(
        _ fields: FormFields, _ scopes: [String], _ wantsIDToken: Bool
    ) throws(PageRefusal) -> Callback.Mode {
        let given = fields["response_mode"]
        guard let mode = Callback.Mode(text: given ?? (wantsIDToken ? "fragment" : "query")) else {
            throw PageRefusal(
                "invalid_request", "There is no such response_mode.", found: given,
                accepted: ["query", "fragment", "form_post"])
        }
        guard mode == .formPost || !scopes.contains("name") && !scopes.contains("email") else {
            throw PageRefusal(
                "invalid_request", "response_mode must be form_post when scopes are requested.",
                found: given, accepted: ["form_post"])
        }
        guard mode != .query || !wantsIDToken else {
            throw PageRefusal(
                "invalid_request", "An ID token is not sent in a query.", found: given,
                accepted: ["fragment", "form_post"])
        }
        return mode
    }

    var wishes: [String] {
        [scopes.contains("name") ? "name" : nil, scopes.contains("email") ? "email address" : nil].compactMap(\.self)
    }
}

extension StandInApple {
    func showPeople(_ request: Request, _ context: ServerContext) throws -> Response {
        let query = try request.authorizationQuery()
        return page(try AppleAuthorization(query, registration), query).response
    }

    /// Validates the query again: anyone can submit the form.
    func choose(_ request: Request, _ context: ServerContext) async throws -> Response {
        let query = try request.authorizationQuery()
        let authorization = try AppleAuthorization(query, registration)
        let choice = try await request.form(context)
        let visitor: Visitor
        do {
            visitor = try Self.provider.visitor(chosen: choice)
        } catch let problem as Visitor.AddressProblem {
            var page = page(authorization, query)
            page.refused = (choice["email"] ?? "", problem)
            return page.response
        }
        guard visitor.person.conduct != .cancels else {
            return authorization.callback.response(Self.provider, [("error", "user_cancelled_authorize")])
        }
        return authorization.callback.response(Self.provider, try answer(authorization, visitor))
    }

    private func answer(
        _ authorization: AppleAuthorization, _ visitor: Visitor
    ) throws -> [(name: String, value: String)] {
        let now = world.now()
        let grant = Grant(
            client: authorization.client, visitor: visitor, scopes: authorization.scopes, authorizedAt: now,
            redirectURI: authorization.callback.url, nonce: authorization.nonce)
        let code = ledger.issueCode(for: grant, until: now + Self.codeLifetime)
        var fields = [(name: "code", value: code)]
        if authorization.wantsIDToken {
            fields.append(("id_token", try idToken(for: grant, ["c_hash": .string(keys.hash(of: code))])))
        }
        let isFirst = ledger.noteConsent(authorization.client, visitor)
        if isFirst, let user = Self.user(visitor, authorization.scopes) { fields.append(("user", user)) }
        return fields
    }

    /// JSON that Apple sends once; nil if not requested.
    private static func user(_ visitor: Visitor, _ scopes: [String]) -> String? {
        var user: AuthJSONObject = [:]
        if scopes.contains("name") {
            let person = visitor.person
            user["name"] = ["firstName": .string(person.givenName), "lastName": .string(person.familyName)]
        }
        if scopes.contains("email"), let email = visitor.email { user["email"] = .string(email) }
        return user.isEmpty ? nil : AuthJSON.object(user).text
    }

    private func page(_ authorization: AppleAuthorization, _ query: FormFields) -> PersonPage {
        PersonPage(
            provider: Self.provider, client: authorization.client, wishes: authorization.wishes,
            returnsTo: authorization.callback.url, query: query.encoded)
    }
}
