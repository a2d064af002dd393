public import Gatehouse

/// A failed sign-in's message and the action to offer.
public struct SignInMessage: Hashable, Sendable {
    /// The text for the user.
    public var content: ModelText
    /// The text in the user's language.
    public var localized: String { content.localized }
    /// The text in English.
    public var text: String { content.english }
    /// The action to offer.
    public var action: OfferedAction?
    /// The question for ``OfferedAction/link``, if any.
    public var question: AuthLinkQuestion?
    /// nil for a message that explains itself.
    var reported: ReportedFailure?

    init(_ content: ModelText, _ action: OfferedAction? = nil) {
        self.content = content
        self.action = action
    }
}

/// An action that a message offers.
public enum OfferedAction: Hashable, Sendable {
    /// Retry.
    case retry
    /// Choose another sign-in method.
    case otherMethod
    /// Open the link screen.
    case link
}

extension SignInMessage {
    /// Creates the message for a failed sign-in or link.
    ///
    /// ```swift
    /// do {
    ///     try await manager.signInWithGoogle(in: browser)
    /// } catch {
    ///     message = SignInMessage(.google, error)
    /// }
    /// ```
    ///
    /// - Parameter error: An ``AuthError``, or any error to convert to one.
    /// - Returns: nil after a cancellation; show nothing.
    public init?(_ method: AuthMethod, _ error: any Error) {
        let error = AuthError(error)
        switch error {
        case .freshSignInNeeded, .weakPassword, .emailDisabled, .codeWrong, .secondFactorNeeded, .notOffered,
            .passkeyFailed, .recoveryCodesLocked, .passkeyExists, .tooMany, .nameTaken, .otherFactorNeeded,
            .credentialSetAside, .alreadySignedIn, .phoneNotConfirmed, .phoneDisabled, .phoneInUse:
            self.init(error.content)
        case .textNotSent: self.init(error.content, .retry)
        case .passkeyRefused: self.init(error.content, .otherMethod)
        case .setup(let problem): self.init(setup: problem)
        case .emailInUse(let question):
            self.init(method, error.code)
            self.question = question
        default: self.init(method, error.code)
        }
        reported = ReportedFailure(error)
    }

    /// Creates the message about a wrong setup, for developers.
    public init(setup problem: SetupProblem) { self.init(ModelText("%@", problem.description)) }

    /// Creates the message about a store that does not answer.
    public init(store problem: StoreProblem) {
        switch problem.cause {
        case .locked: self.init("Your account can't be read while this device is locked. Please unlock it.")
        case .notPermitted:
            self.init("This app can't access the keychain, so you can't sign in. Contact the developer.")
        case .other: self.init("Your account can't be read at the moment. Please wait, or restart the app.")
        }
    }

    /// nil after a cancellation.
    package init?(_ method: AuthMethod, _ code: AuthError.Code) {
        guard code != .cancelled else { return nil }
        self =
            switch method {
            case .email: Self.email(code)
            case .phone: Self.phone(code)
            default: Self.provider(method, code)
            }
    }

    static let mailTooSoon = SignInMessage(
        "We just sent you an email. Please wait before requesting another.")

    static let textTooSoon = SignInMessage(
        "We just sent you a message. Please wait before requesting another.")

    package static let linkNeedsFactor = SignInMessage(
        "This account uses two-step verification. Sign in to it to link your accounts.")

    /// Where only an email address signs in.
    static let accountExists = SignInMessage("An account with this email already exists. Try signing in.", .otherMethod)

    static let startOverNeedsCode = SignInMessage(
        "To start over, cancel this, sign in with a code we email you, and try again within ten minutes.")

    /// Creates the message about a session that the server ended.
    public init?(_ reason: SignedOutReason) {
        guard case .endedByServer(let code, let cause) = reason else { return nil }
        self = cause.flatMap(Self.init(ended:)) ?? Self(ended: code)
        reported = .ended(code, because: cause)
    }

    private init(ended code: AuthErrorCode) {
        switch code {
        case .userBanned: self.init(Self.blocked)
        case .deviceKeyLost:
            self.init("This device's key is gone, for example after moving to a new phone. Sign in again.")
        default: self = Self.sessionExpired
        }
    }

    private init?(ended cause: SessionEndReason) {
        switch cause {
        case .passwordChanged: self.init("Your password was changed. Please sign in again.")
        case .signedOut: self.init("This device was signed out from another one. Please sign in again.")
        case .othersSignedOut, .signedOutEverywhere, .everybodySignedOut:
            self.init("All devices were signed out. Please sign in again.")
        case .notRecognized:
            self.init("This device was signed out because its sign-in was reported as unknown.")
        case .parentEnded:
            self.init("The device that set this up was signed out. Please sign in again.")
        case .signInMethodRemoved, .linkUndone:
            self.init("The way you signed in was removed from the account. Please sign in another way.")
        case .refreshTokenReused:
            self.init("For your safety you were signed out, because a copy of this session was in use.")
        case .inactivity:
            self.init("You were signed out because you hadn't used the app for a long time. Please sign in again.")
        case .secondFactorVerified:
            self.init("Two-step verification is now on. Please sign in again.")
        case .accountDeleted: self.init("This account was deleted.")
        case .banned: self.init(Self.blocked)
        default: return nil
        }
    }

    private static let sessionExpired = SignInMessage("Session expired. Please sign in again.")
    private static let rateLimited: ModelText = "Too many attempts. Please wait a moment and try again."
    private static let failed: ModelText = "Sign in failed. Please try again."
    private static let linkExpired: ModelText = "That took too long. Please sign in again."
    private static let otherAccount: ModelText =
        "That account has a different email. Please sign in to the account with this email."
    private static let noNewAccounts: ModelText = "New accounts can't be created here."
    private static let blocked: ModelText = "This account is blocked. Please contact the app's support."
    private static let storeFailed: ModelText =
        "We couldn't save your sign-in on this device. Please unlock the device and try again."

    private static func email(_ code: AuthError.Code) -> SignInMessage {
        switch code {
        case .userExists, .emailInUse:
            SignInMessage(
                "An account with this email already exists. Try signing in, or use Apple or Google.", .otherMethod)
        case .wrongCredentials: SignInMessage("Incorrect email or password. Please try again.")
        case .weakPassword: SignInMessage("Password must be at least 8 characters.")
        case .rateLimited: SignInMessage(rateLimited)
        case .noNetwork: SignInMessage("Unable to connect. Check your internet and try again.", .retry)
        case .serviceDown, .serverError: SignInMessage(AuthError.other, .retry)
        case .linkExpired: SignInMessage(linkExpired)
        case .linkOtherAccount: SignInMessage(otherAccount)
        case .emailNotConfirmed:
            SignInMessage("Please open the link in the email that we've sent you, or enter its code.")
        case .signUpDisabled: SignInMessage(noNewAccounts)
        case .blocked: SignInMessage(blocked)
        case .storeFailed: SignInMessage(storeFailed)
        case .codeWrong: SignInMessage(AuthError.codeWrong.content)
        case .credentialSetAside: SignInMessage(AuthError.credentialSetAside(nil).content)
        case .cancelled, .providerFailed, .noProviderEmail, .invalidCallback, .sessionExpired, .other:
            SignInMessage(AuthError.other)
        }
    }

    private static func phone(_ code: AuthError.Code) -> SignInMessage {
        switch code {
        case .userExists: SignInMessage("An account with this phone number already exists. Try signing in.")
        case .wrongCredentials: SignInMessage("Incorrect phone number or password. Please try again.")
        default: email(code)
        }
    }

    private static func provider(_ method: AuthMethod, _ code: AuthError.Code) -> SignInMessage {
        switch code {
        case .noNetwork: SignInMessage("No internet connection. Please try again.", .retry)
        case .serviceDown: SignInMessage("Sign in service unavailable. Please try again later.", .retry)
        case .serverError: SignInMessage("Service temporarily unavailable. Please try again later.", .retry)
        case .invalidCallback: SignInMessage(failed)
        case .linkExpired: SignInMessage(linkExpired)
        case .linkOtherAccount: SignInMessage(otherAccount)
        case .sessionExpired: sessionExpired
        case .userExists where method == .passkey: email(code)
        case .emailInUse, .userExists:
            SignInMessage("This email is already associated with another account.", .link)
        case .rateLimited: SignInMessage(rateLimited)
        case .noProviderEmail:
            SignInMessage(
                ModelText("%@ didn't share an email address. Please use another way to sign in.", method.name),
                .otherMethod)
        case .signUpDisabled: SignInMessage(noNewAccounts)
        case .blocked: SignInMessage(blocked)
        case .storeFailed: SignInMessage(storeFailed)
        case .cancelled, .providerFailed, .wrongCredentials, .weakPassword, .emailNotConfirmed, .codeWrong,
            .credentialSetAside, .other:
            method == .passkey
                ? SignInMessage(AuthError.passkeyFailed.content)
                : SignInMessage(ModelText("Sign in with %@ failed. Please try again.", method.name))
        }
    }
}
