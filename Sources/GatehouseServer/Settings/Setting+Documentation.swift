import GatehouseWire

extension Setting {
    /// The default value as text; nil without one.
    package var defaultText: String? {
        switch self {
        case .host: "127.0.0.1"
        case .port: "9999"
        case .authPaths: "/auth/v1"
        case .proxyHeader: "X-Forwarded-For"
        case .requestDuration: "10s"
        case .requireAPIKey, .disableSignUp, .anonymousEnabled, .autoConfirm, .requireCurrentPassword,
            .redirectPatterns, .refreshStrict, .implicitFlow, .plainProofKeys, .appleEnabled, .appleSkipNonceCheck,
            .googleEnabled,
            .googleSkipNonceCheck, .googleEmailOptional, .keycloakEnabled, .keycloakSkipNonceCheck,
            .keycloakEmailOptional, .outgoingLoopback:
            "false"
        case .jwtLifetime: "3600"
        case .jwtAudience, .jwtRole: "authenticated"
        case .jwtAdminRoles: "service_role,supabase_admin"
        case .emailEnabled, .passwordRefuseCommon, .refreshRotation, .manualLinking, .appleEmailOptional: "true"
        case .appleLinking, .googleLinking, .keycloakLinking: "automatic"
        case .passwordMinimumLength: "8"
        case .passwordAnswerTime: "250ms"
        case .hashQueue: "64"
        case .databaseConnections: "8"
        case .refreshReuseInterval: "10"
        case .sessionInactivity: "720h"
        case .limits: "on"
        case .rateTokenRefresh: "150"
        case .rateOTP, .rateVerify, .rateAnonymous: "30"
        case .rateAuthorize: "60"
        case .rateFailedSignIns: "10"
        case .logLevel: "info"
        case .logFormat: "json"
        default: nil
        }
    }

    /// A one-line description in Markdown.
    package var summary: String {
        switch self {
        case .listen, .host, .port, .externalURL, .siteURL, .authPaths, .metricsListen, .trustedProxies, .proxyHeader,
            .corsAllowedHeaders, .requestDuration:
            addressSummary
        case .jwtAlgorithm, .jwtSecret, .jwtKeyID, .jwtKeys, .jwtLifetime, .jwtIssuer, .jwtAudience, .jwtRole,
            .jwtAdminRoles:
            tokenSummary
        case .limits, .rateHeader, .rateTokenRefresh, .rateOTP, .rateVerify, .rateAuthorize, .rateAnonymous,
            .rateFailedSignIns:
            limitSummary
        case .refreshReuseInterval, .refreshRotation, .sessionTimebox, .sessionInactivity, .freshSignIn, .refreshStrict:
            sessionSummary
        default: providerSummary ?? generalSummary
        }
    }

    private var addressSummary: String {
        switch self {
        case .listen: "`host:port` to listen on; counts before `host` and `port`. `:9999` means every interface."
        case .host: "Address to listen on. Loopback unless you say otherwise: a proxy with TLS belongs in front."
        case .port: "TCP port, 1 to 65535."
        case .externalURL:
            "Required. Where clients reach the auth API, with its path: `https://api.example.org/auth/v1`."
        case .siteURL:
            "Where browsers go back to unless the app names an allowed address: `https://app.example.org`, or "
                + "`boxscore://signed-in`. Without a value: the beginning of `external_url`."
        case .authPaths: "Comma-separated paths of the auth API; `/` is allowed too."
        case .metricsListen:
            "`host:port` for `/metrics` alone. Without it `serve` has no `/metrics`: a proxy on the same machine would "
                + "make it public."
        case .trustedProxies: "Comma-separated networks (`10.0.0.0/8`) whose proxy header is believed."
        case .proxyHeader:
            "The header in which those proxies name the caller; given without them it is refused, "
                + "and so is `Forwarded` (RFC 7239), which is not read."
        case .corsAllowedHeaders: "Request headers that browsers may send besides the usual ones, comma-separated."
        default:
            "A request that takes longer is answered with 504, and none waits longer for the database. A Go duration: "
                + "`10s`."
        }
    }

    private var tokenSummary: String {
        switch self {
        case .jwtAlgorithm:
            "`ES256`: keys of the database, rotated by `gatehouse keys rotate`. `HS256`: signed with `jwt_secret`. "
                + "Without a value: the key of `jwt_keys` if there are any, else `HS256` if there is a `jwt_secret`, "
                + "else `ES256`."
        case .jwtSecret: "The shared secret of HS256 tokens, `anon` and `service_role` keys included; 32 bytes or more."
        case .jwtKeyID: "The `kid` of the shared secret."
        case .jwtKeys: "A JSON array of private JWKs, each with a `kid`, exactly one with `\"key_ops\":[\"sign\",…]`."
        case .jwtLifetime: "Seconds that an access token is good for, 1 to 604800."
        case .jwtIssuer: "`iss` of access tokens. Without a value: `external_url`."
        case .jwtAudience: "`aud` of new accounts."
        case .jwtRole: "`role` of new accounts."
        default: "Comma-separated roles whose tokens may use the admin API."
        }
    }

    private var limitSummary: String {
        switch self {
        case .limits: "`off` lifts every request limit: for tests."
        case .rateHeader:
            "The header whose first address is the caller, trusted from every sender. Only for a server that is reachable "
                + "solely through a proxy that sets it; `trusted_proxies` is safer. Not `Forwarded`."
        case .rateTokenRefresh: "`POST /token`: requests of one address in 5 minutes."
        case .rateOTP: "`POST /signup` and `PUT /user`: requests of one address in 5 minutes."
        case .rateVerify: "Accepted for later: nothing in this build is verified by mail."
        case .rateAuthorize: "`GET /authorize`: requests of one address in 5 minutes."
        case .rateAnonymous: "Anonymous sign-ups of one address in an hour."
        default:
            "Failed password sign-ins in an hour, of one address and, apart from that, of one account. Devices that have "
                + "signed in to an account with its present password are counted by themselves; an IPv6 network of 48 bits gets ten times as many."
        }
    }

    private var sessionSummary: String {
        switch self {
        case .refreshReuseInterval: "Seconds in which a used refresh token still gets the current one."
        case .refreshRotation: "Whether a used refresh token that comes later ends the session."
        case .refreshStrict:
            "Whether the token before the current one, too, ends the session when it comes later than that interval and the "
                + "current one's access token has been used: see [decision 4](decisions/0004-refresh-tokens.md). It signs "
                + "out clients that keep an old token, such as a tab that slept."
        case .sessionTimebox: "The longest a session lasts, a Go duration. Without a value: no limit."
        case .sessionInactivity: "A session that is not refreshed for so long ends. `0` means no limit."
        default:
            "How long after a sign-in a person may change address and password, add or remove a sign-in method, change "
                + "something through the admin API and delete the account; later, address and password need the current "
                + "password, and everything else a new sign-in. A Go duration such as `10m`. Without a value: as long as "
                + "the session lasts."
        }
    }

    private var generalSummary: String {
        switch self {
        case .database:
            "Required. Path of the SQLite file (`sqlite:PATH` is the same), or `postgres://user@host/database` with "
                + "libpq's parameters; without `sslmode` a server elsewhere has to prove who it is."
        case .databaseConnections: "Connections to PostgreSQL for transactions, 1 to 1000; reads have one more."
        case .secrets:
            "Required. Server secrets, newest first: `2:BASE64,1:BASE64`, each of 32 bytes or more with a number from "
                + "0 to 255. They seal the signing keys and make the refresh tokens. `openssl rand -base64 32` makes one."
        case .publishableKeys: "Comma-separated `sb_publishable_…` keys that apps may send."
        case .secretKeys: "Comma-separated `sb_secret_…` keys with the rights of `service_role`."
        case .requireAPIKey: "Whether a request without a known key is refused."
        case .disableSignUp: "Whether nobody but an administrator makes accounts."
        case .emailEnabled: "Whether people sign up and in by e-mail address."
        case .anonymousEnabled: "Whether anybody gets an anonymous account."
        case .autoConfirm: "Whether an address counts as confirmed without a mail. This build sends no mail."
        case .passwordMinimumLength: "Characters, 6 to 72."
        case .passwordRequiredCharacters: "Sets of characters with colons between them; one of each has to occur."
        case .passwordRefuseCommon: "Whether the most common passwords are refused (`weak_password`, reason `pwned`)."
        case .passwordForbiddenWords:
            "Comma-separated words that a password may not consist of, such as the app's name; digits and signs around one "
                + "do not help. `app_scheme`, the names in `site_url` and `external_url`, and each account's own address "
                + "count without being named."
        case .requireCurrentPassword: "Whether a new password needs the current one."
        case .passwordAnswerTime:
            "Sign-ins with a password are answered after a multiple of this, a Go duration up to `5s`, so that their time "
                + "tells nothing about an account. `0` answers at once."
        case .hashQueue:
            "Sign-ins that may wait for each hashing thread before the next gets 429, 1 to 10000. Addresses take turns; "
                + "when all places are taken, the address with the most gives one up."
        case .hashThreads:
            "Threads that hash passwords, 1 to 1000; each keeps 19 MiB, and up to 64 MiB while it checks an imported "
                + "hash, which a container's limit has to have room for. Without a value: as many as the machine has cores."
        case .appScheme: "The URL scheme of the app, for `/api/v1/auth/callback`. Without a value the route is closed."
        case .jwksURL: "`serve --only gateway`: where the issuer's keys are, `https://…/.well-known/jwks.json`."
        case .issuerSecretKey: "`serve --only gateway`: the issuer's secret key, to delete accounts with."
        case .logLevel: "`trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`."
        default: "`json` or `console`."
        }
    }
}
