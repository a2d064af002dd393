import AccountDomain
import AccountStore
import GatehouseWire
package import HTTPServing
import HTTPTypes
import Hummingbird

extension AuthServer {
    package var oauth: OAuthHandlers { OAuthHandlers(server: self) }
}

package struct OAuthHandlers: AuthPart { package let server: AuthServer }

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
            Route(.get, "/oauth/authorize", limitedBy: authorize, timeLimit: wait, answersHead: false, self.authorize),
            Route(.post, "/oauth/authorize", limitedBy: authorize, timeLimit: wait, self.authorize),
            asks("/oauth/par", push), asks("/oauth/token", token), asks("/oauth/revoke", revoke),
            asks("/oauth/introspect", introspect),
            Route(.post, "/oauth/device_authorization", limitedBy: authorize, timeLimit: wait, beginDevice),
            Route(.get, "/oauth/userinfo", showUserInfo), Route(.post, "/oauth/userinfo", showUserInfo),
            Route(
                .post, "/oauth/clients/register", limitedBy: Limits.oauthRegistration, timeLimit: wait, register),
        ]
    }

    private var userRoutes: [Route] {
        let path = "/oauth/authorizations/{authorization_id}"
        return [
            callers.owned(.get, "/oauth/authorizations", listPending), looks(path, show),
            callers.owned(.post, path + "/consent", decide),
            Route(.post, path + "/cancel", limitedBy: Limits.authorize, timeLimit: runtime.requestTimeLimit, cancel),
            callers.owned(.post, path + "/release", release),
            looks("/oauth/device", limitedBy: Limits.oauthUserCode, showDevice),
            callers.owned(.get, "/user/oauth/grants", listGrants),
            callers.owned(.delete, "/user/oauth/grants", revokeGrant),
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
            callers.administered(.get, path, slash: true, listClients),
            callers.administered(.post, path, slash: true, createClient),
            callers.administered(.get, one, slash: true, readClient),
            callers.administered(.put, one, slash: true, changeClient),
            callers.administered(.delete, one, slash: true, deleteClient),
            callers.administered(.post, one + "/regenerate_secret", slash: true, regenerateSecret),
            callers.administered(.get, "/admin/users/{user_id}/oauth/grants", listUserGrants),
            callers.administered(.delete, "/admin/users/{user_id}/oauth/grants", revokeUserGrant),
        ]
    }

    /// - Throws: ``Refusal`` `feature_disabled` (404).
    var rules: OAuthRules {
        get throws {
            guard let rules = settings.oauth else {
                throw Refusal(.notFound, .featureDisabled, "OAuth server is disabled")
            }
            return rules
        }
    }

    /// For an ID of the user or of a client that registered itself.
    func newSecret() -> Secret { Secret(Base64URL.text(accounts.randomBytes(32))) }
}
