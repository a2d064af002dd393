public import Gatehouse
import GatehouseModel

extension InMemoryAuthService {
    /// What the service was asked for, as far as a server would have heard of it.
    public enum Call: String, Hashable, Sendable, CaseIterable {
        case signUp
        /// With address and password.
        case signIn
        /// With a provider's token.
        case signInWithProvider
        /// With what a browser came back with, to sign in or to link.
        case finishInBrowser
        /// Where a browser starts to link a provider.
        case startLinkInBrowser
        case refresh
        case identities
        case link
        case unlink
        case undoableLinks
        case undoLink
        /// With a password, or with the session of somebody who is signed in.
        case confirmLink
        case recoverAccount
        /// Of the account, as a name that the server did not take with the sign-in.
        case updateMetadata
        /// Of address or password.
        case updateUser
        /// For a code by mail.
        case reauthenticate
        case signOut
        case fetchMe
        case updateProfile
        case deleteAccount
    }

    /// What goes wrong, by name. Each fits some calls; what it does to a call is what an app sees of the real thing.
    public enum Fault: Hashable, Sendable {
        /// There is no connection: nothing reaches the server. A sign-out still ends signed out here.
        case offline
        /// The server does what it was asked, and its answer is lost.
        case answerLost
        /// The server does what it was asked, and its answer is held until ``InMemoryAuthService/release()``.
        case slow
        /// 503.
        case serviceUnavailable
        /// 500.
        case serverError
        /// 429.
        case rateLimited(retryAfter: Duration?)
        /// Unknown address or wrong password.
        case wrongCredentials
        /// A sign-up is refused with `user_already_exists`, a new address with `email_exists`, a link with
        /// `identity_already_exists`, a provider's sign-in with `identity_needs_confirmation` and a question that nobody
        /// can answer. (For one that can be answered, see
        /// ``InMemoryAuthService/addAccount(email:password:firstName:favoriteTeams:isEmailProven:)``.)
        case emailTaken
        /// The answer to a question comes too late.
        case linkTicketExpired
        /// The owner of the address has proven it meanwhile.
        case notRecoverable
        /// The link cannot be taken back any more.
        case linkTooOld
        /// A new password needs the current one.
        case currentPasswordRequired
        /// The current password that was given is not the one.
        case currentPasswordWrong
        /// A new password needs a code, which ``Call/reauthenticate`` sends.
        case codeRequired
        /// The code that was given is not the one, or too old.
        case codeWrong
        /// The server does not take the name that Apple told beside its token, as hosted Supabase.
        case nameIgnored
        case weakPassword
        /// The server does not take the provider's token.
        case tokenRejected
        /// The person pressed "Cancel" on the provider's page.
        case providerCancelled
        /// The browser came back with a code that this device did not ask for.
        case invalidCallback
        /// The account is there, and its profile is not.
        case profileMissing
        /// The gateway's 403.
        case forbidden
        /// The gateway takes neither the token nor the one that a refresh gave.
        case accessTokenRefused
        /// The server says that the session is over, such as `session_expired`.
        case sessionEndedByServer(AuthErrorCode)
        /// The store does not answer, as on a locked phone. While it is so from the start, nobody knows who is signed
        /// in; later, it keeps whoever is signed in from being replaced.
        case storeLocked
    }
}

extension InMemoryAuthService.Call {
    /// Whether the gateway answers it.
    var isGateway: Bool { [.fetchMe, .updateProfile, .deleteAccount].contains(self) }

    /// Whether it needs somebody who is signed in.
    var needsSession: Bool {
        isGateway
            || [
                .refresh, .identities, .link, .unlink, .startLinkInBrowser, .undoableLinks, .undoLink, .updateMetadata,
                .updateUser, .reauthenticate,
            ].contains(self)
    }

    /// Whether its answer is a session, which the store has to keep.
    var isKept: Bool {
        [
            .signUp, .signIn, .signInWithProvider, .finishInBrowser, .link, .confirmLink, .recoverAccount, .refresh,
            .signOut,
        ].contains(self)
    }
}

extension InMemoryAuthService.Fault {
    /// Whether it can happen to this call.
    func fits(_ call: InMemoryAuthService.Call) -> Bool {
        switch self {
        case .offline, .answerLost, .slow, .serviceUnavailable, .serverError, .rateLimited: true
        case .wrongCredentials: call == .signIn || call == .confirmLink
        case .linkTicketExpired: call == .confirmLink || call == .recoverAccount
        case .notRecoverable: call == .recoverAccount
        case .linkTooOld: call == .undoLink
        case .nameIgnored: call == .signInWithProvider || call == .link
        case .emailTaken: [.signUp, .signInWithProvider, .finishInBrowser, .link, .updateUser].contains(call)
        case .weakPassword: call == .signUp || call == .updateUser
        case .currentPasswordRequired, .currentPasswordWrong, .codeRequired, .codeWrong: call == .updateUser
        case .tokenRejected: call == .signInWithProvider || call == .link
        case .providerCancelled, .invalidCallback: call == .finishInBrowser
        case .profileMissing: call == .fetchMe
        case .forbidden, .accessTokenRefused: call.isGateway
        case .sessionEndedByServer: call.needsSession
        case .storeLocked: call.isKept
        }
    }

    /// What the caller is thrown; nil for faults that let the server do its part.
    func error(at call: InMemoryAuthService.Call) -> (any Error)? {
        if call.isGateway { return gatewayError }
        let error: AuthClientError? =
            switch self {
            case .slow, .answerLost, .profileMissing, .forbidden, .accessTokenRefused, .nameIgnored: nil
            case .offline: Self.lost
            case .serviceUnavailable: Self.refused(503)
            case .serverError: Self.refused(500, .unexpectedFailure)
            case .rateLimited(let pause): Self.refused(429, .overRequestRateLimit, retryAfter: pause)
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
            case .codeWrong: Self.refused(422, .reauthenticationNotValid)
            case .providerCancelled: Self.refused(0, AuthErrorCode(rawValue: "access_denied"))
            case .invalidCallback: .unknownFlow
            case .sessionEndedByServer(let code): .signedOut(.endedByServer(code))
            case .storeLocked: Self.locked
            }
        // A refresh does not tell the statuses that pass from no connection.
        if call == .refresh, case .refused(let refusal) = error {
            return AuthClientError.offline(.status(refusal.status))
        }
        return error
    }

    private var gatewayError: GatewayError? {
        switch self {
        case .offline: .offline(.noAnswer("in memory"))
        case .serviceUnavailable: .server(status: 503)
        case .serverError: .server(status: 500)
        case .rateLimited(let pause):
            .refused(GatewayRefusal(status: 429, code: "RATE_LIMITED", retryAfter: pause))
        case .forbidden: .forbidden(code: "FORBIDDEN", message: "")
        case .accessTokenRefused: .notAuthenticated(.tokenRefused(code: "TOKEN_INVALID"))
        case .sessionEndedByServer(let code): .notAuthenticated(.signedOut(.endedByServer(code)))
        case .answerLost, .slow, .wrongCredentials, .emailTaken, .weakPassword, .tokenRejected, .providerCancelled,
            .invalidCallback, .profileMissing, .storeLocked, .linkTicketExpired, .notRecoverable, .linkTooOld,
            .nameIgnored, .currentPasswordRequired, .currentPasswordWrong, .codeRequired, .codeWrong:
            nil
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

    static let lost = AuthClientError.offline(.noAnswer("in memory"))
    static let locked = AuthClientError.storeUnavailable("locked")

    static func refused(
        _ status: Int, _ code: AuthErrorCode? = nil, retryAfter: Duration? = nil, question: LinkQuestion? = nil
    ) -> AuthClientError {
        .refused(AuthRefusal(status: status, code: code, retryAfter: retryAfter, linkQuestion: question))
    }

    /// The caller's loss of an answer that the server sent.
    func lostAnswer(at call: InMemoryAuthService.Call) -> any Error {
        call.isGateway ? GatewayError.offline(.noAnswer("in memory")) : Self.lost
    }
}
