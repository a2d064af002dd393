import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import IdentityProviders

extension AuthServer {
    /// `GET /authorize?provider=…`: sends the browser to a provider (wire contract 2.9).
    @Sendable func authorize(_ request: Request, _ context: ServerContext) async throws -> Response {
        let query = Query(request)
        if let address = otherName(request) { return Answer.redirect(to: address).unstored }
        let mark = BrowserMark(request, isSecure: isSecure) ?? BrowserMark(randomBytes: accounts.randomBytes)
        let url = try await begin(.signIn, query, request, in: mark.secret)
        var response = Answer.redirect(to: url)
        response.headers.append(mark.field(isSecure: isSecure))
        return response.unstored
    }

    /// `GET /user/identities/authorize?provider=…`: the same, to link to the account of whoever asks. Mostly a program
    /// asks and a browser goes, so there is no cookie: the link is made when its code is traded.
    @Sendable func authorizeLink(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await linkingCaller(request)
        let query = Query(request)
        let url = try await begin(.link(caller.user.id, session: caller.session?.id), query, request, in: nil)
        guard query["skip_http_redirect"] == "true" else { return Answer.redirect(to: url).unstored }
        return Answer.json { writer in
            writer.beginObject()
            writer.member("url", url)
            writer.endObject()
        }.unstored
    }

    /// The caller, who may change the ways into the account. A link opens a new session, so it needs a fresh sign-in too.
    func linkingCaller(_ request: Request) async throws -> UserCaller {
        let caller = try await userCaller(request)
        guard settings.allowsManualLinking else {
            throw Refusal(.notFound, "manual_linking_disabled", "Manual linking is disabled")
        }
        try requireFreshSignIn(caller)
        return caller
    }

    /// The same by the name under which the provider will send the browser back, where it has come by another name of
    /// its own machine: a cookie of `localhost` does not go to `127.0.0.1`.
    ///
    /// For no other host: behind a proxy the name that arrives may never be the one outside.
    private func otherName(_ request: Request) -> String? {
        guard let own = RedirectParts(settings.externalURL), own.isLoopback,
            let came = request.head.authority.flatMap({ RedirectParts("\(own.scheme)://\($0)/") }), came.isLoopback,
            came.host != own.host, came.port == own.port
        else { return nil }
        let port = own.port.isEmpty ? "" : ":" + own.port
        return "\(own.scheme)://\(own.host)\(port)\(request.uri.string)"
    }

    /// Whether browsers come over https.
    var isSecure: Bool { settings.externalURL.hasPrefix("https://") }

    /// - Returns: Where the browser goes.
    private func begin(
        _ purpose: ProviderFlow.Purpose, _ query: Query, _ request: Request, in browser: Secret?
    ) async throws -> String {
        let provider = try browserProvider(query["provider"] ?? "")
        let key = try proofKey(query)
        if case .link = purpose, key == nil {
            // Without one the link would be made for whoever brings the answer.
            throw Refusal.invalid("Linking asks for PKCE: code_challenge and code_challenge_method=s256 are missing")
        }
        if query["invite_token"] != nil {
            // Invitations come by mail.
            throw Refusal(.notFound, .userNotFound, "User identified by token not found")
        }
        // Before anything is kept for a provider that cannot be reached.
        do { _ = try await provider.provider.metadata() } catch { throw Self.unreachable(provider, error) }
        let secrets = AuthorizationSecrets(randomBytes: accounts.randomBytes)
        let target = settings.redirects.target(
            request.headers[.redirectTo], query["redirect_to"], request.headers[.referer])
        let flow = ProviderFlow(
            provider: provider.name, purpose: purpose, verifier: secrets.verifier, nonce: secrets.nonce, proofKey: key,
            redirectTo: target)
        let state = try await accounts.begin(flow, browser: browser, at: floor.now())
        do {
            return try await provider.provider.authorizationURL(
                AuthorizationRequest(
                    state: state, secrets: secrets, redirectURL: provider.redirectURL,
                    scopes: query["scopes"].map { [$0] } ?? [], extra: query.parameters))
        } catch {
            throw Self.unreachable(provider, error)
        }
    }

    /// The code is the contract's (section 14).
    private static func unreachable(_ provider: SignInProvider, _ failure: ProviderFailure) -> Refusal {
        Refusal(
            .badRequest, .validationFailed, "The provider \(provider.name) cannot be reached right now", cause: failure)
    }

    private func browserProvider(_ name: String) throws -> SignInProvider {
        guard let provider = providers[name] else {
            throw Refusal.invalid("Unsupported provider: Provider \(name.cut(to: 64)) could not be found")
        }
        guard provider.provider.settings.offersBrowserSignIn else {
            throw Refusal.invalid("Unsupported provider: missing OAuth secret")
        }
        return provider
    }
}

extension Response {
    /// Nobody keeps a copy, and the next page does not learn where the browser comes from: states and codes stand in
    /// addresses.
    var unstored: Response {
        var response = self
        response.headers[.cacheControl] = "no-store"
        response.headers[.referrerPolicy] = "no-referrer"
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let redirectTo = Self("redirect_to")!
    fileprivate static let referrerPolicy = Self("referrer-policy")!
}
