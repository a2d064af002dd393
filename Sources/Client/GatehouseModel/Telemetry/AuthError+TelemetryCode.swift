import Gatehouse

extension AuthError {
    /// A label for telemetry: the kind of a failed sign-in, without its values.
    public enum Code: String, Hashable, Sendable, CaseIterable {
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
        /// The answer to a link question came too late.
        case linkExpired = "link_expired"
        /// The user signed in to a different account than the one in question.
        case linkOtherAccount = "link_other_account"
        /// The address already has an account.
        case userExists = "user_exists"
        /// The address or the password is wrong.
        case wrongCredentials = "wrong_credentials"
        /// The server requires a stronger password.
        case weakPassword = "weak_password"
        /// The confirmation mail of the sign-up is not opened yet.
        case emailNotConfirmed = "email_not_confirmed"
        /// The password or passkey is right, but set aside.
        case credentialSetAside = "credential_set_aside"
        /// The server accepts no new accounts.
        case signUpDisabled = "sign_up_disabled"
        /// The account is blocked.
        case blocked
        /// The provider shares no address, and the server requires one.
        case noProviderEmail = "no_provider_email"
        /// The device's store did not keep the session.
        case storeFailed = "store_failed"
        /// The code of a mail is wrong or too old.
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
            .alreadySignedIn:
            .other
        case .passkeyRefused: .wrongCredentials
        case .passkeyFailed: .providerFailed
        case .recoveryCodesLocked: .rateLimited
        }
    }
}

extension AuthError.Code {
    /// Distinguishes failures of the server and the connection.
    fileprivate init(_ cause: AuthClientError) {
        switch cause {
        case .offline(.noConnection), .offline(.noAnswer): self = .noNetwork
        case .offline(.notUnderstood), .unexpectedAnswer: self = .serviceDown
        case .offline(.status(let status)): self.init(status: status)
        // The auth server has just confirmed the token, so a new sign-in would not help.
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

    /// An error in a redirect URL, which has no HTTP status: the server's code or RFC 6749's (§4.1.2.1).
    private init(redirect code: AuthErrorCode?) {
        switch code?.rawValue {
        case "temporarily_unavailable": self = .serviceDown
        case AuthErrorCode.unexpectedFailure.rawValue, "server_error": self = .serverError
        default: self = .other
        }
    }
}
