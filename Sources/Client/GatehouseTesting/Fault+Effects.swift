import Gatehouse
import GatehouseModel

extension InMemoryAuthService.Fault {
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
                .changePasskey, .startOver, .decideAuthorization,
            ]
            .contains(call)
        case .tokenRejected: call == .signInWithProvider || call == .link
        case .providerCancelled: call == .finishInBrowser
        case .invalidCallback: call == .finishInBrowser || call == .openMailLink
        case .mailDisabled: call.isMail
        case .textFailed: call.isText || call == .signUp || call == .updateUser
        case .phoneDisabled: [.sendText, .signUp, .signIn, .updateUser].contains(call)
        case .phoneTaken: call == .updateUser
        case .notSupported: [.sessions, .undoableLinks, .pendingAuthorizations].contains(call)
        case .lastMethod: call == .unlink || call == .undoLink
        case .profileMissing: call == .fetchMe
        case .forbidden, .accessTokenRefused: call.isGateway
        case .sessionEndedByServer: call.needsSession
        case .storeLocked: call.isKept
        }
    }

    /// nil if the server processes the call, or the network or the store fails.
    func refusal(at call: InMemoryAuthService.Call) -> AuthRefusal? {
        if call.isGateway { return gatewayRefusal }
        return switch self {
        case .offline, .slow, .answerLost, .profileMissing, .forbidden, .accessTokenRefused, .nameIgnored,
            .sessionEndedByServer, .storeLocked:
            nil
        case .serviceUnavailable: AuthRefusal(status: 503, code: nil)
        case .serverError: AuthRefusal(status: 500, code: .unexpectedFailure)
        case .rateLimited(let pause):
            AuthRefusal(
                status: 429,
                code: call.isMail
                    ? .overEmailSendRateLimit : call.isText ? .overSMSSendRateLimit : .overRequestRateLimit,
                retryAfter: pause)
        case .wrongCredentials: AuthRefusal(status: 400, code: .invalidCredentials)
        case .emailTaken: Self.emailTaken(at: call)
        case .weakPassword: AuthRefusal(status: 422, code: .weakPassword, weakPasswordReasons: ["length"])
        case .tokenRejected: AuthRefusal(status: 400, code: nil)
        case .linkTicketExpired: AuthRefusal(status: 404, code: .linkTicketNotFound)
        case .notRecoverable: AuthRefusal(status: 422, code: .linkNotRecoverable)
        case .linkTooOld: AuthRefusal(status: 422, code: .linkNotUndoable)
        case .currentPasswordRequired: AuthRefusal(status: 400, code: .currentPasswordRequired)
        case .currentPasswordWrong: AuthRefusal(status: 400, code: .currentPasswordInvalid)
        case .codeRequired: AuthRefusal(status: 400, code: .reauthenticationNeeded)
        case .codeWrong: Self.codeWrong(at: call)
        case .freshProofNeeded: AuthRefusal(status: 403, code: .freshSignInRequired)
        case .providerCancelled: AuthRefusal(status: 400, code: AuthErrorCode(rawValue: "access_denied"))
        case .invalidCallback: AuthRefusal(status: 404, code: .flowStateNotFound)
        case .mailDisabled: AuthRefusal(status: call == .sendLinkCode ? 422 : 400, code: .emailProviderDisabled)
        case .textFailed: AuthRefusal(status: 422, code: .smsSendFailed)
        case .phoneDisabled:
            AuthRefusal(status: call == .signIn || call == .updateUser ? 422 : 400, code: .phoneProviderDisabled)
        case .phoneTaken: AuthRefusal(status: 422, code: .phoneExists)
        case .notSupported: AuthRefusal(status: 404, code: nil)
        case .lastMethod: AuthRefusal(status: 422, code: .singleIdentityNotDeletable)
        }
    }

    private var gatewayRefusal: AuthRefusal? {
        switch self {
        case .serviceUnavailable: AuthRefusal(status: 503, code: nil)
        case .serverError: AuthRefusal(status: 500, code: nil)
        case .rateLimited(let pause):
            AuthRefusal(status: 429, code: AuthErrorCode(rawValue: "RATE_LIMITED"), retryAfter: pause)
        case .forbidden: AuthRefusal(status: 403, code: AuthErrorCode(rawValue: "FORBIDDEN"))
        case .freshProofNeeded: AuthRefusal(status: 403, code: AuthErrorCode(rawValue: "FRESH_SIGN_IN_REQUIRED"))
        default: nil
        }
    }

    private static func codeWrong(at call: InMemoryAuthService.Call) -> AuthRefusal {
        switch call {
        case .updateUser: AuthRefusal(status: 422, code: .reauthenticationNotValid)
        case .verifyFactor, .verifyRecoveryCode: AuthRefusal(status: 422, code: .mfaVerificationFailed)
        default: AuthRefusal(status: 403, code: .otpExpired)
        }
    }

    private static func emailTaken(at call: InMemoryAuthService.Call) -> AuthRefusal {
        switch call {
        case .signUp: AuthRefusal(status: 422, code: .userAlreadyExists)
        case .updateUser: AuthRefusal(status: 422, code: .emailExists)
        case .link: AuthRefusal(status: 422, code: .identityAlreadyExists)
        default:
            AuthRefusal(status: 422, code: .identityNeedsConfirmation, linkQuestion: Fixtures.linkQuestion())
        }
    }

    static let wrongCode = refused(403, .otpExpired)
    static let unknownFlow = refused(404, .flowStateNotFound)
    static let storeProblem = StoreProblem("locked", cause: .locked)

    static func refused(
        _ status: Int, _ code: AuthErrorCode? = nil, retryAfter: Duration? = nil, question: AuthLinkQuestion? = nil,
        sessionEnd: SessionEndReason? = nil
    ) -> AuthClientError {
        .refused(
            AuthRefusal(
                status: status, code: code, retryAfter: retryAfter, linkQuestion: question, sessionEnd: sessionEnd))
    }
}
