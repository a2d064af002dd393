import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import IdentityProviders
import Logging

extension IdentityHandlers {
    /// `/callback/{provider}` accepts only that provider, so a separate URL for each prevents mix-up attacks even
    /// without `iss` (RFC 9700 §4.4).
    @Sendable func callback(_ request: Request, _ context: ServerContext) async throws -> Response {
        var fields = Query(request)
        if request.method == .post {
            let body = String(decoding: try await request.bytes(context), as: UTF8.self)
            fields = Query(form: body).followed(by: fields)
        }
        let site = CallbackRedirect(target: settings.redirects.siteURL)
        guard let state = fields["state"] else {
            return site.failureWithoutFlow(.callback("OAuth state parameter missing"))
        }
        let outcome = try await accounts.flows.take(
            state: state, browser: BrowserCookie(request, isSecure: isSecure)?.secret,
            provider: context.parameters.get("provider"), at: runtime.now())
        switch outcome {
        case .taken(let flow): return try await finish(flow, fields, request, context)
        case .alreadyUsed:
            return site.failureWithoutFlow(
                .init("invalid_request", code: .flowStateAlreadyUsed, "State has already been used"))
        case .unknown:
            return site.failureWithoutFlow(.state("OAuth state not found or expired"))
        case .otherBrowser:
            return site.failureWithoutFlow(.state("OAuth state belongs to another browser"))
        }
    }

    private func finish(
        _ flow: ProviderFlow, _ fields: Query, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let redirect = CallbackRedirect(target: flow.redirectTo)
        if let error = fields["error"] {
            counts.signIns.increment(flow.provider, "provider_error")
            return redirect.failure(
                .init(error.cut(to: 64), code: nil, (fields["error_description"] ?? "").cut(to: 300)))
        }
        guard let code = fields["code"] else {
            return redirect.failure(.callback("OAuth callback with missing authorization code"))
        }
        do {
            // Providers can be slow; the browser gets a response within the time limit.
            return try await runtime.limited(to: runtime.requestTimeLimit) {
                try await trade(Secret(code), of: flow, fields, redirect, try callers.device(request, context))
            }
        } catch {
            // The app waits for its browser, which cannot read JSON, so every error becomes a redirect.
            let refusal = runtime.refusal(of: error)
            counts.signIns.increment(flow.provider, refusal.code.rawValue)
            context.note(refusal, level: refusal.logLevel)
            return redirect.failure(CallbackProblem(refusal))
        }
    }

    /// Exchanges the provider's code for an identity, and that for a session or our own code.
    private func trade(
        _ code: Secret, of flow: ProviderFlow, _ fields: Query, _ redirect: CallbackRedirect, _ device: Device
    ) async throws -> Response {
        guard let provider = providers[flow.provider] else {
            throw Refusal(.badRequest, .oauthProviderNotSupported, "The provider was disabled meanwhile")
        }
        let (identity, tokens) = try await identity(from: provider, code, of: flow, fields)
        let handout = ProviderHandout(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken)
        let signIn = ProviderSignIn(
            identity, rules: rules(of: provider),
            grant: tokens.refreshToken.map { ProviderGrant(refreshToken: $0, client: tokens.client) },
            delivery: flow.proofKey.map { .code($0, handing: handout) } ?? .session)
        let outcome =
            switch flow.purpose {
            case .signIn:
                try await server.tokens.issuing(to: device) { try await $0.links.signIn(signIn, from: device, at: $1) }
            case .link(let user, let session):
                try await server.tokens.issuing(to: device) {
                    try await $0.links.link(signIn, to: .session(session, of: user), from: device, at: $1)
                }
            }
        return try await server.noting(.provider, of: RefusedSubject(identity), from: device) {
            try answer(outcome, of: provider, redirect, handout)
        }
    }

    private func answer(
        _ outcome: LinkingOutcome, of provider: SignInProvider, _ redirect: CallbackRedirect,
        _ handout: ProviderHandout
    ) throws -> Response {
        switch outcome {
        case .signedIn(let session):
            count(outcome, provider)
            switch session.delivered {
            case .code(let code): return redirect.code(code)
            case .session(let issued):
                return redirect.tokens(issued, try server.tokens.accessToken(issued), handout)
            }
        case .needsConfirmation(_, let code?):
            count(outcome, provider)
            return redirect.code(code)
        case .needsConfirmation(let question, nil): throw Refusal(question)
        case .refused(let refusal, _): throw Refusal(refusal, provider: provider.name)
        }
    }

    private func identity(
        from provider: SignInProvider, _ code: Secret, of flow: ProviderFlow, _ fields: Query
    ) async throws -> (ProviderIdentity, ProviderTokens) {
        let (client, now) = (provider.provider, runtime.now())
        do throws(ProviderFailure) {
            try await client.checkCallback(issuer: fields["iss"])
            let tokens = try await client.exchange(
                code: code, verifier: flow.verifier, redirectURL: provider.redirectURL, at: now)
            var verified = try await client.identity(of: tokens, nonce: flow.nonce, at: now)
            if client.settings.kind == .apple, let user = fields["user"] {
                verified = verified.naming(PersonName(appleUser: user))
            }
            return (try Self.identity(verified), tokens)
        } catch .refused(.tokens, let error, let description) {
            throw Refusal(
                .internalServerError, .unexpectedFailure,
                "Unable to exchange external code: \(code.reveal().cut(to: 4))",
                cause: ProviderFailure.refused(.tokens, error: error, description: description))
        } catch {
            throw Refusal(error)
        }
    }

    static func identity(_ verified: VerifiedIdentity) throws(ProviderFailure) -> ProviderIdentity {
        let identity = ProviderIdentity(
            provider: verified.provider, subject: verified.subject, email: verified.email,
            isEmailVerified: verified.isEmailVerified, isPrivateRelay: verified.isPrivateRelay, data: verified.data,
            profile: ProfileFill(
                firstName: verified.givenName ?? verified.name, name: verified.name, avatarURL: verified.picture))
        guard let identity else { throw .rejected(.missingSubject) }
        return identity
    }

    func rules(of provider: SignInProvider) -> ProviderRules {
        ProviderRules(
            linking: provider.linking, address: provider.address, allowsSignUp: settings.allowsSignUp,
            administratorRoles: settings.operatorRoles)
    }

    func count(_ outcome: LinkingOutcome, _ provider: SignInProvider) {
        let label =
            switch outcome {
            case .signedIn(let session): session.change.label
            case .needsConfirmation: "needs_confirmation"
            case .refused(let refusal, _): refusal.rawValue
            }
        counts.signIns.increment(provider.name, label)
    }
}

extension ProviderSession.Change {
    fileprivate var label: String {
        switch self {
        case .none: "signed_in"
        case .created: "signed_up"
        case .linked: "linked"
        }
    }
}

extension Refusal {
    /// A client that the provider rejects is a configuration error; anyone can cause an invalid code.
    var logLevel: Logger.Level? {
        guard let failure = cause as? ProviderFailure else { return nil }
        return failure.isOurConfiguration ? .error : failure.isWorthRetrying ? .warning : .info
    }
}

extension CallbackProblem {
    fileprivate static func callback(_ description: String) -> Self {
        Self("invalid_request", code: .badOAuthCallback, description)
    }

    fileprivate static func state(_ description: String) -> Self {
        Self("invalid_request", code: .badOAuthState, description)
    }
}
