extension AuthClientError {
    /// Converts a response of the gateway with a status other than 2xx.
    init(gateway reply: HTTPReply) {
        let answer = GatewayErrorAnswer(body: reply.body)
        // Only responses with a code come from the gateway: captive portals also answer 403.
        guard reply.status >= 500 || reply.status == 429 || reply.status >= 400 && answer.code != nil else {
            self = .offline(.notUnderstood("status \(reply.status)"))
            return
        }
        var refusal = AuthRefusal(
            status: reply.status, code: answer.code.map { AuthErrorCode($0) }, message: answer.message,
            retryAfter: reply.retryAfter, field: answer.field)
        refusal.requestID = reply.requestID
        self = .refused(refusal)
    }

    /// The gateway's refusal of a token that the auth server has confirmed.
    init(refusingToken reply: HTTPReply) {
        self = .refusesValidToken(GatewayErrorAnswer(body: reply.body).code.map { AuthErrorCode($0) })
    }
}
