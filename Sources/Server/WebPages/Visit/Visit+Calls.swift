import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import MailTemplates

extension Visit {
    /// - Throws: ``CallRefusal``; ``CallFailed`` without a response, for a 5xx, or if the API refuses the configured
    ///   key.
    @discardableResult
    mutating func call(
        _ method: HTTPRequest.Method, _ path: String, _ json: AuthJSONObject? = nil, api: PageCall.API = .auth,
        bearer: Secret? = nil
    ) async throws -> AuthJSON {
        let reply = try await reply(method, path, json, api: api, bearer: bearer)
        guard (200..<300).contains(reply.status) else {
            let refusal = CallRefusal(reply, of: api)
            throw refusal.isAboutKey ? CallFailed(cause: refusal) : refusal
        }
        // Ignored: a body that is not JSON lacks the members that the caller needs.
        return (try? JSONReader.read(reply.body)) ?? .null
    }

    /// Refreshes a refused access token once.
    ///
    /// - Throws: Also ``SignInNeeded`` without a valid sign-in.
    @discardableResult
    mutating func callAsUser(
        _ method: HTTPRequest.Method, _ path: String, _ json: AuthJSONObject? = nil, api: PageCall.API = .auth
    ) async throws -> AuthJSON {
        guard let tokens = session.tokens else { throw SignInNeeded(wasSignedIn: false) }
        if let kept = usableToken(tokens) {
            do {
                return try await callAsUser(method, path, json, api, kept)
            } catch let refusal as CallRefusal where refusal.isAboutToken {
                // The signing keys may have changed since the token was issued.
            }
        }
        let fresh = try await refreshed(tokens)
        do {
            return try await callAsUser(method, path, json, api, fresh)
        } catch let refusal as CallRefusal where refusal.isAboutToken {
            throw CallFailed(cause: refusal)
        }
    }

    private mutating func callAsUser(
        _ method: HTTPRequest.Method, _ path: String, _ json: AuthJSONObject?, _ api: PageCall.API, _ token: Secret
    ) async throws -> AuthJSON {
        do {
            return try await call(method, path, json, api: api, bearer: token)
        } catch let refusal as CallRefusal where refusal.endsSession {
            session.tokens = nil
            throw SignInNeeded(wasSignedIn: true)
        }
    }

    private mutating func reply(
        _ method: HTTPRequest.Method, _ path: String, _ json: AuthJSONObject?, api: PageCall.API, bearer: Secret?
    ) async throws -> PageReply {
        let call = PageCall(
            api: api, method: method, path: path, headers: headers(json != nil, bearer),
            body: json.map { Array(AuthJSON.object($0).text.utf8) }, clientAddress: clientAddress)
        let reply: PageReply
        do {
            reply = try await pages.transport(call)
        } catch {
            throw CallFailed(cause: error)
        }
        cookies += reply.headers.filter { $0.name == .setCookie }
        guard reply.status < 500 else { throw CallFailed(cause: nil) }
        return reply
    }

    private func headers(_ hasBody: Bool, _ bearer: Secret?) -> HTTPFields {
        var headers: HTTPFields = [.requestID: context.requestID, .supabaseAPIVersion: "2024-01-01"]
        headers[.userAgent] = request.headers[.userAgent]
        headers[.acceptLanguage] = session.language?.rawValue ?? request.headers[.acceptLanguage]
        headers[.cookie] = request.headers[.cookie]
        // The session was checked: its page sent this form.
        headers[.fetchSite] = "same-origin"
        if hasBody { headers[.contentType] = "application/json" }
        if let key = pages.settings.apiKey { headers[.apiKey] = key.reveal() }
        if let bearer { headers[.authorization] = "Bearer \(bearer.reveal())" }
        return headers
    }

    var clientAddress: String? {
        pages.clientAddress.text(peer: context.peerAddress, request.headers)
    }

    /// nil within 30 seconds of expiry.
    private func usableToken(_ tokens: WebSession.Tokens) -> Secret? {
        tokens.expiresAt > pages.now().seconds + 30 ? tokens.access : nil
    }

    /// - Throws: ``SignInNeeded``, ``CallFailed``.
    private mutating func refreshed(_ tokens: WebSession.Tokens) async throws -> Secret {
        let visit = self
        do {
            let fresh = try await pages.flights.tokens(for: tokens.refresh) {
                var visit = visit
                let json = try await visit.call(
                    .post, "/token?grant_type=refresh_token", ["refresh_token": .string(tokens.refresh.reveal())])
                return WebSession.Tokens(try AuthSessionAnswer(json: json))
            }
            session.tokens = fresh
            guard let access = fresh.access else { throw SignInNeeded(wasSignedIn: true) }
            return access
        } catch let refusal as CallRefusal {
            // Any other refusal, such as a rate limit, does not concern the session.
            guard refusal.endsSession else { throw CallFailed(cause: refusal) }
            session.tokens = nil
            throw SignInNeeded(wasSignedIn: true)
        }
    }
}

extension HTTPField.Name {
    static let fetchSite = Self("sec-fetch-site")!
    static let apiKey = Self("apikey")!
}
