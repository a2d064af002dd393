import AccountDomain
import AuthServer
import GatehouseServer
import GatehouseWire
import ProfileGateway
import TestSupport
import Testing

@Suite("Settings")
struct SettingsTests {
    @Test("The minimal configuration gives the safe defaults")
    func defaults() throws {
        let settings = try GivenValues.settings()
        #expect(settings.listen == ListenAddress(host: "127.0.0.1", port: 9_999))
        #expect(settings.metricsListen == nil)
        #expect(!settings.servesMetricsToLoopback)
        #expect(settings.authPrefixes == ["/auth/v1"])
        #expect(settings.database.path == "accounts.sqlite")
        #expect(settings.auth.issuer == "https://api.example.org/auth/v1")
        #expect(settings.auth.allowsSignUp && settings.auth.allowsEmail)
        #expect(!settings.auth.allowsAnonymousSignIn && !settings.auth.confirmsAutomatically)
        #expect(settings.auth.passwordPolicy.minimumLength == 8)
        #expect(settings.sessions.timebox == nil && settings.sessions.freshSignIn == nil)
        #expect(settings.sessions.inactivity == .seconds(720 * 3_600))
        #expect(settings.sessions.reuseInterval == .seconds(10))
        #expect(settings.rates?.token == 150 && settings.rates?.authorize == 60)
        #expect(!settings.tokens.signsWithSharedSecret && settings.tokens.sharedSecret == nil)
    }

    @Test("An empty configuration reports every missing value at once")
    func everythingMissing() {
        do throws(SettingsProblems) {
            _ = try ServerSettings(GivenSettings(environment: [:]))
            Issue.record("an empty configuration was accepted")
        } catch {
            #expect(
                error.problems.map(\.name) == [
                    "GATEHOUSE_DATABASE", "GATEHOUSE_SECRETS", "GATEHOUSE_EXTERNAL_URL",
                ])
            #expect(error.description.hasPrefix("The configuration has 3 problems:\n"))
        }
    }

    @Test("With the settings in use named, others may be missing or wrong, and problems of those named are refused")
    func used() throws {
        let used: Set<Setting> = [.database, .databaseConnections]
        let others = [
            "GATEHOUSE_EXTERNAL_URL": "nowhere", "GATEHOUSE_SECRETS": "1:short", "GATEHOUSE_SMTP_PASS_FILE": "/nowhere",
            "GATEHOUSE_MAILER_TEMPLATES": "/nowhere", "GATEHOUSE_DATABASE": "a.sqlite",
        ]
        let settings = try ServerSettings(GivenSettings(environment: others), using: used)
        #expect(settings.database.path == "a.sqlite")
        let wrong: [([String: String], String)] = [
            (["GATEHOUSE_DATABASE": "", "GATEHOUSE_PORT": "x"], "GATEHOUSE_DATABASE"),
            (["GATEHOUSE_DATABASE_CONNECTIONS": "0"], "GATEHOUSE_DATABASE_CONNECTIONS"),
            (["GOTRUE_DB_MAX_POOL_SIZE": "many"], "GOTRUE_DB_MAX_POOL_SIZE"),
            (["GATEHOUSE_DATBASE": "a"], "GATEHOUSE_DATBASE"),
        ]
        for (values, name) in wrong {
            let given = GivenSettings(environment: others.merging(values) { $1 })
            let problems = #expect(throws: SettingsProblems.self) { try ServerSettings(given, using: used) }
            #expect(problems?.problems.map(\.name) == [name])
        }
    }

    @Test("The accounts are in a file or on a server, whose password is never printed")
    func database() throws {
        let file = try GivenValues.settings(["GATEHOUSE_DATABASE": "sqlite:a/b.sqlite"])
        #expect(file.database.path == "a/b.sqlite")
        #expect(file.database.server == nil)
        let url = "postgres://user:hunter2@db.example.org/auth?sslmode=require"
        let server = try GivenValues.settings(["GATEHOUSE_DATABASE": url, "GOTRUE_DB_MAX_POOL_SIZE": "20"])
        #expect(server.database.server?.reveal() == url)
        #expect(server.database.connections == 20)
        #expect(server.database.path == "")
        var dumped = ""
        dump(server, to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }

    @Test(
        "A wrong value is reported under the given name",
        arguments: [
            ("GATEHOUSE_LISTEN", "9999"), ("GATEHOUSE_LISTEN", "127.0.0.1:0"), ("GOTRUE_API_PORT", "0"),
            ("PORT", "many"), ("GATEHOUSE_PORT", "65536"), ("API_EXTERNAL_URL", "api.example.org"),
            ("API_EXTERNAL_URL", "ftp://api.example.org"), ("GATEHOUSE_EXTERNAL_URL", "https://a.example/?b"),
            ("GOTRUE_SITE_URL", "nowhere"), ("GATEHOUSE_AUTH_PATHS", "auth"), ("GATEHOUSE_AUTH_PATHS", "/v1"),
            ("GATEHOUSE_AUTH_PATHS", "/a//b"), ("GATEHOUSE_AUTH_PATHS", "/a,/a"), ("GATEHOUSE_AUTH_PATHS", "/{x}"),
            ("GATEHOUSE_METRICS_LISTEN", "9000"), ("GATEHOUSE_TRUSTED_PROXIES", "10.0.0.0/99"),
            ("GATEHOUSE_PROXY_HEADER", "no header"), ("GOTRUE_RATE_LIMIT_HEADER", "a:b"),
            ("GOTRUE_API_MAX_REQUEST_DURATION", "10"), ("GOTRUE_API_MAX_REQUEST_DURATION", "0s"),
            ("GATEHOUSE_DATABASE", "postgres://user:password@db.example.org/auth?no=thing"),
            ("GOTRUE_DB_MAX_POOL_SIZE", "0"),
            ("GATEHOUSE_DATABASE", "sqlite:"), ("GATEHOUSE_DATABASE", "mysql://x"), ("GATEHOUSE_SECRETS", "abc"),
            ("GATEHOUSE_SECRETS", "1:c2hvcnQ="), ("GATEHOUSE_SECRETS", "300:\(GivenValues.secret)"),
            ("GATEHOUSE_SECRETS", "1:\(GivenValues.secret),1:\(GivenValues.secret)"),
            ("GATEHOUSE_PUBLISHABLE_KEYS", "sb_secret_0123456789abcdef"), ("GATEHOUSE_SECRET_KEYS", "sb_secret_short"),
            ("GATEHOUSE_REQUIRE_API_KEY", "true"), ("GATEHOUSE_REQUIRE_API_KEY", "perhaps"),
            ("GATEHOUSE_JWT_ALGORITHM", "none"), ("GATEHOUSE_JWT_ALGORITHM", "HS256"), ("GOTRUE_JWT_SECRET", "short"),
            ("GOTRUE_JWT_EXP", "1h"), ("GOTRUE_JWT_EXP", "0"), ("GOTRUE_JWT_KEYS", "{}"), ("GOTRUE_JWT_KEYS", "[]"),
            ("GOTRUE_JWT_KEYS", #"[{"kty":"EC"}]"#), ("GOTRUE_DISABLE_SIGNUP", "maybe"),
            ("GOTRUE_PASSWORD_MIN_LENGTH", "73"), ("GATEHOUSE_PASSWORD_MIN_LENGTH", "4"),
            ("GATEHOUSE_PASSWORD_REFUSE_COMMON", "maybe"), ("GATEHOUSE_HASH_QUEUE", "0"),
            ("GATEHOUSE_HASH_THREADS", "0"), ("GATEHOUSE_HASH_THREADS", "1001"),
            ("GATEHOUSE_PROXY_HEADER", "X-Real-Ip"),
            ("GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", "-1"), ("GOTRUE_SESSIONS_TIMEBOX", "0"),
            ("GATEHOUSE_SECURITY_FRESH_SIGN_IN", "0"), ("GATEHOUSE_SESSION_KEYS_REQUIRED_FROM", "soon"),
            ("GATEHOUSE_SESSION_KEYS_REQUIRED_FROM", "2027-02-30"),
            ("GOTRUE_SESSIONS_TIMEBOX", "2 days"), ("GOTRUE_SESSIONS_INACTIVITY_TIMEOUT", "-1h"),
            ("GOTRUE_RATE_LIMIT_TOKEN_REFRESH", "x"), ("GATEHOUSE_RATE_LIMIT_AUTHORIZE", "-1"),
            ("GATEHOUSE_RATE_LIMIT_FAILED_SIGN_INS", "-1"),
            ("GATEHOUSE_LIMITS", "some"), ("GATEHOUSE_APP_SCHEME", "https"), ("GATEHOUSE_APP_SCHEME", "boxscore://"),
            ("GATEHOUSE_TEAM_CATALOGUE", "/nowhere/teams.json"), ("GATEHOUSE_TEAM_CATALOGUE", "/"),
            ("GATEHOUSE_PROFILE_SCHEMA", "/nowhere/schema.json"),
            ("GATEHOUSE_LOG_LEVEL", "loud"), ("GATEHOUSE_LOG_FORMAT", "xml"),
        ])
    func wrongValue(name: String, value: String) {
        #expect(GivenValues.problems([name: value]).map(\.name) == [name])
    }

    @Test("A file adds teams to profiles; without one there are none")
    func catalogue() throws {
        #expect(try GivenValues.settings().profileFields.teams == nil)
        let values = ["GATEHOUSE_TEAM_CATALOGUE": TestServer.teamCatalogue]
        #expect(try GivenValues.settings(values).profileFields.teams?.ids.count == 124)
    }

    @Test("All wrong values are reported together")
    func allAtOnce() {
        let problems = GivenValues.problems([
            "GATEHOUSE_LISTEN": "x", "GOTRUE_JWT_EXP": "x", "GATEHOUSE_LIMITS": "x", "GATEHOUSE_LOGLEVEL": "debug",
        ])
        #expect(
            Set(problems.map(\.name)) == [
                "GATEHOUSE_LISTEN", "GOTRUE_JWT_EXP", "GATEHOUSE_LIMITS", "GATEHOUSE_LOGLEVEL",
            ])
    }

    @Test("A GATEHOUSE_ name overrides the foreign name, which overrides the default")
    func precedence() throws {
        let foreign = ["GOTRUE_JWT_EXP": "100", "GOTRUE_API_PORT": "1001", "PORT": "1002"]
        let first = try GivenValues.settings(foreign)
        #expect(first.auth.accessTokenLifetime == .seconds(100))
        #expect(first.listen.port == 1_001)
        let second = try GivenValues.settings(
            foreign.merging(["GATEHOUSE_JWT_EXP": "200", "GATEHOUSE_PORT": "1003"]) { $1 })
        #expect(second.auth.accessTokenLifetime == .seconds(200))
        #expect(second.listen.port == 1_003)
        let third = try GivenValues.settings(
            foreign.merging(["GATEHOUSE_LISTEN": "[::1]:1004", "GOTRUE_API_HOST": "10.0.0.1"]) { $1 })
        #expect(third.listen == ListenAddress(host: "::1", port: 1_004))
    }

    @Test("Empty text counts as not set")
    func emptyText() throws {
        let settings = try GivenValues.settings([
            "GATEHOUSE_JWT_EXP": "", "GOTRUE_JWT_EXP": "60", "GOTRUE_SITE_URL": "",
        ])
        #expect(settings.auth.accessTokenLifetime == .seconds(60))
        #expect(settings.auth.redirects.siteURL == "https://api.example.org")
    }

    @Test("Supabase Auth's values mean the same here")
    func foreignValues() throws {
        let settings = try GivenValues.settings([
            "GOTRUE_DISABLE_SIGNUP": "true", "GOTRUE_EXTERNAL_EMAIL_ENABLED": "F", "GOTRUE_MAILER_AUTOCONFIRM": "1",
            "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED": "yes", "GOTRUE_PASSWORD_MIN_LENGTH": "10",
            "GOTRUE_JWT_ADMIN_ROLES": "service_role, boss", "GOTRUE_JWT_ISSUER": "https://issuer.example.org",
            "GOTRUE_SESSIONS_TIMEBOX": "24h", "GOTRUE_SESSIONS_INACTIVITY_TIMEOUT": "0",
            "GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED": "false", "GOTRUE_API_MAX_REQUEST_DURATION": "1m30s",
            "GOTRUE_RATE_LIMIT_OTP": "7", "GOTRUE_JWT_AUD": "app", "GOTRUE_JWT_DEFAULT_GROUP_NAME": "member",
        ])
        #expect(!settings.auth.allowsSignUp && !settings.auth.allowsEmail)
        #expect(settings.auth.confirmsAutomatically && settings.auth.allowsAnonymousSignIn)
        #expect(settings.auth.passwordPolicy.minimumLength == 10)
        #expect(settings.auth.adminRoles == ["service_role", "boss"])
        #expect(settings.auth.issuer == "https://issuer.example.org")
        #expect(settings.sessions.timebox == .seconds(86_400))
        #expect(settings.sessions.inactivity == nil)
        #expect(!settings.sessions.revokesOnReuse)
        #expect(settings.requestTimeLimit == .seconds(90))
        #expect(settings.rates?.otp == 7)
        #expect(settings.audience == "app" && settings.role == "member")
    }

    @Test("Common passwords are refused by default")
    func commonPasswords() throws {
        #expect(try GivenValues.settings().auth.passwordPolicy.refusesCommon)
        let changes = ["GATEHOUSE_PASSWORD_REFUSE_COMMON": "false"]
        #expect(try GivenValues.settings(changes).auth.passwordPolicy.refusesCommon == false)
    }

    @Test("The app's names in the configuration are not valid passwords")
    func forbiddenWords() throws {
        let changes = [
            "GATEHOUSE_PASSWORD_FORBIDDEN_WORDS": "Acme, Box Score", "GATEHOUSE_APP_SCHEME": "boxscore",
            "GOTRUE_SITE_URL": "https://play.acme.example",
        ]
        let words = try GivenValues.settings(changes).auth.passwordPolicy.forbiddenWords
        let expected = [
            "Acme", "Box Score", "play.acme.example", "api.example.org", "play", "acme", "api", "example", "boxscore",
        ]
        #expect(words == expected)
    }

    @Test("A path list may contain the root, and trailing slashes are ignored")
    func authPaths() throws {
        #expect(try GivenValues.settings(["GATEHOUSE_AUTH_PATHS": "/, /auth/v1/"]).authPrefixes == ["", "/auth/v1"])
    }

    @Test(
        "Without a path list, the auth API is where the external URL says, and at the usual path",
        arguments: [
            ("http://localhost:9999", ["", "/auth/v1"]), ("https://api.example.org/", ["", "/auth/v1"]),
            ("https://api.example.org/auth/v1/", ["/auth/v1"]),
            ("https://api.example.org/accounts", ["/accounts", "/auth/v1"]),
            // The proxy maps a path that the gateway has here.
            ("https://api.example.org/v1", ["/auth/v1"]),
        ])
    func externalPath(_ url: String, _ prefixes: [String]) throws {
        #expect(try GivenValues.settings(["API_EXTERNAL_URL": url]).authPrefixes == prefixes)
    }

    @Test("sqlite:PATH is the path")
    func databaseScheme() throws {
        #expect(try GivenValues.settings(["GATEHOUSE_DATABASE": "sqlite:a/b.db"]).database.path == "a/b.db")
    }

    @Test(
        "The header Forwarded, which has a grammar of its own, is refused: it would not be understood",
        arguments: ["GATEHOUSE_PROXY_HEADER", "GATEHOUSE_RATE_LIMIT_HEADER"])
    func forwardedHeader(_ name: String) {
        let problems = GivenValues.problems([name: "forwarded", "GATEHOUSE_TRUSTED_PROXIES": "10.0.0.0/8"])
        #expect(problems.count == 1)
        #expect(problems.first?.expected.contains("X-Forwarded-For") == true)
    }

    @Test("The proxy header needs trusted networks; without them it would silently not apply")
    func proxyHeader() throws {
        let header = ["GATEHOUSE_PROXY_HEADER": "X-Real-Ip"]
        #expect(GivenValues.problems(header.merging(["GATEHOUSE_TRUSTED_PROXIES": "10.0.0.0/8"]) { $1 }).isEmpty)
        let problem = try #require(GivenValues.problems(header).first)
        #expect(problem.expected.contains("GATEHOUSE_TRUSTED_PROXIES"))
        let lone = header.merging(["GATEHOUSE_TRUSTED_PROXIES": " , "]) { $1 }
        #expect(GivenValues.problems(lone) == [problem])
    }

    @Test("Hashing threads are the configured number, else one per core")
    func hashThreads() throws {
        #expect(try GivenValues.settings(["GATEHOUSE_HASH_THREADS": "2"]).hashThreads == 2)
        #expect(try GivenValues.settings().hashThreads == nil)
    }

    @Test("Disabled limits limit nothing")
    func limitsOff() throws {
        #expect(try GivenValues.settings(["GATEHOUSE_LIMITS": "off"]).rates == nil)
    }
}
