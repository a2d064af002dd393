import GatehouseWire

/// A setting. The raw value is its key in the YAML file. Its environment variable is `GATEHOUSE_` followed by the raw
/// value in capitals.
package enum Setting: String, CaseIterable, Sendable {
    // Addresses and public URLs.
    case listen, host, port
    case externalURL = "external_url"
    case siteURL = "site_url"
    case authPaths = "auth_paths"
    case metricsListen = "metrics_listen"
    case trustedProxies = "trusted_proxies"
    case proxyHeader = "proxy_header"
    case corsAllowedHeaders = "cors_allowed_headers"
    case requestDuration = "api_max_request_duration"

    // Database, and the secrets that only the configuration contains.
    case database
    case databaseConnections = "database_connections"
    case secrets
    case publishableKeys = "publishable_keys"
    case secretKeys = "secret_keys"
    case requireAPIKey = "require_api_key"

    // Access tokens.
    case jwtAlgorithm = "jwt_algorithm"
    case jwtSecret = "jwt_secret"
    case jwtKeyID = "jwt_key_id"
    case jwtKeys = "jwt_keys"
    case jwtLifetime = "jwt_exp"
    case jwtIssuer = "jwt_issuer"
    case jwtAudience = "jwt_aud"
    case jwtRole = "jwt_default_group_name"
    case jwtAdminRoles = "jwt_admin_roles"

    // Sign-up and sign-in.
    case disableSignUp = "disable_signup"
    case emailEnabled = "external_email_enabled"
    case anonymousEnabled = "external_anonymous_users_enabled"
    case autoConfirm = "mailer_autoconfirm"
    case passwordMinimumLength = "password_min_length"
    case passwordRequiredCharacters = "password_required_characters"
    case passwordRefuseCommon = "password_refuse_common"
    case passwordForbiddenWords = "password_forbidden_words"
    case requireCurrentPassword = "security_update_password_require_current_password"
    case passwordAnswerTime = "password_answer_time"
    case hashQueue = "hash_queue"
    case hashThreads = "hash_threads"

    // Sessions.
    case refreshReuseInterval = "security_refresh_token_reuse_interval"
    case refreshRotation = "security_refresh_token_rotation_enabled"
    case refreshStrict = "security_refresh_token_strict"
    case sessionTimebox = "sessions_timebox"
    case sessionInactivity = "sessions_inactivity_timeout"
    case freshSignIn = "security_fresh_sign_in"

    // Redirects, and sign-in through providers.
    case uriAllowList = "uri_allow_list"
    case redirectPatterns = "redirect_patterns"
    case implicitFlow = "external_implicit_flow_enabled"
    case plainProofKeys = "external_plain_pkce_enabled"
    case manualLinking = "security_manual_linking_enabled"
    case appleEnabled = "external_apple_enabled"
    case appleClientID = "external_apple_client_id"
    case iosBundleID = "external_ios_bundle_id"
    case appleKey = "external_apple_key"
    case appleKeyID = "external_apple_key_id"
    case appleTeamID = "external_apple_team_id"
    case appleSecret = "external_apple_secret"
    case appleRedirectURI = "external_apple_redirect_uri"
    case appleURL = "external_apple_url"
    case appleSkipNonceCheck = "external_apple_skip_nonce_check"
    case appleEmailOptional = "external_apple_email_optional"
    case appleLinking = "external_apple_linking"
    case googleEnabled = "external_google_enabled"
    case googleClientID = "external_google_client_id"
    case googleSecret = "external_google_secret"
    case googleRedirectURI = "external_google_redirect_uri"
    case googleURL = "external_google_url"
    case googleSkipNonceCheck = "external_google_skip_nonce_check"
    case googleEmailOptional = "external_google_email_optional"
    case googleLinking = "external_google_linking"
    case keycloakEnabled = "external_keycloak_enabled"
    case keycloakClientID = "external_keycloak_client_id"
    case keycloakSecret = "external_keycloak_secret"
    case keycloakRedirectURI = "external_keycloak_redirect_uri"
    case keycloakURL = "external_keycloak_url"
    case keycloakSkipNonceCheck = "external_keycloak_skip_nonce_check"
    case keycloakEmailOptional = "external_keycloak_email_optional"
    case keycloakLinking = "external_keycloak_linking"
    case openIDProviders = "openid_providers"
    case outgoingNetworks = "outgoing_networks"
    case outgoingLoopback = "outgoing_loopback"

    // Limits.
    case limits
    case rateHeader = "rate_limit_header"
    case rateTokenRefresh = "rate_limit_token_refresh"
    case rateOTP = "rate_limit_otp"
    case rateVerify = "rate_limit_verify"
    case rateAuthorize = "rate_limit_authorize"
    case rateAnonymous = "rate_limit_anonymous_users"
    case rateFailedSignIns = "rate_limit_failed_sign_ins"

    // The gateway.
    case appScheme = "app_scheme"
    case jwksURL = "jwks_url"
    case issuerSecretKey = "issuer_secret_key"

    // The log.
    case logLevel = "log_level"
    case logFormat = "log_format"
}

extension Setting {
    /// `GATEHOUSE_…`
    package var environmentName: String { "GATEHOUSE_" + rawValue.uppercased() }

    /// Equivalent variables of Supabase Auth. The first one that is set counts.
    package var foreignNames: [String] {
        switch self {
        case .externalURL: ["API_EXTERNAL_URL"]
        case .host: ["GOTRUE_API_HOST"]
        case .port: ["GOTRUE_API_PORT", "PORT"]
        case .database: ["GOTRUE_DB_DATABASE_URL", "DATABASE_URL"]
        case .databaseConnections: ["GOTRUE_DB_MAX_POOL_SIZE"]
        case .requestDuration, .siteURL, .corsAllowedHeaders, .jwtSecret, .jwtKeyID, .jwtKeys, .jwtLifetime, .jwtIssuer,
            .jwtAudience, .jwtRole, .jwtAdminRoles, .disableSignUp, .emailEnabled, .anonymousEnabled, .autoConfirm,
            .passwordMinimumLength, .passwordRequiredCharacters, .requireCurrentPassword, .refreshReuseInterval,
            .refreshRotation, .sessionTimebox, .sessionInactivity, .rateHeader, .rateTokenRefresh, .rateOTP,
            .rateVerify, .rateAnonymous, .uriAllowList, .manualLinking, .appleEnabled, .appleClientID, .iosBundleID,
            .appleSecret, .appleRedirectURI, .appleURL, .appleSkipNonceCheck, .appleEmailOptional, .googleEnabled,
            .googleClientID, .googleSecret, .googleRedirectURI, .googleURL, .googleSkipNonceCheck,
            .googleEmailOptional, .keycloakEnabled, .keycloakClientID, .keycloakSecret, .keycloakRedirectURI,
            .keycloakURL, .keycloakSkipNonceCheck, .keycloakEmailOptional:
            ["GOTRUE_" + rawValue.uppercased()]
        case .listen, .authPaths, .metricsListen, .trustedProxies, .proxyHeader, .secrets, .publishableKeys,
            .secretKeys, .requireAPIKey, .jwtAlgorithm, .passwordAnswerTime, .hashQueue, .hashThreads, .limits,
            .rateFailedSignIns,
            .appScheme, .jwksURL, .issuerSecretKey, .logLevel, .logFormat, .redirectPatterns, .implicitFlow,
            .plainProofKeys, .appleKey, .appleKeyID, .appleTeamID, .appleLinking, .googleLinking, .keycloakLinking,
            .openIDProviders, .outgoingNetworks, .outgoingLoopback, .rateAuthorize, .passwordRefuseCommon,
            .passwordForbiddenWords, .freshSignIn, .refreshStrict:
            []
        }
    }

    /// Whether the value is never printed and can come from a file, named by the setting with the suffix `_FILE`
    /// (`_file` in YAML).
    package var isSecret: Bool {
        switch self {
        case .secrets, .secretKeys, .jwtSecret, .jwtKeys, .issuerSecretKey, .appleKey, .appleSecret, .googleSecret,
            .keycloakSecret, .openIDProviders:
            true
        default: false
        }
    }

    /// Whether the value is not secret itself but may contain a password.
    var mayHoldPassword: Bool { self == .database }
}
