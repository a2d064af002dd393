import Gatehouse

extension AuthError {
    /// A failed sign-in's telemetry label.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The user cancelled.
        case cancelled
        /// No connection.
        case noNetwork = "no_network"
        /// The provider failed.
        case providerFailed = "provider_failed"
        /// The auth service is unreachable: 502, 503, 504, or another server's page.
        case serviceDown = "service_down"
        /// Any other 5xx.
        case serverError = "server_error"
        /// An invalid callback URL.
        case invalidCallback = "invalid_callback"
        /// The session has ended.
        case sessionExpired = "session_expired"
        /// Another account has the address.
        case emailInUse = "email_in_use"
        /// The link question expired.
        case linkExpired = "link_expired"
        /// A sign-in to another account than the link question's.
        case linkOtherAccount = "link_other_account"
        /// The address already has an account.
        case userExists = "user_exists"
        /// A wrong address or password.
        case wrongCredentials = "wrong_credentials"
        /// The password is too weak.
        case weakPassword = "weak_password"
        /// The address is not confirmed.
        case emailNotConfirmed = "email_not_confirmed"
        /// The password or passkey is set aside.
        case credentialSetAside = "credential_set_aside"
        /// No new accounts are accepted.
        case signUpDisabled = "sign_up_disabled"
        /// The account is blocked.
        case blocked
        /// The provider shares no address.
        case noProviderEmail = "no_provider_email"
        /// The store did not keep the session.
        case storeFailed = "store_failed"
        /// The emailed code is wrong or expired.
        case codeWrong = "code_wrong"
        /// Too many attempts.
        case rateLimited = "rate_limited"
        /// Any other failure.
        case other
    }

    /// The label for telemetry.
    public var code: Code {
        switch self {
        case .cancelled: .cancelled
        case .notAuthenticated: .sessionExpired
        case .offline(let cause): Code(.offline(cause))
        case .networkError(let cause): Code(cause)
        case .storeFailed: .storeFailed
        case .rateLimited: .rateLimited
        case .providerFailed: .providerFailed
        case .noProviderEmail: .noProviderEmail
        case .invalidCallback: .invalidCallback
        case .emailInUse: .emailInUse
        case .linkExpired: .linkExpired
        case .linkOtherAccount: .linkOtherAccount
        case .userExists: .userExists
        case .wrongCredentials: .wrongCredentials
        case .weakPassword: .weakPassword
        case .emailNotConfirmed: .emailNotConfirmed
        case .credentialSetAside: .credentialSetAside
        case .signUpDisabled: .signUpDisabled
        case .blocked: .blocked
        case .codeWrong: .codeWrong
        case .forbidden, .freshSignInNeeded, .profileNotCreated, .setup, .unknown, .samePassword,
            .currentPasswordRequired, .currentPasswordWrong, .codeRequired, .emailDisabled, .lastSignInMethod,
            .tooLateToUndo, .secondFactorNeeded, .notOffered, .passkeyExists, .tooMany, .nameTaken, .otherFactorNeeded,
            .alreadySignedIn, .phoneNotConfirmed, .textNotSent, .phoneDisabled, .phoneInUse:
            .other
        case .passkeyRefused: .wrongCredentials
        case .passkeyFailed: .providerFailed
        case .recoveryCodesLocked: .rateLimited
        }
    }
}

extension AuthError.Code {
    fileprivate init(_ cause: AuthClientError) {
        switch cause {
        case .offline(.noConnection), .offline(.noAnswer): self = .noNetwork
        case .offline(.notUnderstood), .unexpectedAnswer: self = .serviceDown
        case .offline(.status(let status)): self.init(status: status)
        // A new sign-in would not help: the auth server has just accepted the token.
        case .refusesValidToken: self = .serverError
        case .refused(let refusal) where refusal.status == 0: self.init(redirect: refusal.code)
        case .refused(let refusal): self.init(status: refusal.status)
        default: self = .other
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

    /// Without an HTTP status: the server's code or RFC 6749's (§4.1.2.1).
    private init(redirect code: AuthErrorCode?) {
        switch code?.rawValue {
        case "temporarily_unavailable": self = .serviceDown
        case AuthErrorCode.unexpectedFailure.rawValue, "server_error": self = .serverError
        default: self = .other
        }
    }
}
