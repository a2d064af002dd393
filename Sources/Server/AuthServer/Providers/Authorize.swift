import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import IdentityProviders

extension IdentityHandlers {
    /// Redirects to a provider, or without `provider` to the account pages.
    @Sendable func authorize(_ request: Request, _ context: ServerContext) async throws -> Response {
        let query = Query(request)
        if query["provider"] == nil, let pages = settings.accountPages {
            return try leadToPages(pages, query, request)
        }
        if let address = otherName(request) { return Answer.redirect(to: address).unstored }
        let mark = BrowserCookie(request, isSecure: isSecure) ?? BrowserCookie(randomBytes: accounts.randomBytes)
        let url = try await begin(.signIn, query, request, in: mark.secret)
        var response = Answer.redirect(to: url)
        response.headers.append(mark.field(isSecure: isSecure))
        return response.unstored
    }

    /// An app usually calls this and a browser follows the URL, so no cookie is set: redeeming the code creates the
    /// link.
    @Sendable func authorizeLink(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await linkingCaller(request, for: .addSignInMethod)
        let query = Query(request)
        let url = try await begin(.link(caller.user.id, session: caller.session?.id), query, request, in: nil)
        guard query["skip_http_redirect"] == "true" else { return Answer.redirect(to: url).unstored }
        return Answer.json { writer in
            writer.beginObject()
            writer.member("url", url)
            writer.endObject()
        }.unstored
    }

    func linkingCaller(_ request: Request, for change: SensitiveChange) async throws -> UserCaller {
        let caller = try await callers.userCaller(request)
        guard settings.allowsManualLinking else {
            throw Refusal(.notFound, .manualLinkingDisabled, "Manual linking is disabled")
        }
        try callers.require(change, by: caller)
        try callers.requireKey(of: caller, request)
        return caller
    }

    /// The request's URL at the provider's redirect host, if the browser used another loopback name: browsers do not
    /// send cookies of `localhost` to `127.0.0.1`. Loopback only: behind a proxy the server may not see the public
    /// name.
    private func otherName(_ request: Request) -> String? {
        guard let own = URLParts(settings.externalURL), own.isLoopback,
            let came = request.head.authority.flatMap({ URLParts("\(own.scheme)://\($0)/") }), came.isLoopback,
            came.host != own.host, came.port == own.port
        else { return nil }
        return "\(own.scheme)://\(own.host)\(own.port.map { ":\($0)" } ?? "")\(request.uri.string)"
    }

    var isSecure: Bool { settings.externalURL.hasPrefix("https://") }

    private func begin(
        _ purpose: ProviderFlow.Purpose, _ query: Query, _ request: Request, in browser: Secret?
    ) async throws -> String {
        let provider = try browserProvider(query["provider"] ?? "")
        let key = try proofKey(query)
        if case .link = purpose, key == nil {
            // Without PKCE, anyone with the provider's response could create the link.
            throw Refusal.invalid("Linking requires PKCE: code_challenge and code_challenge_method=s256 are missing")
        }
        if query["invite_token"] != nil {
            // Invitations arrive by mail.
            throw Refusal(.notFound, .userNotFound, "User identified by token not found")
        }
        // Check before storing a flow for an unreachable provider.
        do { _ = try await provider.provider.metadata() } catch { throw Self.unreachable(provider, error) }
        let secrets = AuthorizationSecrets(randomBytes: accounts.randomBytes)
        let target = settings.redirects.target(
            request.headers[.redirectTo], query["redirect_to"], request.headers[.referer])
        let flow = ProviderFlow(
            provider: provider.name, purpose: purpose, verifier: secrets.verifier, nonce: secrets.nonce, proofKey: key,
            redirectTo: target)
        let state = try await accounts.flows.begin(flow, browser: browser, at: runtime.now())
        do {
            return try await provider.provider.authorizationURL(
                AuthorizationRequest(
                    state: state, secrets: secrets, redirectURL: provider.redirectURL,
                    scopes: query["scopes"].map { [$0] } ?? [], extra: query.parameters))
        } catch {
            throw Self.unreachable(provider, error)
        }
    }

    /// The same code as in Supabase Auth.
    private static func unreachable(_ provider: SignInProvider, _ failure: ProviderFailure) -> Refusal {
        Refusal(
            .badRequest, .validationFailed, "The provider \(provider.name) cannot be reached right now", cause: failure)
    }

    private func browserProvider(_ name: String) throws -> SignInProvider {
        guard let provider = providers[name] else {
            let problem =
                FixedAnswers.knows(name)
                ? "provider is not enabled" : "Provider \(name.cut(to: 64)) could not be found"
            throw Refusal.invalid("Unsupported provider: \(problem)")
        }
        guard provider.provider.settings.offersBrowserSignIn else {
            throw Refusal.invalid("Unsupported provider: missing OAuth secret")
        }
        return provider
    }
}

extension Response {
    /// Forbids caching and `Referer`: URLs of this flow contain states and codes.
    var unstored: Response {
        var response = self
        response.headers[.cacheControl] = "no-store"
        response.headers[.referrerPolicy] = "no-referrer"
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = Self("referrer-policy")!
}
