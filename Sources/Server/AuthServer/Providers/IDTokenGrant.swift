import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import IdentityProviders

extension IdentityHandlers {
    /// Two optional extensions from Apple's credential: `user`, the name that Apple sends only once, and
    /// `authorization_code`, which yields the token to revoke when the account is deleted.
    func signInByIDToken(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        guard let token = try body.secret("id_token"), !token.isEmpty else {
            throw Refusal.oauth("invalid request", "id_token required")
        }
        let asker = try await linkAsker(body, request)
        let provider = try idTokenProvider(body, token)
        let (identity, grant, mark) = try await proven(token, body, by: provider, context)
        let signIn = ProviderSignIn(
            identity, rules: rules(of: provider), grant: grant,
            by: mark.map { PresentedIDToken(digest: $0.digest, expiresAt: $0.expiresAt) })
        let device = try callers.sessionDevice(request, context)
        do {
            let outcome = try await server.tokens.issuing(to: device) { accounts, now in
                if let asker { return try await accounts.links.link(signIn, to: asker, from: device, at: now) }
                return try await accounts.links.signIn(signIn, from: device, at: now)
            }
            count(outcome, provider)
            return try await server.noting(.provider, of: RefusedSubject(identity), from: device) {
                try await answer(outcome, of: provider.name, to: device)
            }
        } catch is IDTokenUsed {
            counts.signIns.increment(provider.name, "token_used")
            throw Refusal.oauth("invalid request", "The id_token has been used before")
        }
    }

    func answer(_ outcome: LinkingOutcome, of provider: String, to device: Device) async throws -> Response {
        switch outcome {
        case .signedIn(let session):
            guard case .session(let issued) = session.delivered else { throw UndeliveredSession() }
            return try await server.tokens.answer(issued, to: device)
        case .needsConfirmation(let question, _): throw Refusal(question)
        case .refused(.emailMissing, _):
            // Not a server error: the caller brought the token.
            throw Refusal(
                .unprocessableContent, .validationFailed, "Error getting user email from external provider")
        case .refused(let refusal, _): throw Refusal(refusal, provider: provider)
        }
    }

    private func linkAsker(_ body: JSONMembers, _ request: Request) async throws -> LinkAsker? {
        guard try body.bool("link_identity") == true else { return nil }
        guard request.headers[.authorization] != nil else {
            throw Refusal.oauth("invalid request", "Linking requires a valid user access token in Authorization")
        }
        let caller = try await linkingCaller(request, for: .addSignInMethod)
        return .session(caller.session?.id, of: caller.user.id)
    }

    private func idTokenProvider(_ body: JSONMembers, _ token: Secret) throws -> SignInProvider {
        let (name, issuer) = (try body.string("provider") ?? "", try body.string("issuer") ?? "")
        let client = try body.string("client_id") ?? ""
        guard !name.isEmpty || (!issuer.isEmpty && !client.isEmpty) else {
            throw Refusal.oauth("invalid request", "provider or client_id and issuer required")
        }
        if name.isEmpty {
            guard let provider = providers[issuer: issuer], provider.provider.settings.clientIDs.contains(client) else {
                throw Refusal.invalid("Custom OIDC provider \"\(issuer.cut(to: 200))\" not allowed")
            }
            return provider
        }
        guard let provider = providers[name] else {
            guard FixedAnswers.knows(name) else {
                throw Refusal.invalid("Custom OIDC provider \"\(name.cut(to: 64))\" not allowed")
            }
            // Supabase Auth names these two by their issuer.
            let issuers = ["apple": ProviderSettings.appleIssuers[0], "google": ProviderSettings.googleIssuer]
            let named = issuers[name.lowercased()].map { "(issuer \"\($0)\")" } ?? name.lowercased()
            throw Refusal(.badRequest, .providerDisabled, "Provider \(named) is not enabled")
        }
        let settings = provider.provider.settings
        if !issuer.isEmpty, !provider.provider.mayBeOurs(issuer) {
            throw Refusal.invalid("The issuer is not one of the provider's")
        }
        return provider
    }

    private func proven(
        _ token: Secret, _ body: JSONMembers, by provider: SignInProvider, _ context: ServerContext
    ) async throws -> (ProviderIdentity, ProviderGrant?, IDTokenFingerprint?) {
        let name = try PersonName(body)
        let (code, nonce) = (try body.secret("authorization_code"), try body.string("nonce"))
        let accessToken = try body.secret("access_token")
        let verified: VerifiedIdentity
        do throws(ProviderFailure) {
            verified = try await provider.provider.verify(
                idToken: token, accessToken: accessToken, nonce: .presented(nonce), at: runtime.now()
            ).naming(name)
            let identity = try Self.identity(verified)
            guard let code, !code.isEmpty, let client = verified.client else {
                return (identity, nil, verified.token)
            }
            let grant = try await grant(for: code, to: client, of: verified, by: provider.provider, context)
            return (identity, grant, verified.token)
        } catch .rejected(.unreadable) where provider.provider.settings.kind == .apple {
            throw Refusal.invalid("Unable to detect issuer in ID token for Apple provider")
        } catch .rejected(.foreignIssuer) where provider.provider.settings.kind == .apple {
            throw Refusal.invalid("Detected ID token issuer is not an Apple ID token issuer")
        } catch {
            throw Refusal(error)
        }
    }

    /// A slow provider does not block the sign-in; the account then has no token to revoke.
    ///
    /// - Throws: ``ProviderFailure/rejected(_:)`` for another identity's code.
    private func grant(
        for code: Secret, to client: String, of verified: VerifiedIdentity, by provider: OpenIDProvider,
        _ context: ServerContext
    ) async throws(ProviderFailure) -> ProviderGrant? {
        guard provider.settings.offersBrowserSignIn else { return nil }
        let now = runtime.now()
        do {
            let tokens = try await runtime.limited(to: Self.exchangeTime) {
                try await provider.exchange(code: code, verifier: nil, redirectURL: nil, client: client, at: now)
            }
            let owner = try await provider.identity(of: tokens, nonce: nil, at: now)
            guard owner.subject == verified.subject else { throw ProviderFailure.rejected(.foreignProfile) }
            return tokens.refreshToken.map { ProviderGrant(refreshToken: $0, client: tokens.client) }
        } catch ProviderFailure.rejected(let rejection) {
            throw .rejected(rejection)
        } catch {
            let refusal = Refusal(
                .serviceUnavailable, .unexpectedFailure, "authorization code not exchanged", cause: error)
            context.note(refusal, level: refusal.logLevel)
            return nil
        }
    }

    /// Well below a request's time limit.
    private static let exchangeTime: Duration = .seconds(4)
}

/// A programming error.
struct UndeliveredSession: Error {}

extension PersonName {
    /// - Returns: nil without a `user` or a name in it.
    fileprivate init?(_ body: JSONMembers) throws {
        guard let name = try body.object("user")?["name"] else { return nil }
        self.init(given: name["firstName"]?.stringValue, family: name["lastName"]?.stringValue)
    }
}
