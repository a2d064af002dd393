import Foundation
import Gatehouse
import GatehouseModel
import Testing

@Suite("One error for apps")
struct AuthErrorTests {
    private static func refused(_ status: Int, _ code: AuthErrorCode? = nil) -> AuthClientError {
        .refused(AuthRefusal(status: status, code: code))
    }

    private static func gateway(_ status: Int, _ code: String) -> AuthClientError {
        refused(status, AuthErrorCode(rawValue: code))
    }

    @Test(
        "Every failure of the client is one error for the app",
        arguments: [
            (.insecureURL, .unknown(.insecureURL)), (.sessionChanged, .unknown(.sessionChanged)),
            (.signedOut(.requested), .notAuthenticated),
            (.offline(.noConnection), .offline(.noConnection)), (.offline(.noAnswer("x")), .offline(.noAnswer("x"))),
            (.offline(.notUnderstood("x")), .offline(.notUnderstood("x"))),
            (.offline(.status(503)), .networkError(.offline(.status(503)))),
            (.refusesValidToken(nil), .networkError(.refusesValidToken(nil))),
            (.unexpectedAnswer("x"), .networkError(.unexpectedAnswer("x"))),
            (.storeUnavailable("x"), .storeFailed("x")), (.storeFailed("x"), .storeFailed("x")),
            (.unknownFlow, .invalidCallback), (.cancelled, .cancelled), (.timedOut, .invalidCallback),
            (.invalidCallback, .invalidCallback), (.couldNotOpenBrowser, .providerFailed),
            (.couldNotListen(1), .providerFailed),
            (refused(500), .networkError(refused(500))), (refused(404), .networkError(refused(404))),
            (refused(403), .forbidden), (gateway(403, "FORBIDDEN"), .forbidden),
            (refused(401), .networkError(refused(401))), (refused(401, .noAuthorization), .notAuthenticated),
            (refused(401, .noAPIKey), .networkError(refused(401, .noAPIKey))),
            (refused(401, .invalidAPIKey), .networkError(refused(401, .invalidAPIKey))),
            (refused(429), .rateLimited(retryAfter: nil)),
            (gateway(429, "RATE_LIMITED"), .networkError(gateway(429, "RATE_LIMITED"))),
            (gateway(400, "BAD_REQUEST"), .networkError(gateway(400, "BAD_REQUEST"))),
            (refused(403, .freshSignInRequired), .freshSignInNeeded),
            (gateway(403, "FRESH_SIGN_IN_REQUIRED"), .freshSignInNeeded),
            (refused(422, .samePassword), .samePassword),
            (refused(400, .currentPasswordRequired), .currentPasswordRequired),
            (refused(400, .currentPasswordInvalid), .currentPasswordWrong),
            (refused(400, .reauthenticationNeeded), .codeRequired),
            (refused(422, .reauthenticationNotValid), .codeWrong),
            (refused(400, .emailProviderDisabled), .emailDisabled),
            (refused(422, .phoneExists), .phoneInUse), (refused(400, .phoneNotConfirmed), .phoneNotConfirmed),
            (refused(400, .phoneProviderDisabled), .phoneDisabled), (refused(422, .smsSendFailed), .textNotSent),
            (refused(429, .overSMSSendRateLimit), .rateLimited(retryAfter: nil)),
            (refused(422, .mfaPhoneEnrollNotEnabled), .notOffered),
            (refused(422, .singleIdentityNotDeletable), .lastSignInMethod),
            (refused(422, .linkNotUndoable), .tooLateToUndo),
            (refused(403, .userBanned), .blocked), (refused(422, .emailExists), .emailInUse(nil)),
        ] as [(AuthClientError, AuthError)])
    func classes(_ failure: AuthClientError, _ error: AuthError) {
        #expect(AuthError(failure) == error)
    }

    @Test("The app learns how long to wait, and what is wrong with a password")
    func values() {
        let limit = AuthRefusal(status: 429, code: .overRequestRateLimit, retryAfter: .seconds(9))
        #expect(AuthError(AuthClientError.refused(limit)) == .rateLimited(retryAfter: .seconds(9)))
        let weak = AuthRefusal(status: 422, code: .weakPassword, weakPasswordReasons: ["pwned"])
        #expect(AuthError(AuthClientError.refused(weak)) == .weakPassword(AuthWeakPassword(reasons: [.pwned])))
    }

    @Test("Only a failure of the server, the connection or the device has a cause")
    func cause() {
        #expect(AuthError(Self.refused(500)).cause == Self.refused(500))
        #expect(AuthError.offline(.noConnection).cause == .offline(.noConnection))
        #expect(AuthError.storeFailed("x").cause == .storeFailed("x"))
        #expect(AuthError.wrongCredentials.cause == nil && AuthError.unknown(nil).cause == nil)
    }

    @Test("Every error has a text, and a message for each method; a cancelled sign-in has none")
    func messages() {
        for error in AuthError.samples {
            #expect(!error.message.isEmpty && error.localizedDescription == error.message)
            for method in [AuthMethod.email, .phone, .apple, .google, AuthMethod(rawValue: "github")] {
                let message = SignInMessage(method, error)
                #expect((message?.text.isEmpty ?? true) == (error == .cancelled), "\(error) with \(method)")
            }
            #expect((SignInMessage(changing: error) == nil) == (error == .cancelled))
        }
        #expect(Set(AuthError.samples.map(\.name)).count == 46)
    }

    @Test("An event has no value of an error, such as an address")
    func labels() {
        for error in AuthError.samples {
            let labels = TelemetryEvent.failed(.email, error.code).labels
            #expect(AuthError.Code(rawValue: labels["error_type"] ?? "") == error.code)
        }
    }
}

extension AuthError {
    /// One of each case.
    fileprivate static let samples: [AuthError] = [
        .notAuthenticated, .forbidden, .freshSignInNeeded, .offline(.noConnection),
        .networkError(.unexpectedAnswer("x")), .profileNotCreated, .storeFailed("x"), .rateLimited(retryAfter: nil),
        .setup(SetupProblem(parameter: "url", reason: "It is empty.")), .unknown(nil), .cancelled, .providerFailed,
        .noProviderEmail, .invalidCallback, .emailInUse(nil), .linkExpired, .linkOtherAccount, .userExists,
        .wrongCredentials, .weakPassword(AuthWeakPassword(reasons: [.pwned])), .emailNotConfirmed, .signUpDisabled,
        .blocked, .samePassword, .currentPasswordRequired, .currentPasswordWrong, .codeRequired, .codeWrong,
        .emailDisabled, .lastSignInMethod, .tooLateToUndo, .secondFactorNeeded, .notOffered, .passkeyRefused,
        .passkeyFailed, .recoveryCodesLocked(retryAfter: nil), .passkeyExists, .tooMany, .nameTaken, .otherFactorNeeded,
        .credentialSetAside(nil), .alreadySignedIn, .phoneNotConfirmed, .textNotSent, .phoneDisabled, .phoneInUse,
    ]

    /// Does not compile with a case that ``samples`` may lack.
    fileprivate var name: String {
        switch self {
        case .notAuthenticated, .forbidden, .freshSignInNeeded, .offline, .networkError, .profileNotCreated,
            .storeFailed, .rateLimited, .setup, .unknown, .cancelled, .providerFailed, .noProviderEmail,
            .invalidCallback, .emailInUse, .linkExpired, .linkOtherAccount, .userExists, .wrongCredentials,
            .weakPassword, .emailNotConfirmed, .signUpDisabled, .blocked, .samePassword, .currentPasswordRequired,
            .currentPasswordWrong, .codeRequired, .codeWrong, .emailDisabled, .lastSignInMethod, .tooLateToUndo,
            .secondFactorNeeded, .notOffered, .passkeyRefused, .passkeyFailed, .recoveryCodesLocked, .passkeyExists,
            .tooMany, .nameTaken, .otherFactorNeeded, .credentialSetAside, .alreadySignedIn, .phoneNotConfirmed,
            .textNotSent, .phoneDisabled, .phoneInUse:
            String("\(self)".prefix { $0 != "(" })
        }
    }
}
