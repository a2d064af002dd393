extension AuthClientError {
    /// Converts the gateway's error response.
    init(gateway reply: HTTPReply) {
        let answer = GatewayErrorAnswer(body: reply.body)
        // Without a code, it may come from a captive portal.
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

    init(refusingToken reply: HTTPReply) {
        self = .refusesValidToken(GatewayErrorAnswer(body: reply.body).code.map { AuthErrorCode($0) })
    }
}
