/// Why a call to the gateway failed.
public enum GatewayError: Error, Hashable, Sendable {
    /// http to another machine would expose tokens to the network. Only loopback may use it.
    case insecureURL
    /// There is no session, or the auth server has ended it. A refusal by the gateway alone never has this result.
    case notAuthenticated(SignedOutReason)
    /// The gateway refused a token that the auth server has just issued or confirmed, with `TOKEN_INVALID`,
    /// `TOKEN_EXPIRED` or `UNAUTHORIZED`; the code is empty if the response has none. The gateway is configured for
    /// another auth server, has not seen its new keys, or its clock is wrong. The session is kept: try again later.
    case refusesValidToken(code: String)
    /// The user is not allowed to do this (403). With the code `FRESH_SIGN_IN_REQUIRED`, sign in again and repeat it.
    case forbidden(code: String, message: String)
    /// No connection, or a response that is not the gateway's. The change may have taken effect. The session is
    /// unaffected.
    case offline(OfflineCause)
    /// The gateway refused the call (4xx). Nothing changed.
    case refused(GatewayRefusal)
    /// The gateway failed (5xx). The change may have taken effect.
    case server(status: Int)
    /// The gateway's response violates the protocol.
    case unexpectedAnswer(String)
    /// No token is available at the moment: the store is locked, or the session changed meanwhile.
    case noToken(AuthClientError)
}

/// The gateway's refusal of a call.
public struct GatewayRefusal: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// `BAD_REQUEST`, `DATA_TOO_LARGE`, `DATA_TOO_DEEP`, `INVALID_DATA`, `NOT_FOUND`, `RATE_LIMITED`; empty if the
    /// response has none.
    public var code: String
    /// A message for developers.
    public var message: String
    /// The path of the invalid field, a JSON Pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) such as
    /// `/data/mood`; nil if the refusal concerns no field.
    public var field: String?
    /// How long the gateway asks to wait before a retry: whole seconds, at most a day. nil if it does not.
    public var retryAfter: Duration?

    /// For tests.
    public init(
        status: Int, code: String, message: String = "", field: String? = nil, retryAfter: Duration? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.field = field
        self.retryAfter = retryAfter
    }
}

extension GatewayError {
    /// Converts a response with a status other than 2xx.
    init(_ reply: HTTPReply) {
        let answer = GatewayErrorAnswer(body: reply.body)
        switch (reply.status, answer.code) {
        case (500..., _): self = .server(status: reply.status)
        // Only responses with a code come from the gateway: captive portals also answer 403.
        case (403, let code?): self = .forbidden(code: code, message: answer.message)
        case (429, _), (400..., _?):
            self = .refused(
                GatewayRefusal(
                    status: reply.status, code: answer.code ?? "", message: answer.message, field: answer.field,
                    retryAfter: reply.retryAfter))
        default: self = .offline(.notUnderstood("status \(reply.status)"))
        }
    }

    /// The gateway's refusal of a token that the auth server has confirmed.
    init(refusing reply: HTTPReply) {
        self = .refusesValidToken(code: GatewayErrorAnswer(body: reply.body).code ?? "")
    }

    /// Why no token is available.
    package init(noToken error: AuthClientError) {
        switch error {
        case .signedOut(let reason): self = .notAuthenticated(reason)
        case .offline(let cause): self = .offline(cause)
        default: self = .noToken(error)
        }
    }
}
