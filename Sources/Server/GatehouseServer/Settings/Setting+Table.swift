import AccountDomain
import GatehouseWire

/// A new setting needs a row, its name in ``allCases``, and code that reads it.
extension Setting {
    // Addresses and public URLs.
    package static let listen = Setting(
        "listen", .none, .text(),
        "`host:port` to listen on, instead of `host` and `port`. `:9999`: every interface.")
    package static let host = Setting(
        "host", .named(["GOTRUE_API_HOST"]), .text("127.0.0.1"),
        "Address to listen on. The default accepts only this machine.")
    package static let port = Setting(
        "port", .named(["GOTRUE_API_PORT", "PORT"]), .number(1...65_535, 9_999),
        "TCP port, 1 to 65535.")
    package static let externalURL = Setting(
        "external_url", .named(["API_EXTERNAL_URL"]), .text(),
        "Required. Public URL of the auth API with its path: `https://api.example.org/auth/v1`.")
    package static let siteURL = Setting(
        "site_url", .gotrue, .text(),
        "Where browsers return by default: `https://app.example.org` or `boxscore://signed-in`. Default: the "
            + "origin of `external_url`.")
    package static let authPaths = Setting(
        "auth_paths", .none, .text(),
        "Comma-separated paths of the auth API; may be `/`. Default: the path of `external_url`, and `/auth/v1`.")
    package static let openAPI = Setting(
        "openapi", .none, .flag(false),
        "Serves an OpenAPI 3.1 description at `/openapi.json`. Always on in `gatehouse dev`.")
    package static let metricsListen = Setting(
        "metrics_listen", .none, .text(),
        "`host:port` that serves only `/metrics`. Without it, `serve` has no metrics.")
    package static let trustedProxies = Setting(
        "trusted_proxies", .none, .text(),
        "Comma-separated networks (`10.0.0.0/8`) whose forwarded-for header is trusted.")
    package static let proxyHeader = Setting(
        "proxy_header", .none, .text("X-Forwarded-For"),
        "Header in which trusted proxies send the client's address. Not `Forwarded` (RFC 7239).")
    package static let corsAllowedHeaders = Setting(
        "cors_allowed_headers", .gotrue, .text(),
        "Comma-separated additional request headers that browsers may send.")
    package static let requestDuration = Setting(
        "api_max_request_duration", .gotrue, .duration("10s"),
        "Time limit of a request, including its wait for the database; then 504.")

    // Database, and secrets that only the configuration contains.
    package static let database = Setting(
        "database", .named(["GOTRUE_DB_DATABASE_URL", "DATABASE_URL"]), .location,
        "Required. Path of the SQLite file (or `sqlite:PATH`), or `postgres://user@host/database` with libpq's "
            + "parameters. Other hosts default to `sslmode=verify-full`.")
    package static let databaseConnections = Setting(
        "database_connections", .named(["GOTRUE_DB_MAX_POOL_SIZE"]), .number(1...1_000, 8),
        "PostgreSQL connections for transactions, 1 to 1000. Reads use one more.")
    package static let secrets = Setting(
        "secrets", .none, .secret,
        "Required. Server secrets, newest first: `2:BASE64,1:BASE64`. Each has a number, 0 to 255, and at "
            + "least 32 bytes (`openssl rand -base64 32`). They encrypt stored keys and derive refresh tokens.")
    package static let publishableKeys = Setting(
        "publishable_keys", .none, .text(),
        "Comma-separated `sb_publishable_…` API keys for apps.")
    package static let secretKeys = Setting(
        "secret_keys", .none, .secret,
        "Comma-separated `sb_secret_…` API keys with `service_role` rights.")
    package static let requireAPIKey = Setting(
        "require_api_key", .none, .flag(false),
        "Rejects requests without a known API key.")

    // Access tokens.
    package static let jwtAlgorithm = Setting(
        "jwt_algorithm", .none, .text(),
        "`ES256` signs with keys in the database, `HS256` with `jwt_secret`. Default: the key in "
            + "`jwt_keys`, else `HS256` if `jwt_secret` is set, else `ES256`.")
    package static let jwtSecret = Setting(
        "jwt_secret", .gotrue, .secret,
        "Shared secret of HS256 tokens, including `anon` and `service_role` keys. At least 32 bytes.")
    package static let jwtKeyID = Setting(
        "jwt_key_id", .gotrue, .text(),
        "`kid` of the shared secret.")
    package static let jwtKeys = Setting(
        "jwt_keys", .gotrue, .secret,
        "JSON array of private JWKs, each with a `kid`; exactly one has `\"key_ops\":[\"sign\",…]`.")
    package static let jwtLifetime = Setting(
        "jwt_exp", .gotrue, .number(1...604_800, 3_600),
        "Lifetime of an access token in seconds, 1 to 604800.")
    package static let tokenMaximum = Setting(
        "access_token_max_bytes", .none, .number(TokenRoom.range, TokenRoom().tokenBytes),
        "Longest access token in bytes, 4096 to 65000, see [below](#the-length-of-an-access-token).")
    package static let jwtIssuer = Setting(
        "jwt_issuer", .gotrue, .text(),
        "`iss` of access tokens. Default: `external_url`.")
    package static let jwtAudience = Setting(
        "jwt_aud", .gotrue, .text("authenticated"),
        "`aud` of new accounts.")
    package static let jwtRole = Setting(
        "jwt_default_group_name", .gotrue, .text("authenticated"),
        "`role` of new accounts.")
    package static let jwtAdminRoles = Setting(
        "jwt_admin_roles", .gotrue, .text("service_role,supabase_admin"),
        "Comma-separated roles whose tokens may use the admin API.")

    // Sign-up and sign-in.
    package static let disableSignUp = Setting(
        "disable_signup", .gotrue, .flag(false),
        "Disables sign-up. Only administrators can create accounts.")
    package static let emailEnabled = Setting(
        "external_email_enabled", .gotrue, .flag(true),
        "Enables sign-up and sign-in by email.")
    package static let anonymousEnabled = Setting(
        "external_anonymous_users_enabled", .gotrue, .flag(false),
        "Enables anonymous sign-in: accounts without email or password.")
    package static let autoConfirm = Setting(
        "mailer_autoconfirm", .gotrue, .flag(false),
        "Treats new email addresses as confirmed and sends no confirmation.")
    package static let requireCurrentPassword = Setting(
        "security_update_password_require_current_password", .gotrue, .flag(false),
        "Requires the current password to set a new one.")

    // Sessions.
    package static let refreshReuseInterval = Setting(
        "security_refresh_token_reuse_interval", .gotrue, .number(0...86_400, 10),
        "Grace period in seconds, 0 to 86400, in which a used refresh token returns the current one.")
    package static let refreshRotation = Setting(
        "security_refresh_token_rotation_enabled", .gotrue, .flag(true),
        "Ends the session when a used refresh token is sent after that period.")
    package static let refreshStrict = Setting(
        "security_refresh_token_strict", .none, .flag(false),
        "Also ends the session for the previous token, once that period is over and the current access "
            + "token has been used. Signs out clients that keep an old token, such as a tab that slept "
            + "([decision 4](decisions/0004-refresh-tokens.md)).")
    package static let sessionTimebox = Setting(
        "sessions_timebox", .gotrue, .duration(),
        "Maximum lifetime of a session. Default: unlimited.")
    package static let sessionInactivity = Setting(
        "sessions_inactivity_timeout", .gotrue, .durationOrZero("720h"),
        "Ends a session that is not refreshed for this time. `0`: never.")
    package static let freshSignIn = Setting(
        "security_fresh_sign_in", .none, .duration(),
        "How long after a sign-in or second factor users can make [sensitive "
            + "changes](#require-a-fresh-sign-in), such as `10m`. Default: as long as the session lasts.")
    package static let keysRequiredFrom = Setting(
        "session_keys_required_from", .none, .text(),
        "Date, such as `2027-01-31`, from which sign-in and refresh need a proof of the device's key "
            + "([sessions](sessions.md#tokens-bound-to-a-key)). Other clients, such as Supabase's, are refused. "
            + "Default: never.")

    // Limits.
    private static let rates = 0...1_000_000_000
    package static let limits = Setting(
        "limits", .none, .text("on"),
        "`off` disables all request limits. For tests.")
    package static let rateHeader = Setting(
        "rate_limit_header", .gotrue, .text(),
        "Header whose first address is the client's, trusted from any sender. Prefer `trusted_proxies`. "
            + "Not `Forwarded`.")
    package static let rateTokenRefresh = Setting(
        "rate_limit_token_refresh", .gotrue, .number(rates, 150),
        "Requests to `POST /token` per client address in 5 minutes.")
    package static let rateOTP = Setting(
        "rate_limit_otp", .gotrue, .number(rates, 30),
        "Requests to `POST /signup`, `PUT /user` and for emails, each per client address in 5 minutes.")
    package static let rateVerify = Setting(
        "rate_limit_verify", .gotrue, .number(rates, 30),
        "Requests to `/verify` per client address in 5 minutes.")
    package static let rateAuthorize = Setting(
        "rate_limit_authorize", .none, .number(rates, 60),
        "Requests to `GET /authorize` per client address in 5 minutes.")
    package static let rateAnonymous = Setting(
        "rate_limit_anonymous_users", .gotrue, .number(rates, 30),
        "Anonymous sign-ups per client address and hour.")
    package static let rateFailedSignIns = Setting(
        "rate_limit_failed_sign_ins", .none, .number(rates, 10),
        "Failed password sign-ins per hour, for each client address and each account; ten times as many "
            + "for an IPv6 /48 network. Devices that signed in with the account's current password have a "
            + "separate limit.")

    // The gateway.
    package static let appScheme = Setting(
        "app_scheme", .none, .text(),
        "The app's URL scheme. Enables `/api/v1/auth/callback`.")
    package static let profileSchema = Setting(
        "profile_schema", .none, .text(),
        "Path of a JSON Schema for [custom profile fields](own-fields.md).")
    package static let teamCatalogue = Setting(
        "team_catalogue", .none, .text(),
        "Path of a JSON file of teams. Enables `/v1/teams`, and restricts `favorite_teams` in profiles "
            + "to these teams.")
    package static let telemetry = Setting(
        "telemetry", .none, .flag(true),
        "Counts the [sign-in events](telemetry.md) that apps send to `/v1/events`.")
    package static let telemetryApps = Setting(
        "telemetry_apps", .none, .text(),
        "Comma-separated names of apps to count separately; all others are `other`.")
    package static let jwksURL = Setting(
        "jwks_url", .none, .text(),
        "For `serve --only gateway`: URL of the issuer's keys, `https://…/.well-known/jwks.json`.")
    package static let issuerSecretKey = Setting(
        "issuer_secret_key", .none, .secret,
        "For `serve --only gateway`: the issuer's secret API key, used to delete accounts.")

    // The log.
    package static let logLevel = Setting(
        "log_level", .none, .text("info"),
        "`trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`.")
    package static let logFormat = Setting(
        "log_format", .none, .text("json"),
        "`json` or `console`.")
}
