import AccountDomain
import GatehouseWire

/// One row for each setting: key, variables of Supabase Auth, form with the default value, and description. A new
/// setting is a row, its name in ``allCases``, and the code that reads it.
extension Setting {
    // Addresses and public URLs.
    package static let listen = Setting(
        "listen", .none, .text(),
        "`host:port` to listen on; counts before `host` and `port`. `:9999` means every interface.")
    package static let host = Setting(
        "host", .named(["GOTRUE_API_HOST"]), .text("127.0.0.1"),
        "Address to listen on. Loopback unless you say otherwise: a proxy with TLS belongs in front.")
    package static let port = Setting(
        "port", .named(["GOTRUE_API_PORT", "PORT"]), .number(1...65_535, 9_999), "TCP port, 1 to 65535.")
    package static let externalURL = Setting(
        "external_url", .named(["API_EXTERNAL_URL"]), .text(),
        "Required. Where clients reach the auth API, with its path: `https://api.example.org/auth/v1`.")
    package static let siteURL = Setting(
        "site_url", .gotrue, .text(),
        "Where browsers go back to unless the app names an allowed address: `https://app.example.org`, or "
            + "`boxscore://signed-in`. Without a value: the beginning of `external_url`.")
    package static let authPaths = Setting(
        "auth_paths", .none, .text(),
        "Comma-separated paths of the auth API; `/` is allowed too. Without a value: the path of `external_url`, and "
            + "`/auth/v1`.")
    package static let openAPI = Setting(
        "openapi", .none, .flag(false),
        "Whether `/openapi.json` describes every route (OpenAPI 3.1). `gatehouse dev` has it always.")
    package static let metricsListen = Setting(
        "metrics_listen", .none, .text(),
        "`host:port` for `/metrics` alone. Without it `serve` has no `/metrics`: a proxy on the same machine would "
            + "make it public.")
    package static let trustedProxies = Setting(
        "trusted_proxies", .none, .text(), "Comma-separated networks (`10.0.0.0/8`) whose proxy header is believed.")
    package static let proxyHeader = Setting(
        "proxy_header", .none, .text("X-Forwarded-For"),
        "The header in which those proxies name the caller; given without them it is refused, and so is `Forwarded` "
            + "(RFC 7239), which is not read.")
    package static let corsAllowedHeaders = Setting(
        "cors_allowed_headers", .gotrue, .text(),
        "Request headers that browsers may send besides the usual ones, comma-separated.")
    package static let requestDuration = Setting(
        "api_max_request_duration", .gotrue, .duration("10s"),
        "A request that takes longer is answered with 504, and none waits longer for the database. A Go duration: "
            + "`10s`.")

    // Database, and the secrets that only the configuration contains.
    package static let database = Setting(
        "database", .named(["GOTRUE_DB_DATABASE_URL", "DATABASE_URL"]), .location,
        "Required. Path of the SQLite file (`sqlite:PATH` is the same), or `postgres://user@host/database` with "
            + "libpq's parameters; without `sslmode` a server elsewhere has to prove who it is.")
    package static let databaseConnections = Setting(
        "database_connections", .named(["GOTRUE_DB_MAX_POOL_SIZE"]), .number(1...1_000, 8),
        "Connections to PostgreSQL for transactions, 1 to 1000; reads have one more.")
    package static let secrets = Setting(
        "secrets", .none, .secret,
        "Required. Server secrets, newest first: `2:BASE64,1:BASE64`, each of 32 bytes or more with a number from 0 "
            + "to 255. They seal the signing keys and make the refresh tokens. `openssl rand -base64 32` makes one.")
    package static let publishableKeys = Setting(
        "publishable_keys", .none, .text(), "Comma-separated `sb_publishable_…` keys that apps may send.")
    package static let secretKeys = Setting(
        "secret_keys", .none, .secret, "Comma-separated `sb_secret_…` keys with the rights of `service_role`.")
    package static let requireAPIKey = Setting(
        "require_api_key", .none, .flag(false), "Whether a request without a known key is refused.")

    // Access tokens.
    package static let jwtAlgorithm = Setting(
        "jwt_algorithm", .none, .text(),
        "`ES256`: keys of the database, rotated by `gatehouse keys rotate`. `HS256`: signed with `jwt_secret`. "
            + "Without a value: the key of `jwt_keys` if there are any, else `HS256` if there is a `jwt_secret`, else "
            + "`ES256`.")
    package static let jwtSecret = Setting(
        "jwt_secret", .gotrue, .secret,
        "The shared secret of HS256 tokens, `anon` and `service_role` keys included; 32 bytes or more.")
    package static let jwtKeyID = Setting("jwt_key_id", .gotrue, .text(), "The `kid` of the shared secret.")
    package static let jwtKeys = Setting(
        "jwt_keys", .gotrue, .secret,
        "A JSON array of private JWKs, each with a `kid`, exactly one with `\"key_ops\":[\"sign\",…]`.")
    package static let jwtLifetime = Setting(
        "jwt_exp", .gotrue, .number(1...604_800, 3_600), "Seconds that an access token is good for, 1 to 604800.")
    package static let tokenMaximum = Setting(
        "access_token_max_bytes", .none, .number(TokenRoom.range, TokenRoom().tokenBytes),
        "The longest access token, 4096 to 65000, see [below](#the-length-of-an-access-token). A proxy in front has to "
            + "accept headers of this length.")
    package static let jwtIssuer = Setting(
        "jwt_issuer", .gotrue, .text(), "`iss` of access tokens. Without a value: `external_url`.")
    package static let jwtAudience = Setting("jwt_aud", .gotrue, .text("authenticated"), "`aud` of new accounts.")
    package static let jwtRole = Setting(
        "jwt_default_group_name", .gotrue, .text("authenticated"), "`role` of new accounts.")
    package static let jwtAdminRoles = Setting(
        "jwt_admin_roles", .gotrue, .text("service_role,supabase_admin"),
        "Comma-separated roles whose tokens may use the admin API.")

    // Sign-up and sign-in.
    package static let disableSignUp = Setting(
        "disable_signup", .gotrue, .flag(false), "Whether nobody but an administrator makes accounts.")
    package static let emailEnabled = Setting(
        "external_email_enabled", .gotrue, .flag(true), "Whether people sign up and in by email address.")
    package static let anonymousEnabled = Setting(
        "external_anonymous_users_enabled", .gotrue, .flag(false), "Whether anybody gets an anonymous account.")
    package static let autoConfirm = Setting(
        "mailer_autoconfirm", .gotrue, .flag(false),
        "Whether an address counts as confirmed without a mail.")
    package static let requireCurrentPassword = Setting(
        "security_update_password_require_current_password", .gotrue, .flag(false),
        "Whether a new password needs the current one.")

    // Sessions.
    package static let refreshReuseInterval = Setting(
        "security_refresh_token_reuse_interval", .gotrue, .number(0...86_400, 10),
        "Seconds in which a used refresh token still gets the current one.")
    package static let refreshRotation = Setting(
        "security_refresh_token_rotation_enabled", .gotrue, .flag(true),
        "Whether a used refresh token that comes later ends the session.")
    package static let refreshStrict = Setting(
        "security_refresh_token_strict", .none, .flag(false),
        "Whether the token before the current one, too, ends the session when it comes later than that interval and "
            + "the current one's access token has been used: see [decision 4](decisions/0004-refresh-tokens.md). It "
            + "signs out clients that keep an old token, such as a tab that slept.")
    package static let sessionTimebox = Setting(
        "sessions_timebox", .gotrue, .duration(),
        "The longest a session lasts, a Go duration. Without a value: no limit.")
    package static let sessionInactivity = Setting(
        "sessions_inactivity_timeout", .gotrue, .durationOrZero("720h"),
        "A session that is not refreshed for so long ends. `0` means no limit.")
    package static let freshSignIn = Setting(
        "security_fresh_sign_in", .none, .duration(),
        "How long after a sign-in or a second factor a person may change address and password, add or remove a sign-in "
            + "method or a second factor, change something through the admin API, download the data of the account and "
            + "delete it; later, address and password need the current password, and everything else a new sign-in or "
            + "a second factor. A Go duration such as `10m`. Without a value: as long as the session lasts.")

    // Limits.
    private static let rates = 0...1_000_000_000
    package static let limits = Setting("limits", .none, .text("on"), "`off` lifts every request limit: for tests.")
    package static let rateHeader = Setting(
        "rate_limit_header", .gotrue, .text(),
        "The header whose first address is the caller, trusted from every sender. Only for a server that is reachable "
            + "solely through a proxy that sets it; `trusted_proxies` is safer. Not `Forwarded`.")
    package static let rateTokenRefresh = Setting(
        "rate_limit_token_refresh", .gotrue, .number(rates, 150),
        "`POST /token`: requests of one address in 5 minutes.")
    package static let rateOTP = Setting(
        "rate_limit_otp", .gotrue, .number(rates, 30),
        "`POST /signup`, `PUT /user` and requests for mails: of one address in 5 minutes, each.")
    package static let rateVerify = Setting(
        "rate_limit_verify", .gotrue, .number(rates, 30),
        "`/verify`: requests of one address in 5 minutes.")
    package static let rateAuthorize = Setting(
        "rate_limit_authorize", .none, .number(rates, 60), "`GET /authorize`: requests of one address in 5 minutes.")
    package static let rateAnonymous = Setting(
        "rate_limit_anonymous_users", .gotrue, .number(rates, 30), "Anonymous sign-ups of one address in an hour.")
    package static let rateFailedSignIns = Setting(
        "rate_limit_failed_sign_ins", .none, .number(rates, 10),
        "Failed password sign-ins in an hour, of one address and, apart from that, of one account. Devices that have "
            + "signed in to an account with its present password are counted by themselves; an IPv6 network of 48 "
            + "bits gets ten times as many.")

    // The gateway.
    package static let appScheme = Setting(
        "app_scheme", .none, .text(),
        "The URL scheme of the app, for `/api/v1/auth/callback`. Without a value the route is closed.")
    package static let profileSchema = Setting(
        "profile_schema", .none, .text(),
        "Path of a JSON Schema that the apps' own fields of a profile have to satisfy, see "
            + "[own-fields.md](own-fields.md).")
    package static let teamCatalogue = Setting(
        "team_catalogue", .none, .text(),
        "Path of a JSON file with teams. With it there is `/v1/teams`, and `favorite_teams` in profiles, which may "
            + "name those teams alone.")
    package static let telemetry = Setting(
        "telemetry", .none, .flag(true),
        "Whether `/v1/events` counts what apps report of sign-ins, see [telemetry.md](telemetry.md).")
    package static let telemetryApps = Setting(
        "telemetry_apps", .none, .text(),
        "The names of the apps whose events are counted apart. Those of all others count together, as `other`.")
    package static let jwksURL = Setting(
        "jwks_url", .none, .text(),
        "`serve --only gateway`: where the issuer's keys are, `https://…/.well-known/jwks.json`.")
    package static let issuerSecretKey = Setting(
        "issuer_secret_key", .none, .secret,
        "`serve --only gateway`: the issuer's secret key, to delete accounts with.")

    // The log.
    package static let logLevel = Setting(
        "log_level", .none, .text("info"), "`trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`.")
    package static let logFormat = Setting("log_format", .none, .text("json"), "`json` or `console`.")
}
