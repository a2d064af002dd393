/// Why a call failed. Two are equal when every member is.
public enum AuthClientError: Error, Hashable, Sendable {
    /// Plain http to another machine would show every token to the network. Only loopback may use it.
    case insecureURL
    /// There is no session, and why. What the caller wanted needs one.
    case signedOut(SignedOutReason)
    /// Somebody else signed in, or the same person anew, while the call waited. Nothing was done for the new one.
    case sessionChanged
    /// The server could not be reached, or could not answer. The session is kept; try again later.
    case offline(OfflineCause)
    /// The server refused. The session is kept unless the code says that it ended.
    case refused(AuthRefusal)
    /// The server answered something else than the contract says. Nothing was changed here.
    case unexpectedAnswer(String)
    /// The store does not answer now, as on a locked phone. Nothing was written; who is signed in is unknown or
    /// unchanged; try again when it answers.
    case storeUnavailable(String)
    /// The store could not keep what it was given. The session that was there before stays in use.
    case storeFailed(String)
    /// The redirect carries no code, or one that this device did not ask for.
    case unknownFlow
}

extension AuthClientError {
    /// The server's word for its refusal, if it was one.
    public var code: AuthErrorCode? {
        switch self {
        case .refused(let refusal): refusal.code
        case .signedOut(.endedByServer(let code)): code
        default: nil
        }
    }

    /// What to ask the person, when an account has the address that their provider vouches for. The answer goes to
    /// ``AuthClient/confirmLink(_:)`` or its siblings.
    public var linkQuestion: LinkQuestion? {
        if case .refused(let refusal) = self { refusal.linkQuestion } else { nil }
    }
}

/// What stands between this device and the server.
public enum OfflineCause: Hashable, Sendable {
    /// The transport gave no answer. The text is the error's domain and number, never an address.
    case noAnswer(String)
    /// The server answered with a status that passes: 408, 409, 429 or 5xx.
    case status(Int)
    /// An answer that is not the auth server's, such as the page of a captive portal.
    case notUnderstood(String)
}

/// The server's refusal of one call.
public struct AuthRefusal: Hashable, Sendable {
    /// Of the HTTP answer; 0 when a redirect said so.
    public var status: Int
    /// Nil when the answer had none. Compare this, not the message.
    public var code: AuthErrorCode?
    /// For a developer to read.
    public var message: String
    /// Why a password was refused; empty for other refusals.
    public var weakPasswordReasons: [String]
    /// How long the server asks to wait.
    public var retryAfter: Duration?
    /// With `identity_needs_confirmation`: what to ask the person.
    public var linkQuestion: LinkQuestion?

    /// For tests of what shows refusals.
    public init(
        status: Int, code: AuthErrorCode?, message: String = "", weakPasswordReasons: [String] = [],
        retryAfter: Duration? = nil, linkQuestion: LinkQuestion? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.weakPasswordReasons = weakPasswordReasons
        self.retryAfter = retryAfter
        self.linkQuestion = linkQuestion
    }

    init(_ reply: HTTPReply) {
        let answer = AuthErrorAnswer(body: reply.body)
        self.init(
            status: reply.status, code: answer.code, message: answer.message,
            weakPasswordReasons: answer.weakPasswordReasons, retryAfter: reply.retryAfter,
            linkQuestion: answer.linkQuestion)
    }
}

extension AuthRefusal {
    /// The server's clear words that a session is over. A timeout, a locked store or a 503 is not here.
    static let endsSession: Set<AuthErrorCode> = [
        .sessionNotFound, .userNotFound, .userBanned, .refreshTokenNotFound, .refreshTokenAlreadyUsed, .sessionExpired,
    ]

    /// Whether a session is over after this refusal of its own token.
    package var isFinal: Bool { (400..<500).contains(status) && code.map(Self.endsSession.contains) == true }

    /// Whether the same request may be answered a moment later.
    var isPassing: Bool { [408, 409, 429].contains(status) || status >= 500 }
}
