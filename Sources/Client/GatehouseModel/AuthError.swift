public import Foundation
public import Gatehouse

/// Why a call of ``AuthManager`` failed.
///
/// ```swift
/// do {
///     try await manager.signInWithEmail(email, password: password)
/// } catch .emailNotConfirmed {
///     showsMailHint = true
/// } catch {
///     message = SignInMessage(.email, error)
/// }
/// ```
///
/// ``SignInMessage`` has the texts, and ``SignInMessage/init(changing:)`` those of changes. New versions may add cases,
/// so a `switch` needs a `default`.
public enum AuthError: Error, Hashable, Sendable {
    // Any call.

    /// No session, or a rejected token: the user must sign in again.
    case notAuthenticated
    /// The user lacks permission.
    case forbidden
    /// The change requires a recent sign-in.
    case freshSignInNeeded
    /// The change requires the account's second factor.
    case secondFactorNeeded
    /// The server does not offer this.
    case notOffered
    /// No response from the server. The change may have taken effect.
    case offline(OfflineCause)
    /// The server failed, rejected the call for another reason, or sent an invalid response. The change may have taken
    /// effect.
    case networkError(AuthClientError)
    /// The account has no profile yet. Reload it later.
    case profileNotCreated
    /// The device's store does not answer, or did not keep the session. Sessions are unaffected; retry.
    case storeFailed(StoreProblem)
    /// Too many attempts; contains the waiting time.
    case rateLimited(retryAfter: Duration?)
    /// A parameter of the manager's initializer is wrong, so every call fails.
    case setup(SetupProblem)
    /// Another failure, such as an intervening sign-in; retry.
    case unknown(AuthClientError?)

    // Signing in and linking.

    /// The user closed a sheet, or the task was cancelled. Show nothing.
    case cancelled
    /// The provider or its sheet failed.
    case providerFailed
    /// The provider shares no address, which the server requires.
    case noProviderEmail
    /// The browser returned to another URL, or took too long.
    case invalidCallback
    /// The address belongs to another account. Answer a question with ``AuthManager/linking``.
    case emailInUse(AuthLinkQuestion?)
    /// A link question has expired; sign in again.
    case linkExpired
    /// The sign-in was to another account than the link question's.
    case linkOtherAccount
    /// The sign-up's address already has an account.
    case userExists
    /// The address or password is wrong.
    case wrongCredentials
    /// The server requires a stronger password.
    case weakPassword(AuthWeakPassword)
    /// The sign-up's address is not confirmed.
    case emailNotConfirmed
    /// The sign-up's telephone number is not confirmed.
    case phoneNotConfirmed
    /// The text message could not be sent.
    case textNotSent
    /// The server does not accept telephone numbers.
    case phoneDisabled
    /// The password is right, but set aside.
    ///
    /// Pass the emailed code to ``AuthManager/signIn(withCode:sentTo:password:)``, or with a ticket, for a passkey, to
    /// ``AuthManager/signIn(withCode:restoring:)``.
    case credentialSetAside(AuthSetAsideTicket?)
    /// The server accepts no new accounts.
    case signUpDisabled
    /// The account is blocked.
    case blocked
    /// A user is signed in. See ``AuthManager/switchAccount(_:)``.
    case alreadySignedIn
    /// The server does not know the passkey, or rejected its response.
    case passkeyRefused
    /// The authenticator failed.
    case passkeyFailed
    /// Too many wrong recovery codes; contains the waiting time.
    case recoveryCodesLocked(retryAfter: Duration?)

    // Changing the account.

    /// The new password is the current one.
    case samePassword
    /// The change requires the current password.
    case currentPasswordRequired
    /// The current password is wrong.
    case currentPasswordWrong
    /// The change requires the code from ``AuthManager/Credentials/sendCode()``.
    case codeRequired
    /// The emailed code is wrong, used, expired or locked.
    case codeWrong
    /// The telephone number belongs to another account.
    case phoneInUse
    /// The server has no email addresses, or sends no email.
    case emailDisabled
    /// The last sign-in method cannot be removed.
    case lastSignInMethod
    /// The link is too old to undo.
    case tooLateToUndo
    /// This device has a passkey of the account.
    case passkeyExists
    /// The account has the maximum of passkeys or factors, or this device of accounts.
    case tooMany
    /// Another factor has this name.
    case nameTaken
    /// Recovery codes require another second factor.
    case otherFactorNeeded
}

extension AuthError {
    /// The underlying failure, for logs.
    public var cause: AuthClientError? {
        switch self {
        case .networkError(let cause): cause
        case .unknown(let cause): cause
        case .offline(let cause): .offline(cause)
        case .storeFailed(let problem): .storeFailed(problem)
        default: nil
        }
    }

    /// The text outside of a sign-in. For sign-ins, use ``SignInMessage``.
    public var content: ModelText {
        switch self {
        case .notAuthenticated: "Please sign in to continue."
        case .forbidden: "You don't have permission to do that."
        case .freshSignInNeeded: "Please sign in again, then try again."
        case .offline: "You're offline. Some features may be unavailable."
        case .profileNotCreated: "Account created but profile setup failed. Please try again."
        case .setup(let problem): ModelText("%@", problem.description)
        case .samePassword: "Please choose a password that isn't the current one."
        case .currentPasswordRequired: "Please enter your current password."
        case .currentPasswordWrong: "The current password isn't correct."
        case .codeRequired: "Please enter the code from the email."
        case .codeWrong: "The code is wrong or has expired."
        case .emailDisabled: "Email isn't available here."
        case .phoneInUse: "This phone number is already associated with another account."
        case .phoneDisabled: "Phone numbers can't be used here."
        case .phoneNotConfirmed: "Your phone number isn't confirmed yet. Enter the code we texted you."
        case .textNotSent: "We couldn't send the message. Check the phone number and try again."
        case .lastSignInMethod: "This is the last way to sign in. Please add another one first."
        case .tooLateToUndo: "This can no longer be undone."
        case .weakPassword(let weak): weak.text
        case .secondFactorNeeded: "Please confirm that it's you, then try again."
        case .notOffered: "This isn't available here."
        case .passkeyRefused: "This passkey couldn't be used here. Please try again, or sign in another way."
        case .passkeyFailed: "The passkey didn't work. Please try again."
        case .recoveryCodesLocked: "Too many wrong codes. Please wait a while, or use another way."
        case .passkeyExists: "This device already has a passkey for your account."
        case .tooMany: "You've reached the limit. Remove one to add another."
        case .nameTaken: "You already use this name. Please choose another."
        case .alreadySignedIn: "You're already signed in. Sign out first to use another account."
        case .otherFactorNeeded: "Please add an authenticator app first."
        case .credentialSetAside(nil): "Enter the code we emailed you to keep using this password."
        case .credentialSetAside: "Enter the code we emailed you to keep using this passkey."
        case .rateLimited, .emailInUse, .linkExpired, .linkOtherAccount, .userExists, .wrongCredentials,
            .emailNotConfirmed, .signUpDisabled, .blocked:
            SignInMessage(.email, code)?.content ?? Self.other
        case .networkError, .storeFailed, .unknown, .cancelled, .providerFailed, .noProviderEmail, .invalidCallback:
            Self.other
        }
    }

    /// ``content`` in English, for logs.
    public var message: String { content.english }

    static let other: ModelText = "Something went wrong. Please try again."
}

extension AuthError: LocalizedError {
    /// ``content`` in the user's language; see ``ModelText/localized``.
    public var errorDescription: String? { content.localized }
}

extension AuthError {
    /// Classifies any error of an ``AuthService``, a provider's sheet or a browser.
    public init(_ error: any Error) {
        self =
            switch error {
            case let error as AuthError: error
            case let error as AuthClientError: Self(error)
            case is CancellationError: .cancelled
            // Provider sheets throw this without a connection.
            case let error as URLError: .offline(.noAnswer("\(URLError.errorDomain) \(error.errorCode)"))
            default: .unknown(nil)
            }
    }

    private init(_ error: AuthClientError) {
        self =
            switch error {
            case .signedOut: .notAuthenticated
            case .offline(.status): .networkError(error)
            case .offline(let cause): .offline(cause)
            case .refused(let refusal): Self(refusal)
            // A new sign-in would not help against a gateway that rejects a valid token.
            case .unexpectedAnswer, .refusesValidToken: .networkError(error)
            case .storeUnavailable(let problem), .storeFailed(let problem): .storeFailed(problem)
            case .cancelled, .noPasskey: .cancelled
            case .passkeyExists: .passkeyExists
            case .passkeyFailed: .passkeyFailed
            case .otherAccount: .linkOtherAccount
            case .tooManyAccounts: .tooMany
            case .unknownFlow, .timedOut, .invalidCallback: .invalidCallback
            case .couldNotOpenBrowser, .couldNotListen: .providerFailed
            case .insecureURL, .sessionChanged: .unknown(error)
            }
    }

    private init(_ refusal: AuthRefusal) {
        if let known = refusal.providerFailure ?? Self(codeOf: refusal) ?? Self(factorCodeOf: refusal) {
            self = known
            return
        }
        self =
            switch refusal.status {
            case 401 where refusal.isAboutSession: .notAuthenticated
            case 403: .forbidden
            case 429 where !refusal.isOfGateway: .rateLimited(retryAfter: refusal.retryAfter)
            default: .networkError(.refused(refusal))
            }
    }

    private init?(codeOf refusal: AuthRefusal) {
        guard let code = refusal.code else { return nil }
        switch code {
        case .userAlreadyExists: self = .userExists
        case .emailExists, .identityAlreadyExists, .identityNeedsConfirmation, .linkNotRecoverable:
            self = .emailInUse(refusal.linkQuestion)
        case .linkTicketNotFound, .linkTicketOutdated: self = .linkExpired
        case .linkTicketOtherAccount: self = .linkOtherAccount
        case .invalidCredentials: self = .wrongCredentials
        case .weakPassword: self = .weakPassword(refusal.weakPassword ?? AuthWeakPassword(reasons: []))
        case .emailNotConfirmed: self = .emailNotConfirmed
        case .phoneNotConfirmed: self = .phoneNotConfirmed
        case .phoneExists: self = .phoneInUse
        case .phoneProviderDisabled: self = .phoneDisabled
        case .smsSendFailed: self = .textNotSent
        case .signupDisabled, .otpDisabled: self = .signUpDisabled
        case .credentialSetAside: self = .credentialSetAside(refusal.setAsideTicket)
        case .userBanned: self = .blocked
        case .overRequestRateLimit, .overEmailSendRateLimit, .overSMSSendRateLimit:
            self = .rateLimited(retryAfter: refusal.retryAfter)
        case .sessionExpired, .sessionNotFound, .refreshTokenNotFound, .refreshTokenAlreadyUsed:
            self = .notAuthenticated
        case .badOAuthCallback, .badOAuthState, .oauthInvalidState, .badCodeVerifier, .flowStateNotFound,
            .flowStateExpired, .flowStateAlreadyUsed:
            self = .invalidCallback
        case .freshSignInRequired, AuthErrorCode(rawValue: "FRESH_SIGN_IN_REQUIRED"): self = .freshSignInNeeded
        case .samePassword: self = .samePassword
        case .currentPasswordRequired: self = .currentPasswordRequired
        case .currentPasswordInvalid: self = .currentPasswordWrong
        case .reauthenticationNeeded: self = .codeRequired
        case .reauthenticationNotValid, .otpExpired: self = .codeWrong
        case .emailProviderDisabled: self = .emailDisabled
        case .singleIdentityNotDeletable: self = .lastSignInMethod
        case .linkNotUndoable: self = .tooLateToUndo
        default:
            // After "Cancel": RFC 6749 §4.1.2.1, and Apple's.
            guard ["access_denied", "user_cancelled_authorize"].contains(code.rawValue) else { return nil }
            self = .cancelled
        }
    }
}

extension AuthRefusal {
    /// A new sign-in helps, rather than another API key.
    fileprivate var isAboutSession: Bool { code != nil && code != .noAPIKey && code != .invalidAPIKey }

    /// An ordinary failure: the gateway client waits itself.
    fileprivate var isOfGateway: Bool { code?.rawValue == "RATE_LIMITED" }

    /// Which Supabase Auth reports only by message.
    fileprivate var providerFailure: AuthError? {
        if message.hasPrefix("Error getting user email from external provider") { return .noProviderEmail }
        let verdicts = ["The identity from the provider could not be verified", "Unable to exchange external code"]
        return verdicts.contains(where: message.hasPrefix) ? .providerFailed : nil
    }
}
