package import AccountDomain
import GatehouseWire
package import HTTPServing
import HTTPTypes
import Hummingbird
import JSONWebTokens

/// RFC 8414, and OpenID Connect Discovery 1.0 §3.
enum OAuthMetadata {
    /// - Parameters:
    ///   - base: The URL of the API, which an issuer of another name differs from.
    ///   - rules: nil keeps Supabase Auth's document, which it serves with the OAuth server disabled.
    static func document(
        issuer: String, base: String, _ rules: OAuthRules?, plainProofKeys: Bool
    ) -> AuthJSONObject {
        var members: AuthJSONObject = [
            "issuer": .string(issuer),
            "authorization_endpoint": .string("\(base)/oauth/authorize"),
            "token_endpoint": .string("\(base)/oauth/token"),
            "jwks_uri": .string("\(base)/.well-known/jwks.json"),
            "userinfo_endpoint": .string("\(base)/oauth/userinfo"),
            "scopes_supported": ["openid", "profile", "email", "phone", "offline_access"],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "ES256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
            "claims_supported": [
                "sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "email", "email_verified", "phone_number",
                "phone_number_verified", "name", "picture", "preferred_username", "updated_at",
            ],
            "code_challenge_methods_supported": ["S256", "plain"],
        ]
        if let rules { add(rules, base: base, plainProofKeys, to: &members) }
        return members
    }

    private static func add(
        _ rules: OAuthRules, base: String, _ plainProofKeys: Bool, to members: inout AuthJSONObject
    ) {
        members["id_token_signing_alg_values_supported"] = .array(
            SigningAlgorithm.allCases.filter { !$0.isSymmetric }.map { .string($0.rawValue) })
        members["scopes_supported"] = .array(rules.scopeNames.map(AuthJSON.string))
        members["grant_types_supported"] = .array(OAuthClient.Grant.allCases.map { .string($0.rawValue) })
        members["code_challenge_methods_supported"] = plainProofKeys ? ["S256", "plain"] : ["S256"]
        members["pushed_authorization_request_endpoint"] = .string("\(base)/oauth/par")
        members["device_authorization_endpoint"] = .string("\(base)/oauth/device_authorization")
        members["revocation_endpoint"] = .string("\(base)/oauth/revoke")
        members["introspection_endpoint"] = .string("\(base)/oauth/introspect")
        members["dpop_signing_alg_values_supported"] = .array(PossessionProof.algorithms.map(AuthJSON.string))
        members["authorization_response_iss_parameter_supported"] = true
        members["client_id_metadata_document_supported"] = .bool(rules.readsDocuments)
        members["prompt_values_supported"] = ["none", "login", "consent", "select_account"]
        members["acr_values_supported"] = ["aal1", "aal2"]
        members["request_parameter_supported"] = false
        members["request_uri_parameter_supported"] = false
        if rules.allowsRegistration {
            members["registration_endpoint"] = .string("\(base)/oauth/clients/register")
        }
    }
}

extension OAuthHandlers {
    @Sendable func showMetadata(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try rules
        return server.openIDConfiguration(request, context)
    }

    /// RFC 9728 §3: of the configured APIs on this origin; others serve their own.
    private var resourceRoutes: [Route] {
        guard let rules = settings.oauth, let own = URLParts(settings.externalURL) else { return [] }
        return rules.resources.compactMap { resource in
            guard let parts = URLParts(resource), parts.origin == own.origin, !parts.rest.contains(ascii: "?") else {
                return nil
            }
            let bytes = Array(AuthJSON.object(Self.resource(resource, settings.issuer, rules)).text.utf8)
            let path = parts.rest == "/" ? "" : parts.rest
            return Route(.get, OAuthRules.resourceMetadataPath + path) { _, _ in Answer.json(bytes) }
        }
    }

    static func resource(_ resource: String, _ issuer: String, _ rules: OAuthRules) -> AuthJSONObject {
        [
            "resource": .string(resource), "authorization_servers": [.string(issuer)],
            "scopes_supported": .array(rules.scopeNames.map(AuthJSON.string)),
            "bearer_methods_supported": ["header"],
        ]
    }

    /// Where clients look that know only the issuer (RFC 8414 §3.1, OpenID Connect Discovery §4 as MCP reads it).
    ///
    /// - Parameter prefixes: Of the API, whose own routes serve the root if it is one.
    package func rootTable(besides prefixes: [String]) -> RouteTable? {
        guard settings.oauth != nil else { return nil }
        var paths: [String] = prefixes.contains("") ? [] : [Self.metadataPath]
        if let path = URLParts(settings.issuer)?.rest, path.utf8.count > 1 {
            paths += [Self.metadataPath + path, "/.well-known/openid-configuration" + path]
        }
        let group = RouteGroup(
            prefixes: [""], format: .profile, crossOrigin: CrossOriginPolicy(), cacheControl: "public, max-age=600")
        return RouteTable(
            group: group, runtime: runtime, paths.map { Route(.get, $0, showMetadata) } + resourceRoutes)
    }
}
