/// Why a call to the auth server or gateway, or a browser sign-in, failed.
///
/// ```swift
/// do {
///     try await client.signIn(email: email, password: password)
/// } catch AuthClientError.refused(let refusal) where refusal.code == .invalidCredentials {
///     message = "Incorrect email or password."
/// }
/// ```
public enum AuthClientError: Error, Hashable, Sendable {
    /// http to another machine would expose tokens to the network.
    case insecureURL
    /// There is no session, or the auth server has ended it. Never caused by the gateway alone.
    case signedOut(SignedOutReason)
    /// A sign-in replaced the session during the call, which did not apply to the new one.
    case sessionChanged
    /// The server was unreachable, or a refresh failed temporarily. The session is kept; retry later. The call may have
    /// taken effect.
    case offline(OfflineCause)
    /// The status was not 2xx, or a redirect URL contains an error. The session is kept unless the code says that it
    /// ended. After 5xx the call may have taken effect.
    case refused(AuthRefusal)
    /// The gateway refused a token that the auth server just issued or confirmed, with `TOKEN_INVALID`,
    /// `TOKEN_EXPIRED`, `UNAUTHORIZED` or no code: it has another auth server, outdated keys, or a wrong clock. The
    /// session is kept; retry later.
    case refusesValidToken(AuthErrorCode?)
    /// The response violates the protocol. Nothing changed in the client.
    case unexpectedAnswer(String)
    /// The store is unavailable, for example on a locked device. Nothing was written; retry later.
    case storeUnavailable(StoreProblem)
    /// The store could not write. The previous session stays active.
    case storeFailed(StoreProblem)
    /// The redirect URL contains no code, or one for another device.
    case unknownFlow
    /// The user closed the browser's or passkeys' sheet. Show no error.
    case cancelled
    /// The browser sign-in timed out.
    case timedOut
    /// There is no browser, it did not start, or cannot return to the redirect URL.
    case couldNotOpenBrowser
    /// The loopback socket for the redirect could not be opened; contains `errno`.
    case couldNotListen(Int32)
    /// The redirect does not match the redirect URL and was ignored.
    case invalidCallback
    /// This device has no suitable passkey. Show no error.
    case noPasskey
    /// This device already has a passkey of the account.
    case passkeyExists
    /// The passkey belongs to another account. Nothing changed.
    case otherAccount
    /// ``DeviceAccount/limit`` accounts are signed in here. The current one stays; the new session was revoked.
    case tooManyAccounts
    /// The authenticator failed. Contains the error's domain and code.
    case passkeyFailed(String)
}

extension AuthClientError {
    /// The server's error code.
    public var code: AuthErrorCode? {
        switch self {
        case .refused(let refusal): refusal.code
        case .signedOut(.endedByServer(let code, _)): code
        case .refusesValidToken(let code): code
        default: nil
        }
    }

    /// Asks how to continue if the provider's verified address already has an account. Answer with
    /// ``GatehouseClient/confirmLink(_:)`` or a related method.
    public var linkQuestion: AuthLinkQuestion? {
        if case .refused(let refusal) = self { refusal.linkQuestion } else { nil }
    }

    /// Restores a set-aside passkey: pass it to ``GatehouseClient/verifyOTP(token:restoring:)`` with the emailed code.
    public var setAsideTicket: AuthSetAsideTicket? {
        if case .refused(let refusal) = self { refusal.setAsideTicket } else { nil }
    }
}

/// Why the server is unreachable.
public enum OfflineCause: Hashable, Sendable {
    /// The device has no connection. Nothing was sent.
    case noConnection
    /// The transport failed. Contains the error's domain and code, never a URL.
    case noAnswer(String)
    /// A refresh's temporary status: 408, 409, 429 or 5xx.
    case status(Int)
    /// The response is not the server's, such as a captive portal's page.
    case notUnderstood(String)
}

/// An error response of the server.
public struct AuthRefusal: Hashable, Sendable {
    /// The HTTP status; 0 for an error in a redirect URL.
    public var status: Int
    /// Compare this instead of the message. The gateway's codes are in capitals: `BAD_REQUEST`, `DATA_TOO_LARGE`,
    /// `FORBIDDEN`, `FRESH_SIGN_IN_REQUIRED`, `INVALID_DATA`, `NOT_FOUND`.
    public var code: AuthErrorCode?
    /// A message for developers.
    public var message: String
    /// Why the password was refused; empty for other errors.
    public var weakPasswordReasons: [String]
    /// The requested wait before a retry: whole seconds, at most a day.
    public var retryAfter: Duration?
    /// The question to the user, for `identity_needs_confirmation`.
    public var linkQuestion: AuthLinkQuestion?
    /// Restores the passkey, for `credential_set_aside` after a passkey.
    public var setAsideTicket: AuthSetAsideTicket?
    /// The profile's invalid field, a JSON Pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) such as
    /// `/data/mood`.
    public var field: String?
    /// Why the session ended, if the server says so.
    public var sessionEnd: SessionEndReason?
    /// The request's id in the server's log (`x-request-id`, or `sb-request-id` of hosted projects). Equality ignores
    /// it.
    public var requestID: String? {
        get { request.id }
        set { request.id = newValue }
    }
    private var request = RefusedRequest()
    /// No code, but the grant is invalid: in a refresh, its token.
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
            status: reply.status, code: answer.code ?? AuthErrorCode(ofProof: answer.oauthError),
            message: answer.message,
            weakPasswordReasons: answer.weakPasswordReasons, retryAfter: reply.retryAfter,
            linkQuestion: answer.linkQuestion, sessionEnd: reply.sessionEnd)
        setAsideTicket = answer.setAsideTicket
        isInvalidGrant = answer.oauthError == "invalid_grant"
        requestID = reply.requestID
    }
}

/// Always equal.
private struct RefusedRequest: Hashable {
    var id: String?

    static func == (_: Self, _: Self) -> Bool { true }
    func hash(into _: inout Hasher) {}
}

extension AuthErrorCode {
    /// The proof of the session's key is missing, invalid, used before, or of another key.
    package static let invalidProof = Self(rawValue: "invalid_dpop_proof")
    /// The server's clock differs: its nonce replaces the time.
    static let useNonce = Self(rawValue: "use_dpop_nonce")

    /// nil for OAuth's other errors (RFC 9449 §5 and §8).
    fileprivate init?(ofProof error: String?) {
        guard let code = [Self.invalidProof, .useNonce].first(where: { $0.rawValue == error }) else { return nil }
        self = code
    }
}

extension AuthRefusal {
    /// True if the proof of the session's key was missing or refused.
    var isAboutProof: Bool { code == .invalidProof || code == .useNonce }

    /// Excludes timeouts, a locked store, and 503.
    static let endsSession: Set<AuthErrorCode> = [
        .sessionNotFound, .userNotFound, .userBanned, .refreshTokenNotFound, .refreshTokenAlreadyUsed, .sessionExpired,
    ]

    /// Whether the refused token's session has ended.
    package var isFinal: Bool { (400..<500).contains(status) && code.map(Self.endsSession.contains) == true }

    /// Whether the refused refresh token's session has ended.
    var endsRefresh: Bool { isFinal || (400..<500).contains(status) && isInvalidGrant }

    /// Whether a retry may succeed.
    var isPassing: Bool { [408, 409, 429].contains(status) || status >= 500 }
}
