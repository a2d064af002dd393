import Foundation
import Gatehouse
import GatehouseModel
import Testing

@Suite("Messages for users")
struct MessageTests {
    private static let down = AuthClientError.offline(.noAnswer("x"))
    private static func refused(_ status: Int, _ code: AuthErrorCode? = nil) -> AuthClientError {
        .refused(AuthRefusal(status: status, code: code))
    }

    @Test(
        "Every error of the email form has its text and its action",
        arguments: [
            (refused(422, .userAlreadyExists), EmailText.exists, .otherMethod),
            (refused(400, .invalidCredentials), EmailText.wrong, nil),
            (refused(422, .weakPassword), EmailText.weak, nil),
            (refused(429, .overRequestRateLimit), EmailText.rate, nil),
            (refused(429), EmailText.rate, nil),
            (down, EmailText.offline, .retry),
            (refused(500, .unexpectedFailure), EmailText.other, .retry),
            (refused(503), EmailText.other, .retry),
            (.offline(.notUnderstood("page")), EmailText.other, .retry),
            (refused(403, .userBanned), EmailText.blocked, nil),
            (refused(400, .emailNotConfirmed), EmailText.unconfirmed, nil),
            (refused(403, .credentialSetAside), EmailText.setAside, nil),
            (refused(422, .signupDisabled), EmailText.closed, nil),
            (.storeFailed("disk"), EmailText.store, nil),
            (.sessionChanged, EmailText.other, nil),
        ] as [(AuthClientError, String, OfferedAction?)])
    func emailErrors(_ error: AuthClientError, _ text: String, _ action: OfferedAction?) {
        let message = SignInMessage(.email, error)
        #expect(message?.text == text)
        #expect(message?.action == action)
    }

    private enum EmailText {
        static let exists = "An account with this email already exists. Try signing in, or use Apple or Google."
        static let wrong = "Incorrect email or password. Please try again."
        static let weak = "Password must be at least 8 characters."
        static let rate = "Too many attempts. Please wait a moment and try again."
        static let offline = "Unable to connect. Check your internet and try again."
        static let other = "Something went wrong. Please try again."
        static let blocked = "This account is blocked. Please contact the app's support."
        static let unconfirmed = "Please open the link in the email that we've sent you, or enter its code."
        static let setAside = "Enter the code we emailed you to keep using this password."
        static let closed = "New accounts can't be created here."
        static let store = "We couldn't save your sign-in on this device. Please unlock the device and try again."
    }

    @Test(
        "E6: a weak password says what is wrong with it, by the server's reasons and its own minimum",
        arguments: [
            ("length", nil, "Password must be at least 8 characters."),
            ("length", 12, "Password must be at least 12 characters."),
            ("characters", nil, "Please mix uppercase and lowercase letters, numbers and symbols."),
            ("pwned", nil, "This password is too easy to guess. Please choose another one."),
            ("new-rule", nil, "This password is too easy to guess. Please choose another one."),
        ] as [(String, Int?, String)])
    func weakPasswords(_ reason: String, _ minimum: Int?, _ text: String) {
        let message = minimum.map { "Password should be at least \($0) characters." } ?? ""
        let refusal = AuthRefusal(
            status: 422, code: .weakPassword, message: message, weakPasswordReasons: [reason])
        #expect(SignInMessage(.email, AuthClientError.refused(refusal))?.text == text)
        #expect(SignInMessage(changing: AuthClientError.refused(refusal))?.text == text)
    }

    @Test(
        "Lasting failures of a provider offer no retry",
        arguments: [
            (0, "The identity from the provider could not be verified", AuthError.Code.providerFailed),
            (0, "Unable to exchange external code: abcd", .providerFailed),
            (0, "Error getting user email from external provider", .noProviderEmail),
            (500, "Error getting user email from external provider", .noProviderEmail),
        ])
    func lasting(_ status: Int, _ text: String, _ problem: AuthError.Code) {
        let refusal = AuthRefusal(status: status, code: .unexpectedFailure, message: text)
        #expect(AuthError(AuthClientError.refused(refusal)).code == problem)
        #expect(SignInMessage(.google, AuthClientError.refused(refusal))?.action != .retry)
    }

    @Test("A provider that the library does not know is named as people know it")
    func names() {
        let methods = ["github", "azure", "linkedin_oidc", "custom:acme-corp"].map(AuthMethod.init(rawValue:))
        #expect(methods.map(\.name) == ["GitHub", "Microsoft", "LinkedIn", "Acme Corp"])
        #expect(SignInMessage(methods[0], .other)?.text == "Sign in with GitHub failed. Please try again.")
    }

    @Test(
        "Every error of a provider has its text and its action",
        arguments: [
            (.noNetwork, "No internet connection. Please try again.", .retry),
            (.providerFailed, "Sign in with Apple failed. Please try again.", nil),
            (.serviceDown, "Sign in service unavailable. Please try again later.", .retry),
            (
                .noProviderEmail, "Apple didn't share an email address. Please use another way to sign in.",
                .otherMethod
            ),
            (.invalidCallback, "Sign in failed. Please try again.", nil),
            (.sessionExpired, "Session expired. Please sign in again.", nil),
            (.serverError, "Service temporarily unavailable. Please try again later.", .retry),
            (.emailInUse, "This email is already associated with another account.", .link),
            (.linkExpired, "That took too long. Please sign in again.", nil),
            (
                .linkOtherAccount, "That account has a different email. Please sign in to the account with this email.",
                nil
            ),
        ] as [(AuthError.Code, String, OfferedAction?)])
    func providerErrors(_ problem: AuthError.Code, _ text: String, _ action: OfferedAction?) {
        for method in [AuthMethod.apple, .google] {
            let message = SignInMessage(method, problem)
            #expect(message?.text == (method == .google ? text.replacing("Apple", with: "Google") : text))
            #expect(message?.action == action)
        }
    }

    @Test("A cancelled sign-in shows nothing, whatever cancelled it", arguments: [AuthMethod.apple, .google, .email])
    func cancelled(_ method: AuthMethod) {
        let errors: [any Error] = [
            CancellationError(), AuthError.cancelled, AuthClientError.cancelled,
            Self.refused(0, AuthErrorCode(rawValue: "access_denied")),
            Self.refused(0, AuthErrorCode(rawValue: "user_cancelled_authorize")),
        ]
        for error in errors { #expect(SignInMessage(method, error) == nil) }
    }

    @Test(
        "Errors of a provider's sign-in are distinguished",
        arguments: [
            (refused(502), .serviceDown), (refused(500), .serverError), (refused(429), .rateLimited),
            (.unknownFlow, .invalidCallback), (refused(0, .badOAuthState), .invalidCallback),
            (refused(422, .identityAlreadyExists), .emailInUse), (refused(400, .validationFailed), .other),
            (.signedOut(.endedByServer(.sessionExpired)), .sessionExpired), (.offline(.status(504)), .serviceDown),
            (refused(422, .identityNeedsConfirmation), .emailInUse), (refused(422, .linkNotRecoverable), .emailInUse),
            (refused(404, .linkTicketNotFound), .linkExpired), (refused(409, .linkTicketOutdated), .linkExpired),
            (refused(403, .linkTicketOtherAccount), .linkOtherAccount), (refused(400), .other),
            (refused(0, .unexpectedFailure), .serverError),
            (refused(0, AuthErrorCode(rawValue: "server_error")), .serverError),
            (refused(0, AuthErrorCode(rawValue: "temporarily_unavailable")), .serviceDown),
            (refused(0, .signupDisabled), .signUpDisabled), (refused(500, .unexpectedFailure), .serverError),
            (refused(503, .unexpectedFailure), .serviceDown),
        ] as [(AuthClientError, AuthError.Code)])
    func problems(_ error: AuthClientError, _ problem: AuthError.Code) {
        #expect(AuthError(error).code == problem)
    }

    @Test(
        "Errors of the gateway, and of a sheet, are distinguished",
        arguments: [
            (AuthClientError.offline(.noAnswer("x")), .noNetwork),
            (AuthClientError.offline(.notUnderstood("page")), .serviceDown),
            (AuthClientError.refused(AuthRefusal(status: 503, code: nil)), .serviceDown),
            (AuthClientError.refused(AuthRefusal(status: 500, code: nil)), .serverError),
            (
                AuthClientError.refused(AuthRefusal(status: 429, code: AuthErrorCode(rawValue: "RATE_LIMITED"))),
                .rateLimited
            ),
            (AuthClientError.signedOut(.endedByServer(.sessionExpired)), .sessionExpired),
            (AuthClientError.refusesValidToken(AuthErrorCode(rawValue: "TOKEN_INVALID")), .serverError),
            (AuthClientError.storeUnavailable("locked"), .storeFailed),
            (URLError(.notConnectedToInternet), .noNetwork),
            (AuthError.notAuthenticated, .sessionExpired), (AuthClientError.cancelled, .cancelled),
            (AuthClientError.timedOut, .invalidCallback),
            (AuthClientError.invalidCallback, .invalidCallback),
            (AuthClientError.couldNotOpenBrowser, .providerFailed),
        ] as [(any Error, AuthError.Code)])
    func otherProblems(_ error: any Error, _ problem: AuthError.Code) {
        #expect(AuthError(error).code == problem)
    }

    @Test(
        "An address of another account opens the linking screen (E7)",
        arguments: [
            AuthErrorCode(rawValue: "identity_needs_confirmation"), .emailExists, .userAlreadyExists,
            .identityAlreadyExists,
        ])
    func linking(_ code: AuthErrorCode) {
        for method in [AuthMethod.apple, .google] {
            let message = SignInMessage(method, Self.refused(422, code))
            #expect(message?.text == "This email is already associated with another account.")
            #expect(message?.action == .link)
        }
    }

    @Test("Only the message of a conflict has a question", arguments: [AuthMethod.apple, .google, .email])
    func question(_ method: AuthMethod) {
        let question = AuthLinkQuestion(
            ticket: AuthLinkTicket("t"), expiresAt: Date(timeIntervalSince1970: 0), email: "ada@example.com",
            provider: "google", signInMethods: ["password"], canRecover: false)
        let refusal = AuthRefusal(status: 422, code: .identityNeedsConfirmation, linkQuestion: question)
        #expect(SignInMessage(method, AuthClientError.refused(refusal))?.question == question)
        #expect(SignInMessage(method, Self.refused(422, .identityNeedsConfirmation))?.question == nil)
        #expect(SignInMessage(method, Self.down)?.question == nil)
    }

    @Test(
        "The account's own errors have their texts",
        arguments: [
            (.notAuthenticated, "Please sign in to continue."),
            (.forbidden, "You don't have permission to do that."),
            (.freshSignInNeeded, "Please sign in again, then try again."),
            (.offline(.noConnection), "You're offline. Some features may be unavailable."),
            (.networkError(.unexpectedAnswer("x")), "Something went wrong. Please try again."),
            (.profileNotCreated, "Account created but profile setup failed. Please try again."),
            (.unknown(nil), "Something went wrong. Please try again."),
        ] as [(AuthError, String)])
    func accountErrors(_ error: AuthError, _ text: String) {
        #expect(error.message == text)
        #expect(error.localizedDescription == text)
    }

    @Test(
        "A link that needs a fresh sign-in says so, whichever way it was wanted",
        arguments: [AuthMethod.apple, .google, .email])
    func freshSignIn(_ method: AuthMethod) {
        let message = SignInMessage(method, Self.refused(403, .freshSignInRequired))
        #expect(message == SignInMessage(changing: Self.refused(403, .freshSignInRequired)))
        #expect(message?.text == "Please sign in again, then try again.")
    }

    @Test(
        "A session that the server ended says why, if the server does",
        arguments: [
            (.passwordChanged, "Your password was changed. Please sign in again."),
            (.signedOut, "This device was signed out from another one. Please sign in again."),
            (.signedOutEverywhere, "All devices were signed out. Please sign in again."),
            (.linkUndone, "The way you signed in was removed from the account. Please sign in another way."),
            (.refreshTokenReused, "For your safety you were signed out, because a copy of this session was in use."),
            (.inactivity, "You were signed out because you hadn't used the app for a long time. Please sign in again."),
            (.secondFactorVerified, "Two-step verification is now on. Please sign in again."),
            (.accountDeleted, "This account was deleted."),
            (.banned, "This account is blocked. Please contact the app's support."),
            (.lifetime, "Session expired. Please sign in again."),
            (SessionEndReason(rawValue: "of_tomorrow"), "Session expired. Please sign in again."),
        ] as [(SessionEndReason, String)])
    func causes(_ cause: SessionEndReason, _ text: String) {
        #expect(SignInMessage(.endedByServer(.sessionNotFound, because: cause))?.text == text)
    }

    @Test("Only a session that the server ended shows a message")
    func ends() {
        for reason in [SignedOutReason.endedByServer(.sessionExpired), .consentRevoked] {
            #expect(SignInMessage(reason)?.text == "Session expired. Please sign in again.")
        }
        #expect(
            SignInMessage(.deviceKeyLost)?.text
                == "This device's key is gone, for example after moving to a new phone. Sign in again.")
        for reason in [SignedOutReason.neverSignedIn, .requested, .signedOutElsewhere, .storeDamaged] {
            #expect(SignInMessage(reason) == nil)
        }
    }
}
