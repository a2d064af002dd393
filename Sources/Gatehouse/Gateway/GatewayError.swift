/// Why a call to the gateway failed. Two are equal when every member is.
public enum GatewayError: Error, Hashable, Sendable {
    /// Plain http to another machine would show every token to the network. Only loopback may use it.
    case insecureURL
    /// Nobody is signed in, or the server said no to the token, and to the one that a refresh then gave.
    case notAuthenticated(NotAuthenticatedReason)
    /// This person may not do that (403).
    case forbidden(code: String, message: String)
    /// No connection, or somebody else's answer. Whether a change was made is unknown; who is signed in is unchanged.
    case offline(OfflineCause)
    /// The gateway refused (4xx); nothing was changed.
    case refused(GatewayRefusal)
    /// The gateway has a fault of its own (5xx). Whether a change was made is unknown.
    case server(status: Int)
    /// The gateway answered something else than the contract says.
    case unexpectedAnswer(String)
    /// No token can be had now, although somebody may be signed in: the store is locked, or its session changed.
    case noToken(AuthClientError)
}

/// Why a call had no token that the gateway takes.
public enum NotAuthenticatedReason: Hashable, Sendable {
    /// There is no session, and why.
    case signedOut(SignedOutReason)
    /// The gateway's word about a token that was new: `TOKEN_INVALID`, `TOKEN_EXPIRED`, `UNAUTHORIZED`.
    case tokenRefused(code: String)
}

/// The gateway's refusal of one call.
public struct GatewayRefusal: Hashable, Sendable {
    /// Of the HTTP answer.
    public var status: Int
    /// `BAD_REQUEST`, `NOT_FOUND`, `RATE_LIMITED`; empty when the answer had none.
    public var code: String
    /// For a developer to read.
    public var message: String
    /// How long the gateway asks to wait.
    public var retryAfter: Duration?

    /// For tests of what shows refusals.
    public init(status: Int, code: String, message: String = "", retryAfter: Duration? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }
}

extension GatewayError {
    /// What the gateway's last answer means, when it is not 2xx.
    init(_ reply: HTTPReply) {
        // What is lost: why a body cannot be read; the status alone then decides.
        let json = try? JSONReader.read(reply.body)
        let (code, message) = (json?["error"]?.stringValue, json?["message"]?.stringValue ?? "")
        switch (reply.status, code) {
        case (500..., _): self = .server(status: reply.status)
        // Only the gateway's own words count: a captive portal says 401 and 403, too.
        case (401, let code?): self = .notAuthenticated(.tokenRefused(code: code))
        case (403, let code?): self = .forbidden(code: code, message: message)
        case (429, _), (400..., _?):
            self = .refused(
                GatewayRefusal(status: reply.status, code: code ?? "", message: message, retryAfter: reply.retryAfter))
        default: self = .offline(.notUnderstood("status \(reply.status)"))
        }
    }

    /// What stands in the way of a token.
    package init(noToken error: AuthClientError) {
        switch error {
        case .signedOut(let reason): self = .notAuthenticated(.signedOut(reason))
        case .offline(let cause): self = .offline(cause)
        default: self = .noToken(error)
        }
    }
}
