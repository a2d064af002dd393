import Foundation
package import Gatehouse

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
    /// What was to be linked is not known any more: sign in anew.
    case linkExpired = "link_expired"
    /// The account that was to be linked is another one.
    case linkOtherAccount = "link_other_account"
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
        case let error as WebAuthenticationError: self.init(error)
        case let error as AuthClientError: self.init(error)
        case let error as GatewayError: self.init(error)
        case AuthError.notAuthenticated: self = .sessionExpired
        // A provider's sheet that could not reach the provider throws one.
        case AuthError.offline, is URLError: self = .noNetwork
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

    private init(_ error: WebAuthenticationError) {
        self =
            switch error {
            case .cancelled: .cancelled
            case .timedOut, .invalidRedirect, .invalidCallback: .invalidCallback
            case .couldNotOpenBrowser, .couldNotListen: .providerFailed
            }
    }

    private init(_ error: AuthClientError) {
        self =
            switch error {
            case .offline(let cause): Self(cause)
            case .unexpectedAnswer: .serviceDown
            case .refused(let refusal):
                refusal.code.flatMap(Self.init(code:)) ?? refusal.redirectProblem ?? Self(status: refusal.status)
            case .signedOut: .sessionExpired
            case .unknownFlow: .invalidCallback
            case .insecureURL, .sessionChanged, .storeUnavailable, .storeFailed: .other
            }
    }

    private init(_ error: GatewayError) {
        self =
            switch error {
            case .offline(let cause): Self(cause)
            case .server(let status): Self(status: status)
            case .refused(let refusal): Self(status: refusal.status)
            case .unexpectedAnswer: .serviceDown
            case .notAuthenticated(.signedOut): .sessionExpired
            // A token that the auth server gave a moment ago: no new sign-in would help.
            case .notAuthenticated(.tokenRefused): .serverError
            case .noToken(let error): Self(error)
            case .insecureURL, .forbidden: .other
            }
    }

    private init(_ cause: OfflineCause) {
        self =
            switch cause {
            case .noAnswer: .noNetwork
            case .notUnderstood: .serviceDown
            case .status(let status): Self(status: status)
            }
    }

    private init?(code: AuthErrorCode) {
        switch code {
        case .userAlreadyExists: self = .userExists
        case .emailExists, .identityAlreadyExists, .identityNeedsConfirmation, .linkNotRecoverable:
            self = .emailInUse
        case .linkTicketNotFound, .linkTicketOutdated: self = .linkExpired
        case .linkTicketOtherAccount: self = .linkOtherAccount
        case .invalidCredentials: self = .wrongCredentials
        case .weakPassword: self = .weakPassword
        case .overRequestRateLimit, .overEmailSendRateLimit, .overSMSSendRateLimit: self = .rateLimited
        case .sessionExpired, .sessionNotFound, .refreshTokenNotFound, .refreshTokenAlreadyUsed:
            self = .sessionExpired
        case .badOAuthCallback, .badOAuthState, .oauthInvalidState, .badCodeVerifier, .flowStateNotFound,
            .flowStateExpired, .flowStateAlreadyUsed:
            self = .invalidCallback
        default:
            // What a browser that came back says when the person pressed "Cancel" (RFC 6749 §4.1.2.1), and Apple's own
            // word for it.
            guard ["access_denied", "user_cancelled_authorize"].contains(code.rawValue) else { return nil }
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

extension AuthRefusal {
    /// What a browser brought back that has no HTTP status: the server's own word, or RFC 6749's (§4.1.2.1).
    fileprivate var redirectProblem: SignInProblem? {
        guard status == 0 else { return nil }
        return switch code?.rawValue {
        case "temporarily_unavailable": .serviceDown
        case AuthErrorCode.unexpectedFailure.rawValue, "server_error": .serverError
        default: nil
        }
    }
}
