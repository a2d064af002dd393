import Crypto
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import MailTemplates

/// One request of a browser: what it brought, and what its session becomes.
struct Visit {
    let pages: WebPages
    let request: Request
    let context: ServerContext
    /// The fields of the form, or of the query.
    let fields: Query
    /// The session that the browser's cookie has; nil without one.
    let known: WebSession?
    var session: WebSession
    /// Cookies that the Auth API sets, for the browser.
    var cookies: [HTTPField] = []
    /// What the page says at the top, left behind by the page before.
    let flash: Flash?
    /// The same in the console, which has its own words.
    let sentence: String?

    /// The console is for operators, in English.
    var language: MailLanguage {
        pages.site == .console ? .english : session.language ?? .preferred(request.headers[.acceptLanguage])
    }

    /// A text of the catalogue, in the language of the page, with `%@` replaced in order.
    func say(_ text: StaticString, _ arguments: String...) -> String {
        pages.texts.text(text, arguments, in: language)
    }

    var isSignedIn: Bool { session.tokens != nil }

    /// The path and query of the page, for its other languages. A query of more than 4,096 bytes is left out: five links
    /// would repeat it.
    var addressWithoutLanguage: String {
        let path = request.uri.path
        guard request.method == .get, (request.uri.query ?? "").utf8.count <= 4_096 else { return path }
        let query = fields.parameters.filter { $0.name != "lang" }
            .map { "\(FormText.escape($0.name))=\(FormText.escape($0.value))" }.joined(separator: "&")
        return query.isEmpty ? path : "\(path)?\(query)"
    }

    /// What the user entered, for a form that is shown again. Anyone may have written a query, so it fills no form.
    func entered(_ name: String) -> String? { request.method == .post ? fields[name] : nil }
}

// Calls to the APIs.
extension Visit {
    /// - Throws: ``CallRefusal``; ``CallFailed`` without an answer, for a 5xx, or if the API refuses the configured key.
    @discardableResult
    mutating func call(
        _ method: HTTPRequest.Method, _ path: String, _ json: JSONObject? = nil, api: PageCall.API = .auth,
        bearer: Secret? = nil
    ) async throws -> AnyJSON {
        let reply = try await reply(method, path, json, api: api, bearer: bearer)
        guard (200..<300).contains(reply.status) else {
            let refusal = CallRefusal(reply, of: api)
            throw refusal.isAboutKey ? CallFailed(cause: refusal) : refusal
        }
        // Lost: what is wrong with the JSON. The members that the caller needs are missing then.
        return (try? JSONReader.read(reply.body)) ?? .null
    }

    /// The same as the user who is signed in. A kept access token that the API refuses is refreshed once.
    ///
    /// - Throws: Also ``SignInNeeded`` if nobody is, or no longer.
    @discardableResult
    mutating func callAsUser(
        _ method: HTTPRequest.Method, _ path: String, _ json: JSONObject? = nil, api: PageCall.API = .auth
    ) async throws -> AnyJSON {
        guard let tokens = session.tokens else { throw SignInNeeded(wasSignedIn: false) }
        if let kept = usableToken(tokens) {
            do {
                return try await callAsUser(method, path, json, api, kept)
            } catch let refusal as CallRefusal where refusal.isAboutToken {
                // The token may be from before a change of the signing keys.
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
        _ method: HTTPRequest.Method, _ path: String, _ json: JSONObject?, _ api: PageCall.API, _ token: Secret
    ) async throws -> AnyJSON {
        do {
            return try await call(method, path, json, api: api, bearer: token)
        } catch let refusal as CallRefusal where refusal.endsSession {
            session.tokens = nil
            throw SignInNeeded(wasSignedIn: true)
        }
    }

    private mutating func reply(
        _ method: HTTPRequest.Method, _ path: String, _ json: JSONObject?, api: PageCall.API, bearer: Secret?
    ) async throws -> PageReply {
        let call = PageCall(
            api: api, method: method, path: path, headers: headers(json != nil, bearer),
            body: json.map { Array(AnyJSON.object($0).text.utf8) }, clientAddress: clientAddress)
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

    /// The kept access token; nil if it ends within 30 seconds.
    private func usableToken(_ tokens: WebSession.Tokens) -> Secret? {
        tokens.expiresAt > pages.now().seconds + 30 ? tokens.access : nil
    }

    /// A new access token.
    ///
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
            // Another refusal, such as too many requests of this address, says nothing about the session.
            guard refusal.endsSession else { throw CallFailed(cause: refusal) }
            session.tokens = nil
            throw SignInNeeded(wasSignedIn: true)
        }
    }
}

// What changes the session.
extension Visit {
    /// Keeps the tokens of a sign-in. The session before it ends, and so do the forms of its pages.
    ///
    /// - Parameter handover: The ``WebSession/Handover/id`` of the app that the sign-in was begun for.
    /// - Returns: The page to go on to.
    mutating func signIn(_ json: AnyJSON, for handover: String?) async throws -> Outcome {
        let answer = try AuthSessionAnswer(json: json)
        if isSignedIn {
            // Lost: why the session before could not be ended. It is one of the user's list of devices.
            _ = try? await callAsUser(.post, "/logout?scope=local")
        }
        var renewed = WebSession(formToken: pages.randomBytes(16))
        (renewed.language, renewed.handover) = (session.language, session.handover)
        renewed.next = session.next
        // Until the second step is done.
        renewed.question = session.question.flatMap { $0.isAnswered ? $0 : nil }
        // Another sign-in in the same browser is no answer to the app's request.
        if let handover, renewed.handover?.id == handover { renewed.handover?.isConfirmed = true }
        renewed.tokens = WebSession.Tokens(answer)
        renewed.awaitsSecondStep = answer.awaitsSecondStep
        session = renewed
        return renewed.awaitsSecondStep ? .go(.secondStep) : try await completeSignIn()
    }

    /// Links the identity that waits for this sign-in, if there is one, and goes on.
    mutating func completeSignIn() async throws -> Outcome {
        guard let question = session.question, question.isAnswered else { return .go(placeAfterSignIn()) }
        session.question = nil
        do {
            return try await link(question)
        } catch let refusal as CallRefusal {
            return .page(problemPage(message(for: refusal), status: .badRequest))
        }
    }

    /// The page to go on to once the sign-in is complete. A new password comes first, also on the way back to an app.
    mutating func placeAfterSignIn() -> Place {
        let goesOn = session.handover != nil && session.next != .newPassword
        defer { session.next = nil }
        return goesOn ? .goOn : session.next ?? .home
    }

    /// Forgets the user, and everything but the language.
    mutating func signOut(_ flash: Flash) {
        let language = session.language
        session = WebSession(formToken: pages.randomBytes(16))
        (session.language, session.flash) = (language, flash)
    }

    /// The user who is signed in.
    ///
    /// - Throws: As ``callAsUser(_:_:_:api:)``.
    mutating func user() async throws -> AuthUser {
        try AuthUser(json: await callAsUser(.get, "/user"))
    }

    /// Asks for a mail whose link ends a new flow. A refused request leaves the flow of an earlier mail as it was.
    ///
    /// - Parameter ask: Takes the challenge of the flow. Its error is thrown on.
    mutating func beginning<Answer>(
        _ purpose: WebSession.Flow.Purpose, for handover: String?,
        _ ask: (inout Visit, _ challenge: AnyJSON) async throws -> Answer
    ) async throws -> Answer {
        let earlier = session.flow
        let challenge = begin(purpose, for: handover)
        do {
            return try await ask(&self, .string(challenge))
        } catch {
            session.flow = earlier
            throw error
        }
    }

    /// A new flow that comes back to ``Place/callback`` with a code (RFC 7636).
    ///
    /// - Parameter handover: The ``WebSession/Handover/id`` of the app that it is begun for.
    /// - Returns: Its challenge.
    mutating func begin(_ purpose: WebSession.Flow.Purpose, for handover: String?) -> String {
        let verifier = Secret(Base64URL.text(pages.randomBytes(32)))
        session.flow = WebSession.Flow(purpose: purpose, verifier: verifier, handover: handover)
        return Base64URL.text(Array(SHA256.hash(data: Array(verifier.reveal().utf8))))
    }
}

extension WebSession.Tokens {
    init(_ answer: AuthSessionAnswer) {
        self.init(
            refresh: Secret(answer.refreshToken), access: Secret(answer.accessToken),
            expiresAt: Int64(answer.expiresAt ?? 0))
    }
}

extension HTTPField.Name {
    static let fetchSite = Self("sec-fetch-site")!
    static let apiKey = Self("apikey")!
}

extension AuthUser {
    var signInMethods: [AuthUserIdentity] { identities ?? [] }
}
