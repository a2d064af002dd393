import Gatehouse

/// A failure that belongs to the sign-in itself, not to the server's answer.
public enum SignInFailure: Error, Hashable, Sendable {
    /// The person closed the provider's sheet.
    case cancelled
    /// The provider's sheet failed.
    case providerFailed
    /// The browser came back to another address than the one it was given, or took too long.
    case invalidCallback
    /// The account is there and its profile is not; nobody is signed in.
    case profileNotCreated
}

/// The kind of a failed sign-in: what decides the message, the offered action, and what telemetry hears.
public enum SignInProblem: String, Hashable, Sendable, CaseIterable {
    case cancelled
    case noNetwork = "no_network"
    case providerFailed = "provider_failed"
    /// The auth service is not there: 502, 503, 504, or somebody else's page in its place.
    case serviceDown = "service_down"
    /// The auth service is there and failed: any other 5xx.
    case serverError = "server_error"
    case profileNotCreated = "profile_not_created"
    case invalidCallback = "invalid_callback"
    case sessionExpired = "session_expired"
    case emailInUse = "email_in_use"
    case userExists = "user_exists"
    case wrongCredentials = "wrong_credentials"
    case weakPassword = "weak_password"
    case rateLimited = "rate_limited"
    case other
}

extension SignInProblem {
    /// The kind of any error of a sign-in.
    public init(_ error: any Error) {
        switch error {
        case is CancellationError: self = .cancelled
        case let failure as SignInFailure: self.init(failure)
        case let error as AuthClientError: self.init(error)
        default: self = .other
        }
    }

    private init(_ failure: SignInFailure) {
        self =
            switch failure {
            case .cancelled: .cancelled
            case .providerFailed: .providerFailed
            case .invalidCallback: .invalidCallback
            case .profileNotCreated: .profileNotCreated
            }
    }

    private init(_ error: AuthClientError) {
        self =
            switch error {
            case .offline(.noAnswer): .noNetwork
            case .offline(.notUnderstood), .unexpectedAnswer: .serviceDown
            case .offline(.status(let status)): Self(status: status)
            case .refused(let refusal): refusal.code.flatMap(Self.init(code:)) ?? Self(status: refusal.status)
            case .signedOut: .sessionExpired
            case .unknownFlow: .invalidCallback
            case .insecureURL, .sessionChanged, .storeUnavailable, .storeFailed: .other
            }
    }

    private init?(code: AuthErrorCode) {
        switch code {
        case .userAlreadyExists: self = .userExists
        case .emailExists, .identityAlreadyExists: self = .emailInUse
        case .invalidCredentials: self = .wrongCredentials
        case .weakPassword: self = .weakPassword
        case .overRequestRateLimit, .overEmailSendRateLimit, .overSMSSendRateLimit: self = .rateLimited
        case .sessionExpired, .sessionNotFound, .refreshTokenNotFound, .refreshTokenAlreadyUsed:
            self = .sessionExpired
        case .badOAuthCallback, .badOAuthState, .oauthInvalidState, .badCodeVerifier, .flowStateNotFound,
            .flowStateExpired, .flowStateAlreadyUsed:
            self = .invalidCallback
        default:
            // What a browser that came back says when the person pressed "Cancel" (RFC 6749 §4.1.2.1).
            guard code.rawValue == "access_denied" else { return nil }
            self = .cancelled
        }
    }

    private init(status: Int) {
        switch status {
        case 429: self = .rateLimited
        case 502, 503, 504: self = .serviceDown
        case 500...: self = .serverError
        default: self = .other
        }
    }
}
