public import Gatehouse

/// What a person is told after a failed sign-in, and what they are offered to do.
public struct SignInMessage: Hashable, Sendable {
    /// To the letter of the requirements (E6, E7).
    public var text: String
    /// Nil when there is nothing to offer but the screen itself.
    public var action: OfferedAction?
    /// With ``OfferedAction/link``, after a sign-in: what the screen that links asks. Nil when there is nothing to ask,
    /// as after a link that somebody who is signed in wanted.
    public var question: LinkQuestion?

    init(_ text: String, _ action: OfferedAction? = nil) {
        self.text = text
        self.action = action
    }
}

/// What a message offers.
public enum OfferedAction: Hashable, Sendable {
    /// The same once more.
    case retry
    /// Another way to sign in.
    case otherMethod
    /// The screen that links two ways to sign in.
    case link
}

extension SignInMessage {
    /// The one catalogue of sign-in messages.
    ///
    /// - Returns: nil when the person cancelled: nothing is shown.
    public init?(_ method: AuthMethod, _ error: any Error) {
        if (error as? AuthClientError)?.code == .freshSignInRequired {
            self.init(AuthError.freshSignInNeeded.message)
            return
        }
        self.init(method, SignInProblem(error))
        question = (error as? AuthClientError)?.linkQuestion
    }

    /// The message for a kind of failure; nil when the person cancelled.
    public init?(_ method: AuthMethod, _ problem: SignInProblem) {
        guard problem != .cancelled else { return nil }
        self = method == .email ? Self.email(problem) : Self.provider(method, problem)
    }

    /// What to tell about the end of a session that nobody asked for; nil for the other reasons.
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
