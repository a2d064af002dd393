import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension OAuthGrantHandlers {
    @Sendable func listGrants(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        _ = try rules
        return try await grants(of: caller.user.id, request)
    }

    @Sendable func listUserGrants(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try rules
        return try await grants(of: try await server.admin.namedAccount(context).user.id, request)
    }

    private func grants(of user: UserID, _ request: Request) async throws -> Response {
        let (rules, languages) = (try rules, Self.languages(request))
        let grants = try await accounts.oauth.grants(of: user)
        return Answer.json { writer in
            writer.beginArray()
            for grant in grants { writer.grant(grant) { $0.scope($1, rules, languages) } }
            writer.endArray()
        }
    }

    @Sendable func revokeGrant(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        _ = try rules
        let end = SessionEnd.byUser(
            .clientRemoved, in: caller.session?.id, from: try callers.device(request, context))
        return try await revokeGrant(of: caller.user, request, as: end)
    }

    @Sendable func revokeUserGrant(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try rules
        let user = try await server.admin.namedAccount(context).user
        return try await revokeGrant(
            of: user, request, as: .byAdministrator(.clientRemoved, from: try callers.device(request, context)))
    }

    private func revokeGrant(of user: User, _ request: Request, as end: SessionEnd) async throws -> Response {
        guard let name = Query(request)["client_id"] else { throw Refusal.invalid("client_id is required") }
        let client: OAuthClient? =
            if let id = OAuthClientID(name) {
                try await accounts.oauth.client(id)
            } else if let url = ClientDocumentURL(name) {
                try await accounts.oauth.client(document: url.text)
            } else { nil }
        guard let client, try await accounts.oauth.revoke(client, of: user, as: end, at: runtime.now()) else {
            throw Refusal(.notFound, .oauthConsentNotFound, "No active grant found for this client")
        }
        return Answer.empty(.noContent)
    }
}

extension OAuthGrantHandlers {
    /// In the language of the user's metadata, else of the request.
    func notice(to user: User, _ request: Request, _ context: ServerContext) throws -> ConnectionNotice {
        let rules = try rules
        let chosen = try JSONReader.read(user.userMetadata)["locale"]?.stringValue
        let languages = [chosen].compactMap(\.self) + Self.languages(request)
        return ConnectionNotice(
            device: try callers.device(request, context), page: settings.connectedAppsPage
        ) { name in
            rules.ownScopes.first { $0.name == name }?.text(for: languages)
        }
    }
}

extension JSONWriter {
    /// - Parameter scope: Writes a scope in words; nil leaves them out.
    mutating func grant(_ grant: ClientGrant, scope: ((inout JSONWriter, String) -> Void)? = nil) {
        beginObject()
        name("client")
        oauthClient(grant.client)
        list("scopes", grant.consent.scopes.names) { $0.value($1) }
        if let scope { list("scope_details", grant.consent.scopes.names, scope) }
        list("resources", grant.consent.resources) { $0.value($1) }
        member("granted_at", grant.consent.grantedAt)
        member("last_used_at", ifPresent: grant.lastUsedAt)
        endObject()
    }
}
