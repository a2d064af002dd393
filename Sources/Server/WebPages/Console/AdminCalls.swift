import GatehouseWire
import HTTPTypes

struct AdminRefusal: Error {
    let cause: CallRefusal

    var sentence: String {
        switch (cause.status, cause.code) {
        case (_, .featureDisabled):
            "This feature is off. Its setting is on the page Configuration, and in the documentation."
        case (_, .insufficientOperatorRole): "Your operator role does not allow this. Ask an owner of this server."
        case (404, _): "There's nothing here."
        case (429, .overEmailSendRateLimit):
            "The email queue is too long: the code would expire before the email is sent. Try again later, or raise "
                + "rate_limit_email_sent."
        case (429, _): "Too many requests. Wait a moment, then try again."
        case (_, .emailProviderDisabled): "This server does not send emails. Set up SMTP, then try again."
        default:
            "The server rejected this: \(cause.code.rawValue.shown). Check your input or reload the page, then try again."
        }
    }
}

extension ConsolePage {
    /// - Throws: ``SignInNeeded`` without an administrator's sign-in; ``AdminRefusal``; ``CallFailed``; ``CallRefusal``
    ///   if the sign-in is too old for a change.
    @discardableResult
    mutating func callAsAdmin(
        _ method: HTTPRequest.Method, _ path: String, _ json: AuthJSONObject? = nil
    ) async throws -> AuthJSON {
        guard !visit.session.awaitsSecondStep else { throw SignInNeeded(wasSignedIn: false) }
        do {
            guard let key = visit.session.key else { return try await visit.callAsUser(method, path, json) }
            return try await visit.call(method, path, json, bearer: key)
        } catch let refusal as CallRefusal {
            if refusal.needsProof { throw refusal }
            let isSignedOut = refusal.status == 401 || refusal.status == 403
            guard isSignedOut, refusal.code != .insufficientOperatorRole else { throw AdminRefusal(cause: refusal) }
            (visit.session.tokens, visit.session.key) = (nil, nil)
            throw SignInNeeded(wasSignedIn: true)
        }
    }
}
