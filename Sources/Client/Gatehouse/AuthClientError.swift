/// Why a call to the auth server or the gateway, or a sign-in in a browser, failed.
///
/// ```swift
/// do {
///     try await client.signIn(email: email, password: password)
/// } catch AuthClientError.refused(let refusal) where refusal.code == .invalidCredentials {
///     message = "Incorrect email or password."
/// }
/// ```
public enum AuthClientError: Error, Hashable, Sendable {
    /// http to another machine would expose tokens to the network. Only loopback may use it.
    case insecureURL
    /// The call needs a session, but there is none, or the auth server has ended it. A refusal by the gateway alone
    /// never has this result.
    case signedOut(SignedOutReason)
    /// A sign-in happened while the call waited, by the same or another user. The call did not apply to the new
    /// session.
    case sessionChanged
    /// The server was unreachable, or a refresh failed temporarily. The session is kept; try again later. The call may
    /// have taken effect.
    case offline(OfflineCause)
    /// The server answered with a status other than 2xx, also 429 and 5xx, or a redirect URL contains an error. After
    /// 5xx the call may have taken effect. The session is kept unless the code states that it has ended.
    case refused(AuthRefusal)
    /// The gateway refused a token that the auth server has just issued or confirmed, with `TOKEN_INVALID`,
    /// `TOKEN_EXPIRED`, `UNAUTHORIZED` or no code. The gateway is configured for another auth server, has not seen its
    /// new keys, or its clock is wrong. The session is kept: try again later.
    case refusesValidToken(AuthErrorCode?)
    /// The server's response violates the protocol. Nothing changed in the client.
    case unexpectedAnswer(String)
    /// The store does not answer, for example because the device is locked. Nothing was written. Try again when it
    /// answers.
    case storeUnavailable(StoreProblem)
    /// The store could not write. The previous session stays active.
    case storeFailed(StoreProblem)
    /// The redirect URL contains no code, or one that this device did not request.
    case unknownFlow
    /// The user closed the sheet of the browser or of the passkeys. Show no error.
    case cancelled
    /// The user did not finish in the browser in time.
    case timedOut
    /// There is no browser, it did not start, or it cannot return to the redirect URL.
    case couldNotOpenBrowser
    /// The loopback socket for the browser's return could not be opened; contains `errno`.
    case couldNotListen(Int32)
    /// The browser's return does not match the redirect URL and was ignored.
    case invalidCallback
    /// This device has no passkey that could be offered. Show no error.
    case noPasskey
    /// This device has a passkey of the account already.
    case passkeyExists
    /// The passkey belongs to another account than the signed-in one. Nothing changed.
    case otherAccount
    /// As many accounts are signed in on this device as ``DeviceAccount/limit`` allows. The account in use stays, and the
    /// new session has ended.
    case tooManyAccounts
    /// The authenticator failed. The text contains the error's domain and code.
    case passkeyFailed(String)
}

extension AuthClientError {
    /// The error code of a refusal by the server.
    public var code: AuthErrorCode? {
        switch self {
        case .refused(let refusal): refusal.code
        case .signedOut(.endedByServer(let code, _)): code
        case .refusesValidToken(let code): code
        default: nil
        }
    }

    /// The question to the user if an account already has the address that the provider verified. Answer it with
    /// ``GatehouseClient/confirmLink(_:)`` or a related method.
    public var linkQuestion: AuthLinkQuestion? {
        if case .refused(let refusal) = self { refusal.linkQuestion } else { nil }
    }

    /// After a sign-in with a set-aside passkey: pass it to ``GatehouseClient/verifyOTP(token:restoring:)`` with the code that
    /// the server has emailed.
    public var setAsideTicket: AuthSetAsideTicket? {
        if case .refused(let refusal) = self { refusal.setAsideTicket } else { nil }
    }
}

/// Why the server is unreachable.
public enum OfflineCause: Hashable, Sendable {
    /// The system knows that the device has no connection. Nothing was sent.
    case noConnection
    /// The transport failed. The text contains the error's domain and code, never a URL.
    case noAnswer(String)
    /// A temporary status of a refresh: 408, 409, 429 or 5xx.
    case status(Int)
    /// A response that does not come from the server, such as the page of a captive portal.
    case notUnderstood(String)
}

/// The server's refusal of a call.
public struct AuthRefusal: Hashable, Sendable {
    /// The HTTP status; 0 for an error in a redirect URL.
    public var status: Int
    /// nil if the response has none. Compare this instead of the message. The gateway's codes are in capitals, such as
    /// `BAD_REQUEST`, `DATA_TOO_LARGE`, `FORBIDDEN`, `FRESH_SIGN_IN_REQUIRED`, `INVALID_DATA` and `NOT_FOUND`.
    public var code: AuthErrorCode?
    /// A message for developers.
    public var message: String
    /// Why the password was refused; empty for other refusals.
    public var weakPasswordReasons: [String]
    /// How long the server asks to wait before a retry: whole seconds, at most a day. nil if it does not.
    public var retryAfter: Duration?
    /// With `identity_needs_confirmation`: the question to the user.
    public var linkQuestion: AuthLinkQuestion?
    /// With `credential_set_aside` after a passkey: what restores it.
    public var setAsideTicket: AuthSetAsideTicket?
    /// The path of the invalid field in a change of the profile, a JSON Pointer
    /// ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) such as `/data/mood`; nil if the refusal concerns no field.
    public var field: String?
    /// Why the session ended, if the refusal says that it has and the server tells.
    public var sessionEnd: SessionEndReason?
    /// The request's id in the server's log (`x-request-id`, or `sb-request-id` of a hosted project); nil if the response
    /// has none. Equality ignores it: refusals that say the same are equal.
    public var requestID: String? {
        get { request.id }
        set { request.id = newValue }
    }
    private var request = RefusedRequest()
    /// Whether the response has no code, and says that the grant is invalid: of a refresh, that its token is.
    package private(set) var isInvalidGrant = false

    /// For tests.
    public init(
        status: Int, code: AuthErrorCode?, message: String = "", weakPasswordReasons: [String] = [],
        retryAfter: Duration? = nil, linkQuestion: AuthLinkQuestion? = nil, field: String? = nil,
        sessionEnd: SessionEndReason? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.weakPasswordReasons = weakPasswordReasons
        self.retryAfter = retryAfter
        self.linkQuestion = linkQuestion
        self.field = field
        self.sessionEnd = sessionEnd
    }

    init(_ reply: HTTPReply) {
        let answer = AuthErrorAnswer(body: reply.body)
        self.init(
            status: reply.status, code: answer.code, message: answer.message,
            weakPasswordReasons: answer.weakPasswordReasons, retryAfter: reply.retryAfter,
            linkQuestion: answer.linkQuestion, sessionEnd: reply.sessionEnd)
        setAsideTicket = answer.setAsideTicket
        isInvalidGrant = answer.oauthError == "invalid_grant"
        requestID = reply.requestID
    }
}

/// Equal to every other.
private struct RefusedRequest: Hashable {
    var id: String?

    static func == (_: Self, _: Self) -> Bool { true }
    func hash(into _: inout Hasher) {}
}

extension AuthRefusal {
    /// The codes that state that a session has ended. Timeouts, a locked store or a 503 are not among them.
    static let endsSession: Set<AuthErrorCode> = [
        .sessionNotFound, .userNotFound, .userBanned, .refreshTokenNotFound, .refreshTokenAlreadyUsed, .sessionExpired,
    ]

    /// Whether the session has ended, given this refusal of its own token.
    package var isFinal: Bool { (400..<500).contains(status) && code.map(Self.endsSession.contains) == true }

    /// Whether the session has ended, given this refusal of its refresh token.
    var endsRefresh: Bool { isFinal || (400..<500).contains(status) && isInvalidGrant }

    /// Whether a retry of the same request may succeed.
    var isPassing: Bool { [408, 409, 429].contains(status) || status >= 500 }
}
