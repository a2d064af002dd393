public import Gatehouse
import GatehouseModel

extension InMemoryAuthService {
    /// A call of the client, as the server receives it.
    public enum Call: String, Hashable, Sendable, CaseIterable {
        /// A sign-up.
        case signUp
        /// With email address and password.
        case signIn
        /// With a provider's token.
        case signInWithProvider
        /// With the code from a browser, to sign in or to link.
        case finishInBrowser
        /// Requests the URL that starts linking a provider.
        case startLinkInBrowser
        /// A refresh of the session.
        case refresh
        /// The load of the account, with its sign-in methods and second factors; also after a change of them.
        case user
        /// The link of a sign-in method.
        case link
        /// The removal of a sign-in method.
        case unlink
        /// The list of links that can be undone.
        case undoableLinks
        /// The undoing of a link.
        case undoLink
        /// With a password, a mailed code, or the session of a signed-in user.
        case confirmLink
        /// A mail with the code of a link question.
        case sendLinkCode
        /// The recovery of an address.
        case recoverAccount
        /// Of the account; sends a name that the server did not store during the sign-in.
        case updateMetadata
        /// Of email address or password.
        case updateUser
        /// Sends a code by mail.
        case reauthenticate
        /// A sign-out.
        case signOut
        /// The load of the profile.
        case fetchMe
        /// A change of the profile.
        case updateProfile
        /// The deletion of the account.
        case deleteAccount
        /// Asks what the server offers. Without a session, and at times of the screens' own choice: only lasting faults
        /// and those for this kind of call apply to it.
        case settings
        /// Lists the user's devices.
        case sessions
        /// The sign-out of a device.
        case revokeSession
        /// A mail to reset the password.
        case sendPasswordMail
        /// Another confirmation mail.
        case resendConfirmation
        /// A link of a mail.
        case openMailLink
        /// A mail to sign in with.
        case sendSignInMail
        /// The mails of an email change once more.
        case resendEmailChange
        /// The code of a mail.
        case verifyCode
        /// The challenge for a passkey.
        case passkeyOptions
        /// With a passkey.
        case signInWithPasskey
        /// A new passkey.
        case registerPasskey
        /// The list of passkeys.
        case passkeys
        /// The renaming or deletion of a passkey.
        case changePasskey
        /// A new authenticator app.
        case enrollFactor
        /// The code of an authenticator app.
        case verifyFactor
        /// The removal of a factor or of the recovery codes.
        case removeFactor
        /// How many recovery codes are left.
        case recoveryCodes
        /// New recovery codes.
        case makeRecoveryCodes
        /// A recovery code.
        case verifyRecoveryCode
        /// The same user once more, as a fresh proof.
        case signInAgain
        /// A new account with the address of the present one.
        case startOver
    }

    /// A named failure. Each applies to certain calls, with the same effect on the app as the real failure.
    public enum Fault: Hashable, Sendable {
        /// No connection: nothing reaches the server. A sign-out still signs out locally.
        case offline
        /// The server processes the call, but its response is lost.
        case answerLost
        /// The server processes the call, but its response is held until ``InMemoryAuthService/release()``.
        case slow
        /// 503.
        case serviceUnavailable
        /// 500.
        case serverError
        /// 429.
        case rateLimited(retryAfter: Duration?)
        /// An unknown address or wrong password.
        case wrongCredentials
        /// An address conflict: `user_already_exists` for a sign-up, `email_exists` for a change of address,
        /// `identity_already_exists` for a link, and `identity_needs_confirmation` for a provider sign-in, with a
        /// question that cannot be answered. (For one that can, see
        /// ``InMemoryAuthService/addAccount(email:password:firstName:data:others:isEmailProven:)``.)
        case emailTaken
        /// The answer to a question is too late.
        case linkTicketExpired
        /// The address cannot be moved to a new account any more.
        case notRecoverable
        /// The link is too old to undo.
        case linkTooOld
        /// A new password requires the current one.
        case currentPasswordRequired
        /// The given current password is wrong.
        case currentPasswordWrong
        /// A new password requires a code, which ``Call/reauthenticate`` sends.
        case codeRequired
        /// The given code is wrong or expired, of a mail or of ``Call/reauthenticate``.
        case codeWrong
        /// The server ignores the name that Apple sends along with its token, as hosted Supabase does.
        case nameIgnored
        /// The password is too weak.
        case weakPassword
        /// The server refuses the provider's token.
        case tokenRejected
        /// The user pressed "Cancel" on the provider's page.
        case providerCancelled
        /// The browser returned, or a mail's link opened, with a code that this device did not request.
        case invalidCallback
        /// The server sends no mail.
        case mailDisabled
        /// The server does not have this call: 404.
        case notSupported
        /// The sign-in method is the last one of the account.
        case lastMethod
        /// The change requires a fresh proof: 403.
        case freshProofNeeded
        /// The account exists, but its profile does not.
        case profileMissing
        /// The gateway's 403.
        case forbidden
        /// The gateway refuses a token that the auth server confirms. The session stays.
        case accessTokenRefused
        /// The server states that the session has ended, for example `session_expired`.
        case sessionEndedByServer(AuthErrorCode)
        /// The store does not answer, as on a locked device. If this applies from the start, the state is unknown;
        /// later, the current session cannot be replaced.
        case storeLocked
    }
}

extension InMemoryAuthService.Call {
    /// The list of sign-in methods, which the account has.
    public static let identities = InMemoryAuthService.Call.user
    /// The list of second factors, which the account has.
    public static let factors = InMemoryAuthService.Call.user

    /// Whether the call goes to the gateway.
    var isGateway: Bool { [.fetchMe, .updateProfile, .deleteAccount].contains(self) }

    /// Whether the call requests a mail, and nothing else.
    var isMail: Bool {
        [
            .sendPasswordMail, .resendConfirmation, .sendSignInMail, .resendEmailChange, .sendLinkCode,
            .reauthenticate,
        ].contains(self)
    }

    /// Whether the call requires a session.
    var needsSession: Bool {
        isGateway
            || [
                .refresh, .user, .link, .unlink, .startLinkInBrowser, .undoableLinks, .undoLink, .updateMetadata,
                .updateUser, .reauthenticate, .sessions, .revokeSession, .registerPasskey, .passkeys, .changePasskey,
                .enrollFactor, .verifyFactor, .removeFactor, .recoveryCodes, .makeRecoveryCodes, .verifyRecoveryCode,
                .startOver,
            ].contains(self)
    }

    /// Whether the call returns a session, which the store must keep.
    var isKept: Bool {
        [
            .signUp, .signIn, .signInWithProvider, .finishInBrowser, .link, .confirmLink, .recoverAccount, .refresh,
            .openMailLink, .verifyCode, .signOut, .signInWithPasskey, .verifyFactor, .verifyRecoveryCode, .signInAgain,
            .startOver,
        ].contains(self)
    }
}
