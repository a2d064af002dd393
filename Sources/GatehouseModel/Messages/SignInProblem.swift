import Foundation
package import Gatehouse

/// A failure of the sign-in itself, rather than one that the server reported.
public enum SignInFailure: Error, Hashable, Sendable {
    /// The user closed the provider's sheet.
    case cancelled
    /// The provider's sheet failed.
    case providerFailed
    /// The browser returned with a URL other than the redirect URL, or took too long.
    case invalidCallback
}

/// The kind of a failed sign-in. Determines the message, the offered action, and the telemetry label.
public enum SignInProblem: String, Hashable, Sendable, CaseIterable {
    /// The user closed the provider's sheet.
    case cancelled
    /// There is no connection.
    case noNetwork = "no_network"
    /// The provider failed.
    case providerFailed = "provider_failed"
    /// The auth service is unreachable: 502, 503, 504, or another server's page in its place.
    case serviceDown = "service_down"
    /// The auth service failed: any other 5xx.
    case serverError = "server_error"
    /// The browser returned with an invalid URL.
    case invalidCallback = "invalid_callback"
    /// The session has ended.
    case sessionExpired = "session_expired"
    /// The address belongs to another account.
    case emailInUse = "email_in_use"
    /// The link ticket is no longer valid: sign in again.
    case linkExpired = "link_expired"
    /// The user signed in to a different account than the ticket's.
    case linkOtherAccount = "link_other_account"
    /// The address already has an account.
    case userExists = "user_exists"
    /// The address or the password is wrong.
    case wrongCredentials = "wrong_credentials"
    /// The server requires a stronger password.
    case weakPassword = "weak_password"
    /// The confirmation mail of the sign-up is not opened yet.
    case emailNotConfirmed = "email_not_confirmed"
    /// The server accepts no new accounts.
    case signUpDisabled = "sign_up_disabled"
    /// The account is blocked.
    case blocked
    /// The provider shares no address, and the server requires one.
    case noProviderEmail = "no_provider_email"
    /// The device's store did not keep the session.
    case storeFailed = "store_failed"
    /// Too many attempts.
    case rateLimited = "rate_limited"
    /// Any other failure.
    case other
}

extension SignInProblem {
    /// Classifies any error of a sign-in.
    public init(_ error: any Error) {
        switch error {
        case is CancellationError: self = .cancelled
        case let failure as SignInFailure: self.init(failure)
        case let error as WebAuthenticationError: self.init(error)
        case let error as AuthClientError: self.init(error)
        case let error as GatewayError: self.init(error)
        case AuthError.notAuthenticated: self = .sessionExpired
        // Provider sheets throw this without a connection.
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
                refusal.providerProblem ?? refusal.code.flatMap(Self.init(code:)) ?? refusal.redirectProblem
                    ?? Self(status: refusal.status)
            case .signedOut: .sessionExpired
            case .unknownFlow: .invalidCallback
            case .storeUnavailable, .storeFailed: .storeFailed
            case .insecureURL, .sessionChanged: .other
            }
    }

    private init(_ error: GatewayError) {
        self =
            switch error {
            case .offline(let cause): Self(cause)
            case .server(let status): Self(status: status)
            case .refused(let refusal): Self(status: refusal.status)
            case .unexpectedAnswer: .serviceDown
            case .notAuthenticated: .sessionExpired
            // The auth server has just confirmed the token, so a new sign-in would not help.
            case .refusesValidToken: .serverError
            case .noToken(let error): Self(error)
            case .insecureURL, .forbidden: .other
            }
    }

    private init(_ cause: OfflineCause) {
        self =
            switch cause {
            case .noConnection, .noAnswer: .noNetwork
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
        case .emailNotConfirmed: self = .emailNotConfirmed
        case .signupDisabled: self = .signUpDisabled
        case .userBanned: self = .blocked
        case .overRequestRateLimit, .overEmailSendRateLimit, .overSMSSendRateLimit: self = .rateLimited
        case .sessionExpired, .sessionNotFound, .refreshTokenNotFound, .refreshTokenAlreadyUsed:
            self = .sessionExpired
        case .badOAuthCallback, .badOAuthState, .oauthInvalidState, .badCodeVerifier, .flowStateNotFound,
            .flowStateExpired, .flowStateAlreadyUsed:
            self = .invalidCallback
        default:
            // What the browser returns after "Cancel" (RFC 6749 §4.1.2.1), and Apple's own code for it.
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
    /// Lasting failures of a provider, for which the servers have no code of their own: Supabase Auth's messages.
    fileprivate var providerProblem: SignInProblem? {
        if message.hasPrefix("Error getting user email from external provider") { return .noProviderEmail }
        let verdicts = ["The identity from the provider could not be verified", "Unable to exchange external code"]
        return verdicts.contains(where: message.hasPrefix) ? .providerFailed : nil
    }

    /// Classifies an error from a redirect URL, which has no HTTP status, by the server's code or RFC 6749's
    /// (§4.1.2.1).
    fileprivate var redirectProblem: SignInProblem? {
        guard status == 0 else { return nil }
        return switch code?.rawValue {
        case "temporarily_unavailable": .serviceDown
        case AuthErrorCode.unexpectedFailure.rawValue, "server_error": .serverError
        default: nil
        }
    }
}
