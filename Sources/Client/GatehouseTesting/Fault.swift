public import Gatehouse
import GatehouseModel

extension InMemoryAuthService {
    /// A client's call, as the server receives it.
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
        /// Loads the account, including after a change of sign-in methods or factors.
        case user
        /// Links a sign-in method.
        case link
        /// Removes a sign-in method.
        case unlink
        /// Lists the links that can be undone.
        case undoableLinks
        /// Undoes a link.
        case undoLink
        /// With a password, an emailed code, or a signed-in user's session.
        case confirmLink
        /// Emails a link question's code.
        case sendLinkCode
        /// Recovers an address.
        case recoverAccount
        /// Changes the account's metadata, including a name missing after a sign-up.
        case updateMetadata
        /// Changes email address, telephone number or password.
        case updateUser
        /// Emails a code.
        case reauthenticate
        /// A sign-out.
        case signOut
        /// Loads the profile.
        case fetchMe
        /// Changes the profile.
        case updateProfile
        /// Deletes the account.
        case deleteAccount
        /// Loads the server's settings, at any time: only lasting faults and those for this call apply.
        case settings
        /// Lists the user's devices.
        case sessions
        /// Signs a device out.
        case revokeSession
        /// Opens a session for a widget, an extension, a watch, another app or a television.
        case makeChildSession
        /// Sends a password reset email.
        case sendPasswordMail
        /// Sends another confirmation email.
        case resendConfirmation
        /// Opens an emailed link.
        case openMailLink
        /// Sends a sign-in email.
        case sendSignInMail
        /// Sends an email change's emails again.
        case resendEmailChange
        /// Redeems an emailed or texted code.
        case verifyCode
        /// Texts a code, to sign in or for the confirmation of a number.
        case sendText
        /// Texts the code of a telephone factor.
        case sendFactorCode
        /// Requests a passkey's challenge.
        case passkeyOptions
        /// With a passkey.
        case signInWithPasskey
        /// Creates a passkey.
        case registerPasskey
        /// Lists passkeys.
        case passkeys
        /// Renames or deletes a passkey.
        case changePasskey
        /// Adds an authenticator app or a telephone number.
        case enrollFactor
        /// Verifies an authenticator app's or a telephone factor's code.
        case verifyFactor
        /// Removes a factor or the recovery codes.
        case removeFactor
        /// Counts the remaining recovery codes.
        case recoveryCodes
        /// Generates recovery codes.
        case makeRecoveryCodes
        /// Redeems a recovery code.
        case verifyRecoveryCode
        /// Signs the same user in again, as a fresh proof.
        case signInAgain
        /// Moves the current account's address to a new account.
        case startOver
        /// Looks at a request for access, by its id or its device's code.
        case authorization
        /// Approves or denies a request for access.
        case decideAuthorization
        /// Gives up a request for access, for another account.
        case releaseAuthorization
        /// Lists the undecided requests for access.
        case pendingAuthorizations
        /// Lists the apps and agents with access.
        case grants
        /// Ends an app's or agent's access.
        case revokeGrant
    }

    /// A named failure of certain calls.
    public enum Fault: Hashable, Sendable {
        /// No connection. A sign-out still works locally.
        case offline
        /// The server processes the call, but its response is lost.
        case answerLost
        /// The response is held until ``InMemoryAuthService/release()``.
        case slow
        /// 503.
        case serviceUnavailable
        /// 500.
        case serverError
        /// 429.
        case rateLimited(retryAfter: Duration?)
        /// An unknown address or wrong password.
        case wrongCredentials
        /// The address belongs to an account.
        ///
        /// The code is `user_already_exists` for a sign-up, `email_exists` for an address change,
        /// `identity_already_exists` for a link, and `identity_needs_confirmation` for a provider sign-in, whose
        /// question cannot be answered. For an answerable one, see
        /// ``InMemoryAuthService/addAccount(email:password:firstName:data:others:isEmailProven:)``.
        case emailTaken
        /// The link question's ticket has expired.
        case linkTicketExpired
        /// The address can no longer be moved to a new account.
        case notRecoverable
        /// The link is too old to undo.
        case linkTooOld
        /// A new password requires the current one.
        case currentPasswordRequired
        /// The current password is wrong.
        case currentPasswordWrong
        /// A new password requires the code from ``Call/reauthenticate``.
        case codeRequired
        /// The code, from an email or ``Call/reauthenticate``, is wrong or expired.
        case codeWrong
        /// The server ignores the name with Apple's token, as hosted Supabase does.
        case nameIgnored
        /// The password is too weak.
        case weakPassword
        /// The server rejects the provider's token.
        case tokenRejected
        /// The user pressed "Cancel" on the provider's page.
        case providerCancelled
        /// A browser's or emailed link's code that this device did not request.
        case invalidCallback
        /// The server sends no email.
        case mailDisabled
        /// The text message could not be sent.
        case textFailed
        /// The server does not accept telephone numbers.
        case phoneDisabled
        /// Another account has the telephone number.
        case phoneTaken
        /// 404: the server lacks this call.
        case notSupported
        /// The account's last sign-in method.
        case lastMethod
        /// 403: the change requires a fresh proof.
        case freshProofNeeded
        /// The account has no profile yet.
        case profileMissing
        /// The gateway's 403.
        case forbidden
        /// The gateway rejects a token that the auth server accepts.
        case accessTokenRefused
        /// The server reports the session's end, for example `session_expired`.
        case sessionEndedByServer(AuthErrorCode)
        /// The store does not answer, as on a locked device. The state is unknown, or the current session cannot be
        /// replaced.
        case storeLocked
    }
}

extension InMemoryAuthService.Call {
    /// Lists sign-in methods, which the account includes.
    public static let identities = InMemoryAuthService.Call.user
    /// Lists second factors, which the account includes.
    public static let factors = InMemoryAuthService.Call.user

    var isGateway: Bool { [.fetchMe, .updateProfile, .deleteAccount].contains(self) }

    /// Whether the call only requests an email.
    var isMail: Bool {
        [
            .sendPasswordMail, .resendConfirmation, .sendSignInMail, .resendEmailChange, .sendLinkCode,
            .reauthenticate,
        ].contains(self)
    }

    /// Whether the call only requests a text message.
    var isText: Bool { self == .sendText || self == .sendFactorCode }

    var needsSession: Bool {
        isGateway
            || [
                .refresh, .user, .link, .unlink, .startLinkInBrowser, .undoableLinks, .undoLink, .updateMetadata,
                .updateUser, .reauthenticate, .sessions, .revokeSession, .makeChildSession, .registerPasskey, .passkeys,
                .changePasskey,
                .enrollFactor, .sendFactorCode, .verifyFactor, .removeFactor, .recoveryCodes, .makeRecoveryCodes,
                .verifyRecoveryCode, .startOver, .authorization, .decideAuthorization, .releaseAuthorization,
                .pendingAuthorizations, .grants, .revokeGrant,
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
