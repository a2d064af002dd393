import HTTPServing
import HTTPTypes

/// Routes and metadata.
package struct OAuthHandlers: OAuthPart { package let server: AuthServer }

extension OAuthHandlers {
    var routes: [Route] { clientRoutes + userRoutes + adminRoutes }

    /// RFC 8414 §3 and OpenID Connect Discovery §4 for an issuer with a path: at the host's root.
    package static let metadataPath = "/.well-known/oauth-authorization-server"

    private var clientRoutes: [Route] {
        let wait = runtime.requestTimeLimit
        func asks(_ path: String, _ handler: @escaping Route.Handler) -> Route {
            Route(.post, path, limitedBy: Limits.oauthToken, timeLimit: wait, handler)
        }
        let authorize = Limits.authorize
        return [
            Route(.get, Self.metadataPath, showMetadata),
            Route(
                .get, "/oauth/authorize", limitedBy: authorize, timeLimit: wait, answersHead: false, requests.authorize),
            Route(.post, "/oauth/authorize", limitedBy: authorize, timeLimit: wait, requests.authorize),
            asks("/oauth/par", requests.push), asks("/oauth/token", tokens.token), asks("/oauth/revoke", tokens.revoke),
            asks("/oauth/introspect", tokens.introspect),
            Route(.post, "/oauth/device_authorization", limitedBy: authorize, timeLimit: wait, requests.beginDevice),
            Route(.get, "/oauth/userinfo", tokens.showUserInfo), Route(.post, "/oauth/userinfo", tokens.showUserInfo),
            Route(
                .post, "/oauth/clients/register", limitedBy: Limits.oauthRegistration, timeLimit: wait, clients.register
            ),
        ]
    }

    private var userRoutes: [Route] {
        let path = "/oauth/authorizations/{authorization_id}"
        return [
            callers.owned(.get, "/oauth/authorizations", consent.listPending), looks(path, consent.show),
            callers.owned(.post, path + "/consent", consent.decide),
            Route(
                .post, path + "/cancel", limitedBy: Limits.authorize, timeLimit: runtime.requestTimeLimit,
                consent.cancel),
            callers.owned(.post, path + "/release", consent.release),
            looks("/oauth/device", limitedBy: Limits.oauthUserCode, consent.showDevice),
            callers.owned(.get, "/user/oauth/grants", grants.listGrants),
            callers.owned(.delete, "/user/oauth/grants", grants.revokeGrant),
        ]
    }

    /// A look binds the request to the user, so HEAD has no effect.
    private func looks(_ path: String, limitedBy bucket: String? = nil, _ handler: @escaping Route.Handler) -> Route {
        Route(
            .get, path, acceptsTrailingSlash: true, wrongMethodGuardedBy: callers.requireUser, limitedBy: bucket,
            timeLimit: runtime.requestTimeLimit, answersHead: false, handler)
    }

    private var adminRoutes: [Route] {
        let path = "/admin/oauth/clients"
        let one = path + "/{client_id}"
        return [
            callers.administered(.get, path, slash: true, clients.listClients),
            callers.administered(.post, path, slash: true, clients.createClient),
            callers.administered(.get, one, slash: true, clients.readClient),
            callers.administered(.put, one, slash: true, clients.changeClient),
            callers.administered(.delete, one, slash: true, clients.deleteClient),
            callers.administered(.post, one + "/regenerate_secret", slash: true, clients.regenerateSecret),
            callers.administered(.get, "/admin/users/{user_id}/oauth/grants", grants.listUserGrants),
            callers.administered(.delete, "/admin/users/{user_id}/oauth/grants", grants.revokeUserGrant),
        ]
    }
}
