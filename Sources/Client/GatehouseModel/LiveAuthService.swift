public import Foundation
public import Gatehouse

/// An app's service.
public struct LiveAuthService: AuthService {
    let client: GatehouseClient
    private let profiles: any ProfileSource
    let gateway: GatewayClient?
    public let redirectTo: URL?

    /// Creates a service without making a request.
    ///
    /// - Parameters:
    ///   - gateway: A `GatewayClient` with the same client's tokens, or ``MetadataProfile``.
    ///   - redirectTo: The target of browsers and emailed links; the server must allow it.
    public init(client: GatehouseClient, gateway: any ProfileSource, redirectTo: URL? = nil) {
        self.init(client: client, profiles: gateway, gateway: gateway as? GatewayClient, redirectTo: redirectTo)
    }

    init(client: GatehouseClient, profiles: any ProfileSource, gateway: GatewayClient?, redirectTo: URL?) {
        self.client = client
        self.profiles = profiles
        self.gateway = gateway
        self.redirectTo = redirectTo
    }

    public var initialState: AuthState { client.initialState }
    public var reachability: Reachability { client.reachability }
    public func settings() async throws -> AuthServerSettings { try await client.settings() }
    public var authStateChanges: AsyncStream<AuthChange> { client.authStateChanges }
    public var notices: AsyncStream<AuthNotice> { client.notices }
    public var currentSession: AuthSession? { get async { await client.currentSession } }

    public func accessToken() async throws -> String { try await client.session.accessToken }

    public func accessToken(insteadOf refused: String) async throws -> String {
        try await client.refreshSession(insteadOf: refused).accessToken
    }

    public func signInAnonymously() async throws -> AuthSession { try await client.signInAnonymously() }

    public func signIn(email: String, password: String) async throws -> AuthSession {
        try await client.signIn(email: email, password: password)
    }

    public func signUp(email: String, password: String, firstName: String?) async throws -> SessionOrUser {
        try await client.signUp(
            email: email, password: password, data: firstName.map { ["first_name": .string($0)] },
            redirectTo: redirectTo)
    }

    public func signIn(with credentials: IDTokenCredentials) async throws -> AuthSession {
        try await client.signInWithIdToken(credentials: credentials)
    }

    public func signIn(with provider: AuthProvider, in browser: any WebAuthenticator) async throws -> AuthSession {
        try await client.signInWithOAuth(provider: provider, in: browser)
    }

    public func confirmLink(_ ticket: AuthLinkTicket) async throws -> AuthSession {
        try await client.confirmLink(ticket)
    }

    public func confirmLink(_ ticket: AuthLinkTicket, email: String, password: String) async throws -> AuthSession {
        try await client.confirmLink(ticket, email: email, password: password)
    }

    public func sendLinkCode(for ticket: AuthLinkTicket) async throws { try await client.sendLinkCode(for: ticket) }

    public func confirmLink(_ ticket: AuthLinkTicket, code: String) async throws -> AuthSession {
        try await client.confirmLink(ticket, code: code)
    }

    public func recoverAccount(with ticket: AuthLinkTicket) async throws -> AuthSession {
        try await client.recoverAccount(with: ticket)
    }

    public func updateMetadata(_ data: AuthJSONObject) async throws {
        try await client.update(user: AuthUserAttributes(data: data))
    }

    public func update(user: AuthUserAttributes) async throws -> AuthUser {
        try await client.update(user: user, redirectTo: redirectTo)
    }

    public func reauthenticate() async throws { try await client.reauthenticate() }

    public func checkAppleCredential(_ credentials: AppleConsent) async -> Bool {
        await client.checkAppleCredential(credentials)
    }

    public func identities() async throws -> [AuthUserIdentity] { try await client.userIdentities() }

    public func link(with credentials: IDTokenCredentials) async throws -> AuthSession {
        try await client.linkIdentityWithIdToken(credentials: credentials)
    }

    public func link(_ provider: AuthProvider, in browser: any WebAuthenticator) async throws -> AuthSession {
        try await client.linkIdentity(provider: provider, in: browser)
    }

    public func undoableLinks() async throws -> [AuthUndoableLink] { try await client.undoableLinks() }
    public func undoLink(identityID: UUID) async throws { try await client.undoLink(identityID: identityID) }
    public func unlink(_ identity: AuthUserIdentity) async throws { try await client.unlinkIdentity(identity) }

    public func sendPasswordMail(to email: String) async throws {
        try await client.resetPasswordForEmail(email, redirectTo: redirectTo)
    }

    public func resendConfirmation(to email: String) async throws {
        try await client.resend(email: email, type: .signup, emailRedirectTo: redirectTo)
    }

    public func sendSignInMail(to email: String) async throws {
        try await client.signInWithOTP(email: email, redirectTo: redirectTo)
    }

    public func resendEmailChange(of email: String) async throws {
        try await client.resend(email: email, type: .emailChange, emailRedirectTo: redirectTo)
    }

    public func verify(code: String, sentTo email: String, for purpose: EmailCodeType) async throws -> SessionOrUser {
        try await client.verifyOTP(email: email, token: code, type: purpose)
    }

    public func verify(
        code: String, sentTo email: String, for purpose: EmailCodeType, password: String
    ) async throws -> SessionOrUser {
        try await client.verifyOTP(email: email, token: code, type: purpose, password: password)
    }

    public func verify(code: String, restoring ticket: AuthSetAsideTicket) async throws -> SessionOrUser {
        try await client.verifyOTP(token: code, restoring: ticket)
    }

    public func startOver() async throws -> AuthSession { try await client.startOver() }

    public func openMailLink(_ url: URL, replacing: @escaping @Sendable (AuthUser) async -> Bool) async throws {
        _ = try await client.session(from: url, replacing: replacing)
    }

    public func sessions() async throws -> [SessionInfo] { try await client.sessions() }
    public func revokeSession(id: UUID) async throws { try await client.revokeSession(id: id) }
    public func signOut() async throws { try await client.signOut(scope: .local) }

    public var allowsSeveralAccounts: Bool { client.allowsSeveralAccounts }
    public func accounts() async throws -> [DeviceAccount] { try await client.accounts }
    public func use(account: UUID) async throws -> AuthSession { try await client.use(account: account) }
    public func remove(account: UUID) async throws { try await client.remove(account: account) }
    public func signOutOfAllAccounts() async throws { try await client.signOutOfAllAccounts() }

    public var isReadOnly: Bool { profiles.isReadOnly }
    public func fetchMe() async throws -> SignedInAccount { try await profiles.fetchMe() }
    public func updateProfile(_ change: ProfileChange) async throws -> SignedInAccount {
        try await profiles.updateProfile(change)
    }
    public func deleteAccount() async throws { try await profiles.deleteAccount() }
}
