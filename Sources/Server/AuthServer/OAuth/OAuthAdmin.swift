import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension OAuthClientHandlers {
    @Sendable func listClients(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try rules
        let query = Query(request)
        let page = try query.pageRequest()
        let found = try await accounts.oauth.clients(limit: page.size, offset: page.offset)
        var response = Answer.json { writer in
            writer.beginObject()
            writer.list("clients", found.clients) { $0.registered($1) }
            writer.endObject()
        }
        response.headers.append(
            contentsOf: query.pageHeaders("/admin/oauth/clients", page, total: found.total))
        return response
    }

    @Sendable func createClient(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try rules
        let body = try await request.jsonMembers(context)
        let isPublic = try body.string("client_type") == "public"
        var metadata = try Self.checked { try OAuthClientMetadata(body, for: nil, isPublic: isPublic) }
        if isPublic { metadata.authentication = .none }
        return try await created(metadata, .manual, isVerified: try body.bool("verified") ?? true, context)
    }

    /// RFC 7591. Open to everyone.
    @Sendable func register(_ request: Request, _ context: ServerContext) async throws -> Response {
        let rules = try rules
        guard rules.allowsRegistration else {
            throw Refusal(
                .forbidden, .oauthDynamicClientRegistrationDisabled, "Dynamic client registration is not enabled")
        }
        let body = try await request.jsonMembers(context)
        let metadata: OAuthClientMetadata
        do {
            metadata = try OAuthClientMetadata(body, for: rules)
        } catch let problem as ClientMetadataProblem {
            throw Refusal.oauth(problem.error, problem.text)
        } catch let problem as JSONProblem {
            throw Refusal.oauth("invalid_client_metadata", problem.sentence)
        }
        return try await created(metadata, .dynamic, isVerified: false, context)
    }

    private func created(
        _ metadata: OAuthClientMetadata, _ registration: OAuthClient.Registration, isVerified: Bool,
        _ context: ServerContext
    ) async throws -> Response {
        let client = OAuthClient(
            id: accounts.newID(), registration: registration, metadata: metadata, isVerified: isVerified,
            createdAt: runtime.now())
        let secret = client.isConfidential ? newSecret() : nil
        try await accounts.oauth.create(
            client, secret: secret, administrator: context.administrator, at: runtime.now())
        return Answer.json(status: .created) { $0.registered(client, secret: secret) }.unstored
    }

    @Sendable func readClient(_ request: Request, _ context: ServerContext) async throws -> Response {
        let client = try await named(context)
        return Answer.json { $0.registered(client) }
    }

    @Sendable func changeClient(_ request: Request, _ context: ServerContext) async throws -> Response {
        let client = try await named(context)
        let body = try await request.jsonMembers(context)
        let isVerified = try body.bool("verified")
        guard !body.names.isEmpty else { throw Refusal.invalid("No fields provided for update") }
        let metadata = try Self.checked {
            var metadata = client.metadata
            try metadata.read(body)
            try metadata.check(nil)
            return metadata
        }
        let changed = try await accounts.oauth.update(
            client.id, administrator: context.administrator, at: runtime.now()
        ) {
            $0.metadata = metadata
            $0.isVerified = isVerified ?? $0.isVerified
        }
        guard let changed else { throw Refusal.unknownClient }
        return Answer.json { $0.registered(changed) }
    }

    @Sendable func deleteClient(_ request: Request, _ context: ServerContext) async throws -> Response {
        let client = try await named(context)
        let isDeleted = try await accounts.oauth.delete(
            client.id, administrator: context.administrator, from: try callers.device(request, context),
            at: runtime.now())
        guard isDeleted else { throw Refusal.unknownClient }
        return Answer.empty(.noContent)
    }

    /// The former secret is void immediately.
    @Sendable func regenerateSecret(_ request: Request, _ context: ServerContext) async throws -> Response {
        let client = try await named(context)
        guard client.isConfidential else { throw Refusal.invalid("Cannot regenerate secret for public client") }
        let secret = newSecret()
        guard
            let changed = try await accounts.oauth.setSecret(
                secret, of: client.id, administrator: context.administrator, at: runtime.now())
        else { throw Refusal.unknownClient }
        return Answer.json { $0.registered(changed, secret: secret) }.unstored
    }

    private func named(_ context: ServerContext) async throws -> OAuthClient {
        _ = try rules
        guard let id = context.parameters.get("client_id").flatMap({ OAuthClientID($0) }) else {
            throw Refusal.invalid("invalid client_id format")
        }
        guard let client = try await accounts.oauth.client(id) else { throw Refusal.unknownClient }
        return client
    }

    private static func checked(_ body: () throws -> OAuthClientMetadata) throws -> OAuthClientMetadata {
        do { return try body() } catch let problem as ClientMetadataProblem { throw Refusal.invalid(problem.text) }
    }
}

extension JSONWriter {
    /// RFC 7591 §3.2.1, with Supabase Auth's members.
    fileprivate mutating func registered(_ client: OAuthClient, secret: Secret? = nil) {
        let metadata = client.metadata
        beginObject()
        member("client_id", client.id.text)
        if let secret {
            member("client_secret", secret.reveal())
            member("client_secret_expires_at", 0 as Int64)
        }
        member("client_type", client.isConfidential ? "confidential" : "public")
        list("redirect_uris", metadata.redirectURIs) { $0.value($1) }
        member("token_endpoint_auth_method", metadata.authentication.rawValue)
        list("grant_types", metadata.grants) { $0.value($1.rawValue) }
        list("response_types", ["code"]) { $0.value($1) }
        member("client_name", metadata.name)
        member("client_uri", ifPresent: metadata.uri)
        member("logo_uri", ifPresent: metadata.logo)
        member("scope", ifPresent: metadata.scopes?.text)
        // The library's type knows no documents.
        member("registration_type", client.registration == .manual ? "manual" : "dynamic")
        member("document_url", ifPresent: client.document)
        member("verified", client.isVerified)
        member("client_id_issued_at", client.createdAt.seconds)
        member("created_at", client.createdAt)
        member("updated_at", client.updatedAt)
        endObject()
    }
}

extension Refusal {
    fileprivate static let unknownClient = Refusal(.notFound, .oauthClientNotFound, "OAuth client not found")
}
