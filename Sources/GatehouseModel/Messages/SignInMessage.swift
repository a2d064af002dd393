public import Gatehouse

/// A message about a failed sign-in, and the action to offer.
public struct SignInMessage: Hashable, Sendable {
    /// The text. Tests check its exact wording.
    public var text: String
    /// The action to offer; nil if there is none other than the screen's own.
    public var action: OfferedAction?
    /// With ``OfferedAction/link``, after a sign-in: the question for the screen that links. nil if there is no
    /// question, for example after a link that a signed-in user requested.
    public var question: LinkQuestion?

    init(_ text: String, _ action: OfferedAction? = nil) {
        self.text = text
        self.action = action
    }
}

/// An action that a message offers.
public enum OfferedAction: Hashable, Sendable {
    /// Try again.
    case retry
    /// Choose another sign-in method.
    case otherMethod
    /// Open the screen that links two sign-in methods.
    case link
}

extension SignInMessage {
    /// The message for any error of a sign-in or link.
    ///
    /// ```swift
    /// do {
    ///     try await manager.signInWithGoogle(in: browser)
    /// } catch {
    ///     message = SignInMessage(.google, error)
    /// }
    /// ```
    ///
    /// - Returns: nil if the user cancelled; show nothing.
    public init?(_ method: AuthMethod, _ error: any Error) {
        if (error as? AuthClientError)?.code == .freshSignInRequired {
            self.init(AuthError.freshSignInNeeded.message)
            return
        }
        self.init(method, SignInProblem(error))
        question = (error as? AuthClientError)?.linkQuestion
    }

    /// The message for a kind of failure; nil if the user cancelled.
    public init?(_ method: AuthMethod, _ problem: SignInProblem) {
        guard problem != .cancelled else { return nil }
        self = method == .email ? Self.email(problem) : Self.provider(method, problem)
    }

    /// The message about a session that the server ended; nil for other reasons.
    public init?(_ reason: SignedOutReason) {
        guard case .endedByServer = reason else { return nil }
        self = Self.sessionExpired
    }

    private static let sessionExpired = SignInMessage("Session expired. Please sign in again.")
    private static let rateLimited = "Too many attempts. Please wait a moment and try again."
    private static let failed = "Sign in failed. Please try again."
    private static let linkExpired = "That took too long. Please sign in again."
    private static let otherAccount = "That account has another email. Please sign in to the one with this email."
    private static let other = "Something went wrong. Please try again."

    private static func email(_ problem: SignInProblem) -> SignInMessage {
        switch problem {
        case .userExists, .emailInUse:
            SignInMessage(
                "An account with this email already exists. Try signing in, or use Apple or Google.", .otherMethod)
        case .wrongCredentials: SignInMessage("Incorrect email or password. Please try again.")
        case .weakPassword: SignInMessage("Password must be at least 8 characters.")
        case .rateLimited: SignInMessage(rateLimited)
        case .noNetwork: SignInMessage("Unable to connect. Check your internet and try again.", .retry)
        case .serviceDown, .serverError: SignInMessage(other, .retry)
        case .profileNotCreated: profileNotCreated
        case .linkExpired: SignInMessage(linkExpired)
        case .linkOtherAccount: SignInMessage(otherAccount)
        case .cancelled, .providerFailed, .invalidCallback, .sessionExpired, .other: SignInMessage(other)
        }
    }

    private static func provider(_ method: AuthMethod, _ problem: SignInProblem) -> SignInMessage {
        switch problem {
        case .noNetwork: SignInMessage("No internet connection. Please try again.", .retry)
        case .serviceDown: SignInMessage("Sign in service unavailable. Please try again later.", .retry)
        case .serverError: SignInMessage("Service temporarily unavailable. Please try again later.", .retry)
        case .profileNotCreated: profileNotCreated
        case .invalidCallback: SignInMessage(failed)
        case .linkExpired: SignInMessage(linkExpired)
        case .linkOtherAccount: SignInMessage(otherAccount)
        case .sessionExpired: sessionExpired
        case .emailInUse, .userExists:
            SignInMessage("This email is already associated with another account.", .link)
        case .rateLimited: SignInMessage(rateLimited)
        case .cancelled, .providerFailed, .wrongCredentials, .weakPassword, .other:
            SignInMessage("Sign in with \(method == .apple ? "Apple" : "Google") failed. Please try again.")
        }
    }

    private static let profileNotCreated = SignInMessage(
        "Account created but profile setup failed. Please try again.", .retry)
}
