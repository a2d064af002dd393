import AccountDomain
package import AccountStore
import GatehouseWire
package import HTTPServing
import Hummingbird
package import PasswordHashing

/// The door that speaks the Supabase Auth protocol.
package struct AuthServer: Sendable {
    let settings: AuthSettings
    let accounts: Accounts
    let keys: KeyRing
    let passwords: PasswordHasher
    let floor: ServingFloor
    /// nil: wrong passwords are not limited, as in `gatehouse dev`.
    let attempts: Attempts?
    let providers: SignInProviders
    let upgrades = HashUpgrades()
    /// Answers that never change while the server runs.
    let fixed: FixedAnswers
    let counts: AuthCounts
    /// For a strict policy; the gateway beside it notes what it sees as well.
    package let usedTokens: UsedTokens?

    package init(
        settings: AuthSettings, accounts: Accounts, keys: KeyRing, passwords: PasswordHasher, floor: ServingFloor,
        attempts: Attempts? = nil, providers: SignInProviders = SignInProviders()
    ) {
        self.settings = settings
        self.accounts = accounts
        self.keys = keys
        self.passwords = passwords
        self.floor = floor
        self.attempts = attempts
        self.providers = providers
        fixed = FixedAnswers(settings, providers: providers.names)
        counts = AuthCounts(floor.metrics)
        usedTokens = UsedTokens(accounts)
    }

    /// Every route of the door, below each of `prefixes` (`/auth/v1`, or an empty one for the root).
    package func table(prefixes: [String], crossOrigin: CrossOriginPolicy = CrossOriginPolicy()) -> RouteTable {
        // Tokens and people stand in most answers: nothing on the way may keep one, unless the route says otherwise.
        let door = Door(
            prefixes: prefixes, format: .auth, crossOrigin: crossOrigin, cacheControl: "no-store",
            guardedBy: refuseSecretKey(inAddressOf:))
        return RouteTable(
            door: door, floor: floor,
            openRoutes + keyedRoutes + adminRoutes + switchedOffRoutes)
    }

    private var openRoutes: [Route] {
        [
            Route(.get, "/health", health),
            Route(.get, "/.well-known/jwks.json", jsonWebKeySet),
            Route(.get, "/.well-known/openid-configuration", openIDConfiguration),
            Route(
                .get, "/authorize", limitedBy: Limits.authorize, timeLimit: floor.requestTimeLimit, answersHead: false,
                authorize),
            Route(.get, "/callback", acceptsTrailingSlash: true, answersHead: false, callback),
            Route(.post, "/callback", acceptsTrailingSlash: true, callback),
            Route(.get, "/callback/{provider}", answersHead: false, callback),
            Route(.post, "/callback/{provider}", callback),
            Route(.post, "/apple/notifications", timeLimit: floor.requestTimeLimit, receiveAppleNotification),
        ]
    }

    private var keyedRoutes: [Route] {
        let wait = floor.requestTimeLimit
        return [
            Route(.get, "/settings", guardedBy: requireAPIKey, showSettings),
            Route(.post, "/signup", acceptsTrailingSlash: true, guardedBy: requireAPIKey, timeLimit: wait, signUp),
            // No time limit of the row: a cancelled sleep keeps its timer until it would have ended, and refreshes
            // are too many for that. The password grant, which waits for a hash, sets its own.
            Route(.post, "/token", guardedBy: requireAPIKey, limitedBy: Limits.token, grant),
            Route(.post, "/logout", signOut),
            Route(.get, "/sessions", listSessions),
            Route(.delete, "/sessions/{session_id}", endSession),
            Route(.get, "/user", acceptsTrailingSlash: true, wrongMethodGuardedBy: requireUser, showUser),
            Route(.put, "/user", acceptsTrailingSlash: true, limitedBy: Limits.updateUser, timeLimit: wait, updateUser),
            Route(
                .get, "/user/identities/authorize", limitedBy: Limits.authorize, timeLimit: wait, answersHead: false,
                authorizeLink),
            Route(.get, "/user/identities/undoable", listUndoableLinks),
            Route(.post, "/user/identities/{identity_id}/undo", undoLink),
            Route(.delete, "/user/identities/{identity_id}", unlinkIdentity),
        ]
    }

    private var adminRoutes: [Route] {
        let wait = floor.requestTimeLimit
        return [
            Route(.get, "/admin/users", acceptsTrailingSlash: true, guardedBy: requireAdmin, listUsers),
            Route(
                .post, "/admin/users", acceptsTrailingSlash: true, guardedBy: requireAdmin, timeLimit: wait, createUser),
            Route(.get, "/admin/users/{user_id}", acceptsTrailingSlash: true, guardedBy: requireAdmin, readUser),
            Route(
                .put, "/admin/users/{user_id}", acceptsTrailingSlash: true, guardedBy: requireAdmin, timeLimit: wait,
                changeUser),
            Route(
                .delete, "/admin/users/{user_id}", acceptsTrailingSlash: true, guardedBy: requireAdmin, timeLimit: wait,
                deleteUser),
            Route(.get, "/admin/audit", guardedBy: requireAdmin, listAudit),
        ]
    }

    /// Features of the protocol that this server does not have say so, as the protocol does when they are off.
    private var switchedOffRoutes: [Route] {
        let rows: [(String, String, String)] = [
            ("/oauth/{rest}", "feature_disabled", "OAuth server is disabled"),
            ("/sso", "saml_provider_disabled", "SAML 2.0 is disabled"),
            ("/sso/saml/{rest}", "saml_provider_disabled", "SAML 2.0 is disabled"),
            ("/passkeys/{rest}", "passkey_disabled", "Passkeys are disabled"),
            ("/passkeys/{rest}/{step}", "passkey_disabled", "Passkeys are disabled"),
        ]
        return rows.flatMap { path, code, message in
            [.get, .post].map { method in
                Route(method, path) { _, _ in throw Refusal(.notFound, RefusalCode(code), message) }
            }
        }
    }
}

/// What the door counts besides requests.
struct AuthCounts: Sendable {
    let signIns: Counter
    let refreshes: Counter
    let notices: Counter
    let revocations: Counter

    init(_ metrics: ServerMetrics) {
        signIns = metrics.counter(
            "gatehouse_sign_ins_total", "Sign-ins by method and outcome.", labels: ["method", "outcome"])
        refreshes = metrics.counter(
            "gatehouse_refreshes_total", "Refresh tokens presented, by what became of them.", labels: ["verdict"])
        notices = metrics.counter(
            "gatehouse_provider_notices_total", "What providers told by themselves, and what became of it.",
            labels: ["provider", "notice", "outcome"])
        revocations = metrics.counter(
            "gatehouse_provider_revocations_total", "Tries to revoke a provider's token.",
            labels: ["provider", "outcome"])
    }
}
