public import Foundation
public import Gatehouse

/// The services that ``AuthManager`` uses. Tests and previews replace them.
///
/// Apps use ``LiveAuthService``. Methods throw `AuthClientError`, `GatewayError` for the profile, or
/// `CancellationError`. Calls for the signed-in user throw `AuthClientError.signedOut` without a session.
public protocol AuthService: ProfileSource {
    /// Events of the session, beginning with `initialSession`. Each access returns a new stream.
    var authStateChanges: AsyncStream<AuthChange> { get }

    /// Internal events. Each access returns a new stream.
    var notices: AsyncStream<AuthNotice> { get }

    /// The current session, without a call to the server; nil if signed out or if the store does not answer.
    var currentSession: Session? { get async }

    /// Returns a valid access token, refreshed first if necessary.
    ///
    /// - Throws: `AuthClientError`: `signedOut` without a session; `offline`, `storeUnavailable` or `storeFailed` if it
    ///   could not be refreshed, after which the session is kept.
    func accessToken() async throws -> String

    /// Signs in with a password.
    ///
    /// - Throws: `AuthClientError`, with the code `invalid_credentials` for both an unknown account and a wrong
    ///   password. The previous session stays active.
    func signIn(email: String, password: String) async throws -> Session

    /// Creates an account.
    ///
    /// - Returns: `user` if the user must open a confirmation mail first.
    /// - Throws: `AuthClientError`, with the code `user_already_exists` or `weak_password`. The previous session stays
    ///   active.
    func signUp(email: String, password: String, firstName: String?) async throws -> AuthResponse

    /// Signs in with the result of a provider's own sheet.
    ///
    /// - Throws: `AuthClientError`, with a `linkQuestion` if the address already belongs to an account. The previous
    ///   session stays active.
    func signIn(with credentials: OpenIDConnectCredentials) async throws -> Session

    /// Signs in with a provider in a browser. Deletes the flow in any case.
    ///
    /// - Throws: `AuthClientError`, as ``signIn(with:)``; `WebAuthenticationError`; or errors of the browser.
    func signIn(with provider: Provider, in browser: any WebAuthenticator) async throws -> Session

    /// Links the identity of a question to the signed-in account, and returns a new session.
    ///
    /// - Throws: `AuthClientError`. Codes: `link_ticket_other_account`, after which the ticket stays valid;
    ///   `link_ticket_not_found` and `link_ticket_outdated`, after which the user must sign in again.
    func confirmLink(_ ticket: LinkTicket) async throws -> Session

    /// Signs in with a password and links the identity of a question, in one transaction.
    ///
    /// - Throws: As ``confirmLink(_:)``, and `invalid_credentials`, after which the ticket stays valid.
    func confirmLink(_ ticket: LinkTicket, email: String, password: String) async throws -> Session

    /// Claims the address of a question for a new account.
    ///
    /// - Throws: As ``confirmLink(_:)``, and `link_not_recoverable` if the address has been proven meanwhile.
    func recoverAccount(with ticket: LinkTicket) async throws -> Session

    /// Merges members into the account's metadata at the top level.
    ///
    /// - Throws: `AuthClientError`: `signedOut` without a session.
    func updateMetadata(_ data: JSONObject) async throws

    /// Changes the signed-in user's email address or password.
    ///
    /// - Returns: The updated account. A new address that must be confirmed first is its `newEmail`.
    /// - Throws: `AuthClientError`: `signedOut` without a session. Codes: `email_exists`, `weak_password`,
    ///   `same_password`, `current_password_required`, `current_password_invalid`, `reauthentication_needed`,
    ///   `reauthentication_not_valid`, `fresh_sign_in_required`. After `offline` the change may have taken effect.
    func update(user: UserAttributes) async throws -> User

    /// Sends a code to the user's email address, for use as the `nonce` of ``update(user:)``.
    ///
    /// - Throws: `AuthClientError`: `signedOut` without a session; with the code `email_provider_disabled` if the
    ///   server sends no mail.
    func reauthenticate() async throws

    /// Asks Apple about the signed-in user, and ends the session if the user has revoked the consent.
    ///
    /// - Returns: Whether the session ended.
    func checkAppleCredential(_ credentials: AppleCredentials) async -> Bool

    /// Fetches the user's sign-in methods.
    ///
    /// - Throws: `AuthClientError`: `signedOut` without a session.
    func identities() async throws -> [UserIdentity]

    /// Links a provider's identity to the signed-in account, and returns a new session.
    ///
    /// - Throws: `AuthClientError`: `signedOut` without a session. Codes: `identity_already_exists` if the identity
    ///   already belongs to an account; `fresh_sign_in_required`.
    func link(with credentials: OpenIDConnectCredentials) async throws -> Session

    /// Links a provider in a browser; see ``signIn(with:in:)``.
    ///
    /// - Throws: As ``link(with:)``; `WebAuthenticationError`; or errors of the browser.
    func link(_ provider: Provider, in browser: any WebAuthenticator) async throws -> Session

    /// Returns the recent links that can be undone.
    ///
    /// - Throws: `AuthClientError`: `signedOut` without a session; `refused` with status 404 if the server does not
    ///   support this.
    func undoableLinks() async throws -> [UndoableLink]

    /// Undoes a link.
    ///
    /// - Throws: `AuthClientError`: `signedOut` without a session. Codes: `link_not_undoable` if it is too old;
    ///   `identity_not_found`; `single_identity_not_deletable` for the last sign-in method; `fresh_sign_in_required`.
    func undoLink(identityID: UUID) async throws

    /// Removes a sign-in method.
    ///
    /// - Throws: `AuthClientError`: `signedOut` without a session. Codes: `single_identity_not_deletable` for the last
    ///   one; `identity_not_found`; `fresh_sign_in_required`.
    func unlink(_ identity: UserIdentity) async throws

    /// Ends this device's session. The client is signed out afterwards, even if this throws.
    ///
    /// - Throws: `AuthClientError.storeFailed` if the stored session could not be deleted; it may return with the next
    ///   start.
    func signOut() async throws
}

/// The service of an app: the auth client and the gateway's profiles.
public struct LiveAuthService: AuthService {
    private let client: AuthClient
    private let gateway: any ProfileSource
    private let redirectTo: URL?

    /// Creates a service without making a call.
    ///
    /// - Parameters:
    ///   - gateway: Usually a `GatewayClient`, with tokens from the same client; ``MetadataProfile`` without a gateway.
    ///   - redirectTo: The target of the links in confirmation mails, for a new account and for a new address; the
    ///     server must allow it.
    public init(client: AuthClient, gateway: any ProfileSource, redirectTo: URL? = nil) {
        self.client = client
        self.gateway = gateway
        self.redirectTo = redirectTo
    }

    public var authStateChanges: AsyncStream<AuthChange> { client.authStateChanges }
    public var notices: AsyncStream<AuthNotice> { client.notices }
    public var currentSession: Session? { get async { await client.currentSession } }

    public func accessToken() async throws -> String { try await client.session.accessToken }

    public func signIn(email: String, password: String) async throws -> Session {
        try await client.signIn(email: email, password: password)
    }

    public func signUp(email: String, password: String, firstName: String?) async throws -> AuthResponse {
        try await client.signUp(
            email: email, password: password, data: firstName.map { ["first_name": .string($0)] },
            redirectTo: redirectTo)
    }

    public func signIn(with credentials: OpenIDConnectCredentials) async throws -> Session {
        try await client.signInWithIdToken(credentials: credentials)
    }

    public func signIn(with provider: Provider, in browser: any WebAuthenticator) async throws -> Session {
        try await client.signInWithOAuth(provider: provider, in: browser)
    }

    public func confirmLink(_ ticket: LinkTicket) async throws -> Session { try await client.confirmLink(ticket) }

    public func confirmLink(_ ticket: LinkTicket, email: String, password: String) async throws -> Session {
        try await client.confirmLink(ticket, email: email, password: password)
    }

    public func recoverAccount(with ticket: LinkTicket) async throws -> Session {
        try await client.recoverAccount(with: ticket)
    }

    public func updateMetadata(_ data: JSONObject) async throws {
        try await client.update(user: UserAttributes(data: data))
    }

    public func update(user: UserAttributes) async throws -> User {
        try await client.update(user: user, redirectTo: redirectTo)
    }

    public func reauthenticate() async throws { try await client.reauthenticate() }

    public func checkAppleCredential(_ credentials: AppleCredentials) async -> Bool {
        await client.checkAppleCredential(credentials)
    }

    public func identities() async throws -> [UserIdentity] { try await client.userIdentities() }

    public func link(with credentials: OpenIDConnectCredentials) async throws -> Session {
        try await client.linkIdentityWithIdToken(credentials: credentials)
    }

    public func link(_ provider: Provider, in browser: any WebAuthenticator) async throws -> Session {
        try await client.linkIdentity(provider: provider, in: browser)
    }

    public func undoableLinks() async throws -> [UndoableLink] { try await client.undoableLinks() }
    public func undoLink(identityID: UUID) async throws { try await client.undoLink(identityID: identityID) }
    public func unlink(_ identity: UserIdentity) async throws { try await client.unlinkIdentity(identity) }

    public func signOut() async throws { try await client.signOut(scope: .local) }

    public var isReadOnly: Bool { gateway.isReadOnly }
    public func fetchMe() async throws -> SignedInAccount { try await gateway.fetchMe() }
    public func updateProfile(_ change: ProfileChange) async throws -> SignedInAccount {
        try await gateway.updateProfile(change)
    }
    public func deleteAccount() async throws { try await gateway.deleteAccount() }
}
