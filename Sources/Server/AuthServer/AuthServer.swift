import AccountDomain
package import AccountStore
import GatehouseWire
package import HTTPServing
import Hummingbird
package import PasswordHashing

/// The HTTP API of Supabase Auth: routes and shared state.
package final class AuthServer: Sendable {
    let settings: AuthSettings
    let accounts: Accounts
    let keys: KeyRing
    let passwords: PasswordHasher
    let runtime: ServerRuntime
    /// nil disables the limit, as in `gatehouse dev`.
    let attempts: Attempts?
    let providers: SignInProviders
    let mailer: Mailer?
    /// Delivers text messages. nil without a way to send them.
    let texter: Mailer?
    let hooks: Hooks?
    let webhooks: Webhooks?
    let captcha: Captcha?
    let breachedPasswords: BreachedPasswords?
    let clientDocuments: ClientDocuments?
    let upgrades = HashUpgrades()
    let answeredChallenges = AnsweredChallenges()
    let fixed: FixedAnswers
    let counts: AuthCounts
    let refusals = RefusedSignIns()
    /// Sign-ins and refreshes not yet written.
    package let activity = ActivityTally()
    /// Used access tokens under a strict session policy; shared with the gateway in this process.
    package let usedTokens: UsedTokens

    package init(
        settings: AuthSettings, accounts: Accounts, keys: KeyRing, passwords: PasswordHasher, runtime: ServerRuntime,
        attempts: Attempts? = nil, providers: SignInProviders = SignInProviders(), mailer: Mailer? = nil,
        texter: Mailer? = nil, hooks: Hooks? = nil, webhooks: Webhooks? = nil, captcha: Captcha? = nil,
        breachedPasswords: BreachedPasswords? = nil, clientDocuments: ClientDocuments? = nil
    ) {
        self.settings = settings
        self.accounts = accounts
        self.keys = keys
        self.passwords = passwords
        self.runtime = runtime
        self.attempts = attempts
        self.providers = providers
        self.mailer = mailer
        self.texter = texter
        self.hooks = hooks
        self.webhooks = webhooks
        self.captcha = captcha
        self.breachedPasswords = breachedPasswords
        self.clientDocuments = clientDocuments
        fixed = FixedAnswers(settings, providers: providers.names, factors: accounts.factorRules)
        counts = AuthCounts(runtime.metrics, activity, now: runtime.now)
        usedTokens = UsedTokens(accounts)
    }

    /// - Parameter prefixes: An empty string is the root.
    /// - Parameter others: Each with its own guard.
    package func table(
        prefixes: [String], crossOrigin: CrossOriginPolicy = CrossOriginPolicy(), with others: [Route] = []
    ) -> RouteTable {
        // Most responses contain tokens or personal data.
        let group = RouteGroup(
            prefixes: prefixes, format: .auth, crossOrigin: crossOrigin, cacheControl: "no-store",
            guardedBy: callers.refuseSecretKey(inAddressOf:))
        return RouteTable(
            group: group, runtime: runtime,
            openRoutes + pageRoutes + keyedRoutes + mailRoutes + factors.factorRoutes + passkeys.passkeyRoutes
                + adminRoutes + admin.adminPasskeyRoutes + oauth.routes + absentRoutes + others)
    }

    private var openRoutes: [Route] {
        [
            Route(.get, "/health", health).unlogged,
            Route(.get, "/.well-known/jwks.json", jsonWebKeySet),
            Route(.get, "/.well-known/openid-configuration", openIDConfiguration),
            Route(
                .get, "/authorize", limitedBy: Limits.authorize, timeLimit: runtime.requestTimeLimit,
                answersHead: false,
                identities.authorize),
            Route(.get, "/callback", acceptsTrailingSlash: true, answersHead: false, identities.callback),
            Route(.post, "/callback", acceptsTrailingSlash: true, identities.callback),
            Route(.get, "/callback/{provider}", answersHead: false, identities.callback),
            Route(.post, "/callback/{provider}", identities.callback),
            Route(
                .post, "/apple/notifications", timeLimit: runtime.requestTimeLimit, identities.receiveAppleNotification),
        ]
    }

    private var pageRoutes: [Route] {
        let wait = runtime.requestTimeLimit
        let export = Route(.get, "/user/export", limitedBy: Limits.export, timeLimit: wait, users.exportUser)
        guard settings.accountPages != nil else { return [export] }
        return [export, Route(.post, "/authorize", limitedBy: Limits.authorize, timeLimit: wait, identities.handOver)]
    }

    private var keyedRoutes: [Route] {
        let wait = runtime.requestTimeLimit
        return [
            Route(.get, "/settings", guardedBy: callers.admitClient, showSettings),
            Route(
                .post, "/signup", acceptsTrailingSlash: true, guardedBy: callers.admitClient, timeLimit: wait,
                signIns.signUp),
            // No time limit on refreshes: it costs a task. The password grant sets its own.
            Route(.post, "/token", guardedBy: callers.admitClient, limitedBy: Limits.token, signIns.grant),
            Route(.post, "/logout", users.signOut),
            Route(.get, "/sessions", users.listSessions),
            Route(
                .post, "/sessions/report", guardedBy: callers.admitClient, limitedBy: Limits.verify, timeLimit: wait,
                users.reportDevice),
            Route(.post, "/sessions/children", timeLimit: wait, users.openChildSession),
            Route(.delete, "/sessions/{session_id}", users.endSession),
            Route(.get, "/user", acceptsTrailingSlash: true, wrongMethodGuardedBy: callers.requireUser, users.showUser),
            Route(
                .put, "/user", acceptsTrailingSlash: true, limitedBy: Limits.updateUser, timeLimit: wait,
                users.updateUser),
            Route(
                .get, "/user/identities/authorize", limitedBy: Limits.authorize, timeLimit: wait, answersHead: false,
                identities.authorizeLink),
            Route(.post, "/user/start-over", timeLimit: wait, users.startOver),
            Route(.get, "/user/identities/undoable", identities.listUndoableLinks),
            Route(.post, "/user/identities/{identity_id}/undo", identities.undoLink),
            Route(.delete, "/user/identities/{identity_id}", identities.unlinkIdentity),
        ]
    }

    private var mailRoutes: [Route] {
        let wait = runtime.requestTimeLimit
        // Without mail these routes cost nothing.
        let hasMail = settings.mail != nil || settings.texts != nil
        let (asking, verifying) = (hasMail ? Limits.mailRequest : nil, hasMail ? Limits.verify : nil)
        func asks(_ path: String, _ handler: @escaping Route.Handler) -> Route {
            Route(.post, path, guardedBy: callers.admitClient, limitedBy: asking, timeLimit: wait, handler)
        }
        return [
            asks("/recover", mail.recover), asks("/otp", mail.sendOneTimeCode), asks("/magiclink", mail.sendMagicLink),
            asks("/resend", mail.resend), asks("/link/code", identities.mailLinkCode),
            Route(
                .get, "/reauthenticate", acceptsTrailingSlash: true, wrongMethodGuardedBy: callers.requireUser,
                limitedBy: asking, timeLimit: wait, answersHead: false, mail.reauthenticate),
            Route(
                .post, "/verify", acceptsTrailingSlash: true, guardedBy: callers.requireAudience, limitedBy: verifying,
                timeLimit: wait, mail.verify),
            // Link checkers send HEAD.
            Route(
                .get, "/verify", acceptsTrailingSlash: true, limitedBy: verifying, timeLimit: wait,
                answersHead: false, mail.openLink),
            Route(.post, "/verify/page", limitedBy: verifying, timeLimit: wait, mail.pressLinkButton),
            callers.administered(.post, "/invite", for: .help, admin.invite),
            // The part that supabase-swift calls.
            callers.administered(.post, "/admin/invite", for: .help, admin.invite),
            callers.administered(.post, "/admin/generate_link", admin.generateLink),
            callers.administered(.post, "/admin/users/{user_id}/recover", for: .help, admin.mailUserRecovery),
            callers.administered(.post, "/admin/users/{user_id}/resend", for: .help, admin.resendConfirmation),
        ]
    }

    private var adminRoutes: [Route] {
        let path = "/admin/users/{user_id}"
        return [
            callers.administered(.get, "/admin/users", slash: true, admin.listUsers),
            callers.administered(.post, "/admin/users", slash: true, admin.createUser),
            callers.administered(.get, path, slash: true, admin.readUser),
            callers.administered(.put, path, slash: true, admin.changeUser),
            callers.administered(.delete, path, slash: true, admin.deleteUser),
            callers.administered(.get, "/admin/audit", slash: true, admin.listAudit),
            // Extensions.
            callers.administered(.get, "/admin/search/users", waits: true, admin.searchUsers),
            callers.administered(.get, "/admin/search/audit", waits: true, admin.searchAudit),
            callers.administered(.get, path + "/history", waits: true, admin.listUserHistory),
            callers.administered(.get, path + "/overview", waits: true, admin.showUserOverview),
            callers.administered(.get, path + "/diagnosis", waits: true, admin.showDiagnosis),
            callers.administered(.post, path + "/unlock", for: .help, admin.unlockUser),
            callers.administered(.delete, path + "/identities/{identity_id}", admin.removeUserIdentity),
            callers.administered(.get, path + "/sessions", admin.listUserSessions),
            callers.administered(.delete, path + "/sessions", for: .help, admin.endUserSessions),
            callers.administered(.delete, path + "/sessions/{session_id}", for: .help, admin.endUserSession),
        ]
    }
}

struct AuthCounts: Sendable {
    let signIns: ActivityCounter
    let refreshes: ActivityCounter
    let notices: Counter
    let revocations: Counter
    let mails: Counter
    let texts: Counter
    let factors: Counter
    let hooks: Counter
    let webhooks: Counter
    let breachedPasswords: Counter

    init(_ metrics: ServerMetrics, _ tally: ActivityTally, now: @escaping @Sendable () -> Instant) {
        let signIns = metrics.counter(
            "gatehouse_sign_ins_total", "Sign-ins by method and outcome.", labels: ["method", "outcome"])
        let refreshes = metrics.counter(
            "gatehouse_refreshes_total", "Presented refresh tokens by verdict.", labels: ["verdict"])
        self.signIns = ActivityCounter(counter: signIns, name: .signIns, tally: tally, now: now)
        self.refreshes = ActivityCounter(counter: refreshes, name: .refreshes, tally: tally, now: now)
        notices = metrics.counter(
            "gatehouse_provider_notices_total", "Notifications from providers by kind and outcome.",
            labels: ["provider", "notice", "outcome"])
        revocations = metrics.counter(
            "gatehouse_provider_revocations_total", "Attempts to revoke a provider's token.",
            labels: ["provider", "outcome"])
        mails = metrics.counter(
            "gatehouse_mails_total", "Attempts to send a mail by kind and outcome.", labels: ["kind", "outcome"])
        texts = metrics.counter(
            "gatehouse_texts_total", "Attempts to send a text message, and requests that a limit refused.",
            labels: ["kind", "outcome"])
        factors = metrics.counter(
            "gatehouse_factor_answers_total", "Answers of second factors by kind and outcome.",
            labels: ["kind", "outcome"])
        hooks = metrics.counter("gatehouse_hooks_total", "Questions to hooks.", labels: ["hook", "outcome"])
        webhooks = metrics.counter(
            "gatehouse_webhooks_total", "Attempts to deliver an event.", labels: ["endpoint", "outcome"])
        breachedPasswords = metrics.counter(
            "gatehouse_breached_passwords_total", "New passwords compared with those of breaches.", labels: ["outcome"])
    }
}

/// A metric that is also stored by hour, for all nodes together.
struct ActivityCounter: Sendable {
    let counter: Counter
    let name: ActivityName
    let tally: ActivityTally
    let now: @Sendable () -> Instant

    /// - Parameter detail: Empty for a counter with one label.
    func increment(_ label: String, _ detail: String = "") {
        if detail.isEmpty { counter.increment(label) } else { counter.increment(label, detail) }
        tally.add(name, label, detail, at: now())
    }
}
