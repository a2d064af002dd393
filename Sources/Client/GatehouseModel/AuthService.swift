public import Foundation
public import Gatehouse

/// The services that ``AuthManager`` uses, replaceable in tests and previews.
///
/// Methods throw `AuthClientError`, with the listed codes, or `CancellationError`. Calls for the signed-in user throw
/// `AuthClientError.signedOut` without a session. A failed sign-in keeps the previous session.
public protocol AuthService: ProfileSource, FactorService, PhoneService, ConsentService {
    /// The session's events in a new stream, from `initialSession`.
    var authStateChanges: AsyncStream<AuthChange> { get }

    /// Internal events in a new stream.
    var notices: AsyncStream<AuthNotice> { get }

    /// The stored state, read once before the first frame; `restoring` if the store cannot answer immediately.
    var initialState: AuthState { get }

    /// The current session, without a request; nil if signed out or unknown.
    var currentSession: AuthSession? { get async }

    /// The redirect URL of browsers and emailed links.
    var redirectTo: URL? { get }

    /// The connection, as the system reports it.
    var reachability: Reachability { get }

    /// Fetches the server's settings, without a session.
    func settings() async throws -> AuthServerSettings

    /// Returns a valid access token, refreshed if necessary.
    ///
    /// - Throws: `offline`, `storeUnavailable` or `storeFailed` if the refresh failed, which keeps the session.
    func accessToken() async throws -> String

    /// Returns another access token than a rejected one, unless that is less than 5 seconds old.
    ///
    /// - Throws: As ``accessToken()``.
    func accessToken(insteadOf refused: String) async throws -> String

    /// Creates an account without a sign-in method.
    ///
    /// - Throws: `anonymous_provider_disabled` if the server forbids this.
    func signInAnonymously() async throws -> AuthSession

    /// Signs in with a password.
    ///
    /// - Throws: `invalid_credentials` for an unknown account or a wrong password.
    func signIn(email: String, password: String) async throws -> AuthSession

    /// Creates an account.
    ///
    /// - Returns: `user` if the user must first confirm the address.
    /// - Throws: `user_already_exists` or `weak_password`.
    func signUp(email: String, password: String, firstName: String?) async throws -> SessionOrUser

    /// Signs in with the result of a provider's own sheet.
    ///
    /// - Throws: An error with a `linkQuestion` if the address belongs to an account.
    func signIn(with credentials: IDTokenCredentials) async throws -> AuthSession

    /// Signs in with a provider in a browser. Always deletes the flow.
    ///
    /// - Throws: As `signIn(with:)`, or the browser's errors.
    func signIn(with provider: AuthProvider, in browser: any WebAuthenticator) async throws -> AuthSession

    /// Links a question's identity to the signed-in account, and returns a new session.
    ///
    /// - Throws: `link_ticket_other_account`, which keeps the ticket; `link_ticket_not_found` or
    ///   `link_ticket_outdated`, after which the user must sign in again.
    func confirmLink(_ ticket: AuthLinkTicket) async throws -> AuthSession

    /// Signs in with a password and links a question's identity, in one transaction.
    ///
    /// - Throws: As ``confirmLink(_:)``, and `invalid_credentials`, which keeps the ticket.
    func confirmLink(_ ticket: AuthLinkTicket, email: String, password: String) async throws -> AuthSession

    /// Emails a code to a question's address.
    ///
    /// - Throws: `link_ticket_not_found`, after which the user must sign in again; `over_email_send_rate_limit`;
    ///   `email_provider_disabled` if the server sends no email.
    func sendLinkCode(for ticket: AuthLinkTicket) async throws

    /// Signs in with the code from ``sendLinkCode(for:)`` and links a question's identity, in one transaction.
    ///
    /// - Throws: As ``confirmLink(_:)``; `otp_expired` for a wrong, used or expired code, and `over_request_rate_limit`
    ///   after too many, which keep the ticket.
    func confirmLink(_ ticket: AuthLinkTicket, code: String) async throws -> AuthSession

    /// Moves a question's address to a new account. The previous account keeps everything else.
    ///
    /// - Throws: As ``confirmLink(_:)``, and `link_not_recoverable` if the address cannot be moved.
    func recoverAccount(with ticket: AuthLinkTicket) async throws -> AuthSession

    /// Merges top-level members into the account's metadata.
    func updateMetadata(_ data: AuthJSONObject) async throws

    /// Changes the signed-in user's email address, telephone number or password.
    ///
    /// - Returns: The updated account; an unconfirmed address is its `newEmail`, an unconfirmed number its `newPhone`.
    /// - Throws: `email_exists`, `phone_exists`, `weak_password`, `same_password`, `current_password_required`,
    ///   `current_password_invalid`, `reauthentication_needed`, `reauthentication_not_valid`, `fresh_sign_in_required`.
    ///   After `offline` the change may have taken effect.
    func update(user: AuthUserAttributes) async throws -> AuthUser

    /// Emails the user a code, the `nonce` of ``update(user:)``.
    ///
    /// - Throws: `email_provider_disabled` if the server sends no email.
    func reauthenticate() async throws

    /// Asks Apple about the signed-in user. Revoked consent ends the session.
    ///
    /// - Returns: Whether the session ended.
    func checkAppleCredential(_ credentials: AppleConsent) async -> Bool

    /// Fetches the user's sign-in methods.
    func identities() async throws -> [AuthUserIdentity]

    /// Links a provider's identity to the signed-in account, and returns a new session.
    ///
    /// - Throws: `identity_already_exists` if an account has the identity; `fresh_sign_in_required`.
    func link(with credentials: IDTokenCredentials) async throws -> AuthSession

    /// Links a provider in a browser; see ``signIn(with:in:)``.
    ///
    /// - Throws: As ``link(with:)``, or the browser's errors.
    func link(_ provider: AuthProvider, in browser: any WebAuthenticator) async throws -> AuthSession

    /// Returns the recent links that can be undone.
    ///
    /// - Throws: `refused` with status 404 if the server does not support this.
    func undoableLinks() async throws -> [AuthUndoableLink]

    /// Undoes a link.
    ///
    /// - Throws: `link_not_undoable` if it is too old; `identity_not_found`; `single_identity_not_deletable` for the
    ///   last sign-in method; `fresh_sign_in_required`.
    func undoLink(identityID: UUID) async throws

    /// Removes a sign-in method.
    ///
    /// - Throws: `single_identity_not_deletable` for the last one; `identity_not_found`; `fresh_sign_in_required`.
    func unlink(_ identity: AuthUserIdentity) async throws

    /// Sends a password reset email. Does not reveal accounts.
    ///
    /// - Throws: `email_provider_disabled` if the server sends no email.
    func sendPasswordMail(to email: String) async throws

    /// Sends a sign-up's confirmation email again. Does not reveal accounts.
    ///
    /// - Throws: As ``sendPasswordMail(to:)``.
    func resendConfirmation(to email: String) async throws

    /// Emails a code and a link to sign in with, or to create an account if the server accepts new ones. Does not
    /// reveal accounts.
    ///
    /// - Throws: As ``sendPasswordMail(to:)``.
    func sendSignInMail(to email: String) async throws

    /// Sends a pending email change's emails again, which voids earlier ones.
    ///
    /// - Parameter email: The current address.
    /// - Throws: As ``sendPasswordMail(to:)``.
    func resendEmailChange(of email: String) async throws

    /// Redeems an emailed code. The event `passwordRecovery` follows a code for `recovery`.
    ///
    /// - Returns: `pending` after an email change's first code.
    /// - Throws: `otp_expired` for a wrong, used or expired code; `over_request_rate_limit` after too many.
    func verify(code: String, sentTo email: String, for purpose: EmailCodeType) async throws -> SessionOrUser

    /// Redeems an emailed code with a password: a sign-up's, or one rejected with `credential_set_aside`.
    ///
    /// The account adopts a waiting or set-aside password; any other is ignored.
    ///
    /// - Throws: As ``verify(code:sentTo:for:)``.
    func verify(
        code: String, sentTo email: String, for purpose: EmailCodeType, password: String
    ) async throws -> SessionOrUser

    /// Redeems the code emailed after a passkey's `credential_set_aside`, and restores the passkey.
    ///
    /// - Throws: As ``verify(code:sentTo:for:)``.
    func verify(code: String, restoring ticket: AuthSetAsideTicket) async throws -> SessionOrUser

    /// Moves the account's address to a new account, and returns its session.
    ///
    /// The current session ends; the previous account keeps everything else.
    ///
    /// - Throws: `fresh_sign_in_required` unless the session began with an emailed code or link at most ten minutes
    ///   ago; `validation_failed` without an address; `signup_disabled`.
    func startOver() async throws -> AuthSession

    /// Completes an emailed link, which confirms an address or allows setting a password.
    ///
    /// - Parameters:
    ///   - url: A URL below ``redirectTo``.
    ///   - replacing: Whether the link's user may replace another one. If not, the new session ends.
    /// - Throws: `unknownFlow` for a link that this device did not request; `refused` for an expired or used one;
    ///   `offline`, which keeps the link; `cancelled` if another user stays.
    func openMailLink(_ url: URL, replacing: @escaping @Sendable (_ user: AuthUser) async -> Bool) async throws

    /// Fetches the user's sessions, this device's first.
    ///
    /// - Throws: `refused` with status 404 if the server does not support this.
    func sessions() async throws -> [SessionInfo]

    /// Revokes one of the user's sessions.
    ///
    /// - Throws: As ``sessions()``; status 404 also for an unknown session.
    func revokeSession(id: UUID) async throws

    /// Whether a sign-in keeps the previous account on this device. Constant.
    var allowsSeveralAccounts: Bool { get }

    /// Returns this device's accounts without a request; none unless ``allowsSeveralAccounts``.
    ///
    /// - Throws: `storeUnavailable`.
    func accounts() async throws -> [DeviceAccount]

    /// Activates another account of this device without a request, and parks the current one.
    ///
    /// - Throws: `signedOut` if the account has no session here; the current account stays.
    func use(account: UUID) async throws -> AuthSession

    /// Signs an account out on this device and removes it from the list, even offline.
    ///
    /// - Throws: `storeUnavailable` or `storeFailed` if its session could not be deleted.
    func remove(account: UUID) async throws

    /// Signs all accounts out on this device, even offline.
    ///
    /// - Throws: As ``remove(account:)``.
    func signOutOfAllAccounts() async throws

    /// Ends this device's session. The client is signed out even if this throws.
    ///
    /// - Throws: `storeFailed` if the stored session was not deleted; it may return with the next start.
    func signOut() async throws
}

// For services without these calls.
extension AuthService {
    public var allowsSeveralAccounts: Bool { false }
    public func accounts() async throws -> [DeviceAccount] { [] }
    public func use(account _: UUID) async throws -> AuthSession { throw AuthClientError.signedOut(.neverSignedIn) }
    public func remove(account _: UUID) async throws { try await signOut() }
    public func signOutOfAllAccounts() async throws { try await signOut() }
    public func accessToken(insteadOf _: String) async throws -> String { try await accessToken() }
    public func verify(
        code: String, sentTo email: String, for purpose: EmailCodeType, password _: String
    ) async throws -> SessionOrUser { try await verify(code: code, sentTo: email, for: purpose) }
    public func verify(code _: String, restoring _: AuthSetAsideTicket) async throws -> SessionOrUser {
        throw AuthClientError.refused(AuthRefusal(status: 404, code: nil))
    }
    public func startOver() async throws -> AuthSession {
        throw AuthClientError.refused(AuthRefusal(status: 404, code: nil))
    }
}
