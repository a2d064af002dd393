import Gatehouse
import GatehouseModel

extension InMemoryAuthService.Fault {
    /// Whether the fault applies to this call.
    func fits(_ call: InMemoryAuthService.Call) -> Bool {
        switch self {
        case .offline, .answerLost, .slow, .serviceUnavailable, .serverError, .rateLimited: true
        case .wrongCredentials: [.signIn, .confirmLink, .signInAgain].contains(call)
        case .linkTicketExpired: [.confirmLink, .sendLinkCode, .recoverAccount].contains(call)
        case .notRecoverable: call == .recoverAccount
        case .linkTooOld: call == .undoLink
        case .nameIgnored: call == .signInWithProvider || call == .link
        case .emailTaken: [.signUp, .signInWithProvider, .finishInBrowser, .link, .updateUser].contains(call)
        case .weakPassword: call == .signUp || call == .updateUser
        case .currentPasswordRequired, .currentPasswordWrong, .codeRequired: call == .updateUser
        case .codeWrong:
            [.updateUser, .verifyCode, .confirmLink, .verifyFactor, .verifyRecoveryCode].contains(call)
        case .freshProofNeeded:
            [
                .updateUser, .unlink, .undoLink, .link, .startLinkInBrowser, .deleteAccount, .removeFactor,
                .changePasskey, .startOver,
            ]
            .contains(call)
        case .tokenRejected: call == .signInWithProvider || call == .link
        case .providerCancelled: call == .finishInBrowser
        case .invalidCallback: call == .finishInBrowser || call == .openMailLink
        case .mailDisabled: call.isMail
        case .notSupported: call == .sessions || call == .undoableLinks
        case .lastMethod: call == .unlink || call == .undoLink
        case .profileMissing: call == .fetchMe
        case .forbidden, .accessTokenRefused: call.isGateway
        case .sessionEndedByServer: call.needsSession
        case .storeLocked: call.isKept
        }
    }

    /// The error that the caller gets; nil for faults that let the server process the call.
    func error(at call: InMemoryAuthService.Call) -> AuthClientError? {
        if call.isGateway { return gatewayError }
        let error: AuthClientError? =
            switch self {
            case .slow, .answerLost, .profileMissing, .forbidden, .accessTokenRefused, .nameIgnored: nil
            case .offline: Self.lost
            case .serviceUnavailable: Self.refused(503)
            case .serverError: Self.refused(500, .unexpectedFailure)
            case .rateLimited(let pause):
                Self.refused(429, call.isMail ? .overEmailSendRateLimit : .overRequestRateLimit, retryAfter: pause)
            case .wrongCredentials: Self.refused(400, .invalidCredentials)
            case .emailTaken: Self.emailTaken(at: call)
            case .weakPassword:
                .refused(AuthRefusal(status: 422, code: .weakPassword, weakPasswordReasons: ["length"]))
            case .tokenRejected: Self.refused(400)
            case .linkTicketExpired: Self.refused(404, .linkTicketNotFound)
            case .notRecoverable: Self.refused(422, .linkNotRecoverable)
            case .linkTooOld: Self.refused(422, .linkNotUndoable)
            case .currentPasswordRequired: Self.refused(400, .currentPasswordRequired)
            case .currentPasswordWrong: Self.refused(400, .currentPasswordInvalid)
            case .codeRequired: Self.refused(400, .reauthenticationNeeded)
            case .codeWrong: Self.codeWrong(at: call)
            case .freshProofNeeded: Self.refused(403, .freshSignInRequired)
            case .providerCancelled: Self.refused(0, AuthErrorCode(rawValue: "access_denied"))
            case .invalidCallback: .unknownFlow
            case .mailDisabled: Self.refused(call == .sendLinkCode ? 422 : 400, .emailProviderDisabled)
            case .notSupported: Self.refused(404)
            case .lastMethod: Self.refused(422, .singleIdentityNotDeletable)
            case .sessionEndedByServer(let code): .signedOut(.endedByServer(code))
            case .storeLocked: Self.locked
            }
        // A refresh treats temporary statuses like a missing connection.
        if call == .refresh, case .refused(let refusal) = error {
            return AuthClientError.offline(.status(refusal.status))
        }
        return error
    }

    private var gatewayError: AuthClientError? {
        switch self {
        case .offline: .offline(.noAnswer("in memory"))
        case .serviceUnavailable: Self.refused(503)
        case .serverError: Self.refused(500)
        case .rateLimited(let pause):
            Self.refused(429, AuthErrorCode(rawValue: "RATE_LIMITED"), retryAfter: pause)
        case .forbidden: Self.refused(403, AuthErrorCode(rawValue: "FORBIDDEN"))
        case .freshProofNeeded: Self.refused(403, AuthErrorCode(rawValue: "FRESH_SIGN_IN_REQUIRED"))
        case .accessTokenRefused: .refusesValidToken(AuthErrorCode(rawValue: "TOKEN_INVALID"))
        case .sessionEndedByServer(let code): .signedOut(.endedByServer(code))
        case .answerLost, .slow, .wrongCredentials, .emailTaken, .weakPassword, .tokenRejected, .providerCancelled,
            .invalidCallback, .profileMissing, .storeLocked, .linkTicketExpired, .notRecoverable, .linkTooOld,
            .nameIgnored, .currentPasswordRequired, .currentPasswordWrong, .codeRequired, .codeWrong, .mailDisabled,
            .notSupported, .lastMethod:
            nil
        }
    }

    private static func codeWrong(at call: InMemoryAuthService.Call) -> AuthClientError {
        switch call {
        case .updateUser: refused(422, .reauthenticationNotValid)
        case .verifyFactor, .verifyRecoveryCode: refused(422, .mfaVerificationFailed)
        default: wrongCode
        }
    }

    private static func emailTaken(at call: InMemoryAuthService.Call) -> AuthClientError {
        switch call {
        case .signUp: refused(422, .userAlreadyExists)
        case .updateUser: refused(422, .emailExists)
        case .link: refused(422, .identityAlreadyExists)
        default: refused(422, .identityNeedsConfirmation, question: Fixtures.linkQuestion())
        }
    }

    static let wrongCode = refused(403, .otpExpired)
    static let lost = AuthClientError.offline(.noAnswer("in memory"))
    static let storeProblem = StoreProblem("locked", cause: .locked)
    static let locked = AuthClientError.storeUnavailable(storeProblem)

    static func refused(
        _ status: Int, _ code: AuthErrorCode? = nil, retryAfter: Duration? = nil, question: LinkQuestion? = nil,
        sessionEnd: SessionEndReason? = nil
    ) -> AuthClientError {
        .refused(
            AuthRefusal(
                status: status, code: code, retryAfter: retryAfter, linkQuestion: question, sessionEnd: sessionEnd))
    }
}
