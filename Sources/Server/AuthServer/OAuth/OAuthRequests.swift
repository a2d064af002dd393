import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import JSONWebTokens
import Logging

// What clients ask for, before a user sees it.
extension OAuthRequestHandlers {
    /// RFC 6749 §4.1.1. Errors before the address is known are JSON, as in Supabase Auth; later ones go to the client,
    /// unless anyone could have registered its site: a link to this server must not lead there (RFC 9700 §4.11.2).
    @Sendable func authorize(_ request: Request, _ context: ServerContext) async throws -> Response {
        let rules = try rules
        let fields = try await requestFields(request, context)
        guard let text = fields["client_id"] else { throw Refusal.invalid("client_id is required") }
        guard let client = try await clients.client(named: text, request, context) else {
            throw Refusal(.badRequest, .oauthClientNotFound, "invalid client_id")
        }
        if let pushed = fields["request_uri"], pushed.hasPrefix(Self.pushedPrefix) {
            guard let id = Self.pushedID(pushed),
                try await accounts.oauth.begin(
                    pushed: id, of: client.id, from: callers.device(request, context), at: runtime.now())
            else { throw Refusal.invalid("request_uri is unknown, used or expired") }
            return leadToPage(rules, id)
        }
        let target = try redirectURI(fields, client)
        do throws(OAuthProblem) {
            let asked = try self.asked(fields, of: client, rules, redirectURI: target)
            return try await begin(asked, client, rules, request, context)
        } catch {
            guard client.isVerified || !Self.isSite(target) else { throw Refusal.invalid(error.description) }
            let state = fields["state"].flatMap { $0.utf8.count <= OAuthRequest.longestText ? $0 : nil }
            let answer = OAuthRedirect(target, state: state, issuer: settings.issuer)
            return Answer.redirect(to: answer.address(of: error), status: .seeOther).unstored
        }
    }

    private func begin(
        _ asked: OAuthRequest, _ client: OAuthClient, _ rules: OAuthRules, _ request: Request, _ context: ServerContext
    ) async throws(OAuthProblem) -> Response {
        do {
            let begun = try await accounts.oauth.begin(
                asked, of: client.id, from: try callers.device(request, context), at: runtime.now())
            return leadToPage(rules, begun.id, hint: asked.expected.loginHint)
        } catch {
            context.note(runtime.refusal(of: error), level: .error)
            throw OAuthProblem("temporarily_unavailable", "The server cannot answer at the moment")
        }
    }

    /// RFC 9126.
    @Sendable func push(_ request: Request, _ context: ServerContext) async throws -> Response {
        let rules = try rules
        let fields = try await OAuthFields(body: request, context)
        let client = try await clients.authenticated(fields, isFirst: true, request, context)
        if fields["request_uri"] != nil { throw OAuthProblem.invalidRequest("request_uri cannot be pushed").refusal }
        let target: String
        do { target = try redirectURI(fields, client) } catch let refusal as Refusal {
            throw Refusal.oauth("invalid_request", refusal.message)
        }
        let asked: OAuthRequest
        do throws(OAuthProblem) {
            asked = try self.asked(fields, of: client, rules, redirectURI: target)
        } catch { throw error.refusal }
        let begun = try await accounts.oauth.begin(
            asked, of: client.id, status: .pushed, from: try callers.device(request, context), at: runtime.now())
        return Answer.json(status: .created) { writer in
            writer.beginObject()
            writer.member("request_uri", Self.pushedPrefix + begun.id.text)
            writer.member("expires_in", OAuthAuthorization.lifetime.components.seconds)
            writer.endObject()
        }.unstored
    }

    /// RFC 8628 §3.1.
    @Sendable func beginDevice(_ request: Request, _ context: ServerContext) async throws -> Response {
        let rules = try rules
        let fields = try await OAuthFields(body: request, context)
        let client = try await clients.authenticated(fields, isFirst: true, request, context)
        guard client.metadata.grants.contains(.deviceCode) else {
            throw Refusal.oauth("unauthorized_client", "The client is not registered for the device flow")
        }
        let asked: OAuthRequest
        do throws(OAuthProblem) {
            var made = OAuthRequest(scopes: try scopes(fields, of: client, rules))
            made.resources = try resources(fields, rules)
            asked = made
        } catch { throw error.refusal }
        let code = newSecret()
        let begun = try await accounts.oauth.begin(
            asked, of: client.id, deviceCode: code, from: try callers.device(request, context), at: runtime.now())
        let shown = UserCode.shown(begun.userCode ?? "")
        return Answer.json { writer in
            writer.beginObject()
            writer.member("device_code", code.reveal())
            writer.member("user_code", shown)
            writer.member("verification_uri", rules.devicePage)
            writer.member("verification_uri_complete", Self.adding("user_code=\(shown)", to: rules.devicePage))
            writer.member("expires_in", OAuthAuthorization.lifetime.components.seconds)
            writer.member("interval", OAuthAuthorization.pollInterval.components.seconds)
            writer.endObject()
        }.unstored
    }

    private func leadToPage(
        _ rules: OAuthRules, _ id: Identifier<OAuthAuthorization>, hint: String? = nil
    ) -> Response {
        let hint = hint.map { "login_hint=\(FormText.escape($0))&" } ?? ""
        return Answer.redirect(to: Self.adding("\(hint)authorization_id=\(id.text)", to: rules.consentPage)).unstored
    }

    private static func adding(_ field: String, to page: String) -> String {
        page + (page.contains(ascii: "?") ? "&" : "?") + field
    }

    /// RFC 9126 §2.2.
    private static let pushedPrefix = "urn:ietf:params:oauth:request_uri:"

    private static func pushedID(_ text: String) -> Identifier<OAuthAuthorization>? {
        text.hasPrefix(pushedPrefix) ? Identifier(String(text.dropFirst(pushedPrefix.count))) : nil
    }

    private static func isSite(_ redirectURI: String) -> Bool {
        guard let url = URLParts(redirectURI), url.isWeb else { return false }
        return !URLParts.loopbackHosts.contains(url.host)
    }

    /// In the query, or the form of a POST (OpenID Connect Core §3.1.2.1).
    private func requestFields(_ request: Request, _ context: ServerContext) async throws -> OAuthFields {
        if request.method == .post { return try await OAuthFields(body: request, context) }
        do throws(OAuthProblem) { return try OAuthFields(Query(request)) } catch {
            throw Refusal.invalid(error.description)
        }
    }

    /// - Throws: ``Refusal`` `validation_failed` (400): nothing is sent to an address that is not registered.
    private func redirectURI(_ fields: OAuthFields, _ client: OAuthClient) throws -> String {
        guard let target = fields["redirect_uri"] else { throw Refusal.invalid("redirect_uri is required") }
        guard client.mayReceive(at: target), OAuthClientMetadata.isRedirectURI(target) else {
            throw Refusal.invalid("invalid redirect_uri")
        }
        return target
    }
}

extension OAuthRequestHandlers {
    private func asked(
        _ fields: OAuthFields, of client: OAuthClient, _ rules: OAuthRules, redirectURI: String
    ) throws(OAuthProblem) -> OAuthRequest {
        for name in ["request", "request_uri", "registration"] where fields[name] != nil {
            throw OAuthProblem("\(name)_not_supported", "The parameter \(name) is not supported")
        }
        guard let type = fields["response_type"] else { throw .invalidRequest("response_type is required") }
        guard type == "code" else {
            throw OAuthProblem("unsupported_response_type", "Only response_type=code is supported")
        }
        guard fields["response_mode"].map({ $0 == "query" }) ?? true else {
            throw .invalidRequest("Only response_mode=query is supported")
        }
        guard client.metadata.grants.contains(.authorizationCode) else {
            throw OAuthProblem("unauthorized_client", "The client is not registered for authorization codes")
        }
        var request = OAuthRequest(scopes: try scopes(fields, of: client, rules))
        request.redirectURI = redirectURI
        request.resources = try resources(fields, rules)
        request.key = try proofKey(fields)
        request.state = try text("state", fields)
        request.nonce = try text("nonce", fields)
        request.prompts = try prompts(fields)
        request.expected = try expectedAccount(fields, of: client)
        if let text = fields["max_age"] {
            guard let age = Int64(text), (0...1_000_000_000).contains(age) else {
                throw .invalidRequest("max_age must be a number of seconds")
            }
            request.maximumAge = age
        }
        return request
    }

    private func text(_ name: String, _ fields: OAuthFields) throws(OAuthProblem) -> String? {
        guard let text = fields[name] else { return nil }
        guard text.utf8.count <= OAuthRequest.longestText, !text.contains(ascii: "\0") else {
            throw .invalidRequest("\(name) is longer than \(OAuthRequest.longestText) bytes")
        }
        return text
    }

    private func prompts(_ fields: OAuthFields) throws(OAuthProblem) -> [String] {
        let known = ["none", "login", "consent", "select_account"]
        let prompts = (fields["prompt"] ?? "").cut(to: 128).split(ascii: " ").map(String.init)
        guard prompts.allSatisfy({ known.contains($0) }) else { throw .invalidRequest("prompt is unknown") }
        guard !prompts.contains("none") || prompts.count == 1 else {
            throw .invalidRequest("prompt=none cannot be combined")
        }
        return prompts
    }

    private func proofKey(_ fields: OAuthFields) throws(OAuthProblem) -> ProofKey {
        guard let challenge = fields["code_challenge"] else {
            throw .invalidRequest("PKCE is required: code_challenge is missing")
        }
        let method = fields["code_challenge_method"] ?? "plain"
        guard let key = ProofKey(challenge: challenge, method: method) else {
            throw .invalidRequest("code_challenge must be 43 to 128 unreserved characters, its method S256")
        }
        guard key.method == .s256 || settings.allowsPlainProofKeys else {
            throw .invalidRequest("code_challenge_method must be S256")
        }
        return key
    }

    /// Ignores unknown scopes (OpenID Connect Core §3.1.2.1).
    private func scopes(
        _ fields: OAuthFields, of client: OAuthClient, _ rules: OAuthRules
    ) throws(OAuthProblem) -> OAuthScopes {
        let asked: OAuthScopes
        if let text = fields["scope"] {
            guard let read = OAuthScopes(text) else { throw OAuthProblem("invalid_scope", "scope is malformed") }
            asked = read
        } else {
            asked = rules.usualScopes
        }
        let known = asked.names.filter { name in
            rules.scopeNames.contains(name) && client.metadata.scopes.map { $0.contains(name) } ?? true
        }
        guard !known.isEmpty else { throw OAuthProblem("invalid_scope", "The client may not ask for this scope") }
        if known.contains(OAuthScopes.openID), keys.signingAlgorithm?.isSymmetric == true {
            throw OAuthProblem("invalid_scope", "openid needs signing keys with a public part")
        }
        return OAuthScopes(trusted: known)
    }

    /// RFC 8707 §2.
    func resources(_ fields: OAuthFields, _ rules: OAuthRules) throws(OAuthProblem) -> [String] {
        var resources: [String] = []
        for asked in fields.all("resource") {
            // Clients of MCP leave out an empty path or write it as a slash.
            guard let known = rules.resources.first(where: { Self.bare($0) == Self.bare(asked) }) else {
                throw OAuthProblem("invalid_target", "The resource is unknown")
            }
            if !resources.contains(known) { resources.append(known) }
        }
        guard resources.count <= OAuthRequest.mostResources else {
            throw OAuthProblem("invalid_target", "At most \(OAuthRequest.mostResources) resources")
        }
        return resources
    }

    private static func bare(_ resource: String) -> String {
        resource.hasSuffix("/") ? String(resource.dropLast()) : resource
    }
}
