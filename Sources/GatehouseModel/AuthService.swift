public import Foundation
public import Gatehouse

/// Everything that ``AuthManager`` needs from below: the seam that a test or a preview replaces.
///
/// ``LiveAuthService`` is the one for an app. Errors are `AuthClientError`, `GatewayError` about the profile, or
/// `CancellationError`.
public protocol AuthService: ProfileSource {
    /// What happens to the session; the first event is `initialSession`. Each reading is a stream of its own.
    var authStateChanges: AsyncStream<AuthChange> { get }

    /// What goes on below the session. Each reading is a stream of its own.
    var notices: AsyncStream<AuthNotice> { get }

    /// Who is signed in, without a call to the server; nil when nobody is, or when the store does not answer.
    var currentSession: Session? { get async }

    /// A token that a server takes now, refreshed first when it has to be.
    func accessToken() async throws -> String

    func signIn(email: String, password: String) async throws -> Session

    /// - Returns: `user` when the person has to read a mail first.
    func signUp(email: String, password: String, firstName: String?) async throws -> AuthResponse

    /// With what a provider's own sheet gave. `AuthClientError.linkQuestion` when an account has the address already.
    func signIn(with credentials: OpenIDConnectCredentials) async throws -> Session

    /// In a browser, from its opening to the session. Throws `WebAuthenticationError`, too, or what the browser throws;
    /// nothing of the flow is left then.
    func signIn(with provider: Provider, in browser: any WebAuthenticationSession) async throws -> Session

    /// Adds the identity of a question to the account that is signed in, and gives a new session of it.
    func confirmLink(_ ticket: LinkTicket) async throws -> Session

    /// Signs in with a password and adds the identity of a question: both or neither.
    func confirmLink(_ ticket: LinkTicket, email: String, password: String) async throws -> Session

    /// Takes the address of a question with a new account.
    func recoverAccount(with ticket: LinkTicket) async throws -> Session

    /// Merged into the account's metadata at the top level.
    func updateMetadata(_ data: JSONObject) async throws

    /// Changes address or password of who is signed in.
    ///
    /// - Returns: The account as it is then; a new address that waits for a mail is its `newEmail`.
    func update(user: UserAttributes) async throws -> User

    /// Sends a code to the person's address: the `nonce` of ``update(user:)``.
    func reauthenticate() async throws

    /// Asks Apple about the person who is signed in, and ends the session if they have revoked their consent.
    ///
    /// - Returns: Whether it ended.
    func checkAppleCredential(_ credentials: AppleCredentials) async -> Bool

    /// The ways in which the person can sign in, asked anew.
    func identities() async throws -> [UserIdentity]

    /// Adds a provider's sign-in to the account that is signed in; `identity_already_exists` when it belongs to
    /// another account.
    func link(with credentials: OpenIDConnectCredentials) async throws -> Session

    /// The same in a browser; see ``signIn(with:in:)``.
    func link(_ provider: Provider, in browser: any WebAuthenticationSession) async throws -> Session

    /// What was linked lately and can be taken back.
    func undoableLinks() async throws -> [UndoableLink]

    /// Takes a link back; `link_not_undoable` when it is too old.
    func undoLink(identityID: UUID) async throws

    /// Removes a way to sign in; `single_identity_not_deletable` for the last one.
    func unlink(_ identity: UserIdentity) async throws

    /// Ends the session of this device. Nobody is signed in here afterwards, whatever is thrown.
    func signOut() async throws
}

/// The service of an app: the auth client, and the gateway's profiles.
public struct LiveAuthService: AuthService {
    private let client: AuthClient
    private let gateway: any ProfileSource
    private let redirectTo: URL?

    /// - Parameters:
    ///   - gateway: Normally a `GatewayClient`; it must take its tokens from the same client.
    ///   - redirectTo: Where the mail about a new address leads; registered at the server.
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
            email: email, password: password, data: firstName.map { ["first_name": .string($0)] })
    }

    public func signIn(with credentials: OpenIDConnectCredentials) async throws -> Session {
        try await client.signInWithIdToken(credentials: credentials)
    }

    public func signIn(with provider: Provider, in browser: any WebAuthenticationSession) async throws -> Session {
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

    public func link(_ provider: Provider, in browser: any WebAuthenticationSession) async throws -> Session {
        try await client.linkIdentity(provider: provider, in: browser)
    }

    public func undoableLinks() async throws -> [UndoableLink] { try await client.undoableLinks() }
    public func undoLink(identityID: UUID) async throws { try await client.undoLink(identityID: identityID) }
    public func unlink(_ identity: UserIdentity) async throws { try await client.unlinkIdentity(identity) }

    public func signOut() async throws { try await client.signOut(scope: .local) }

    public func fetchMe() async throws -> SignedInAccount { try await gateway.fetchMe() }
    public func updateProfile(firstName: FieldChange, favoriteTeams: [String]?) async throws -> SignedInAccount {
        try await gateway.updateProfile(firstName: firstName, favoriteTeams: favoriteTeams)
    }
    public func deleteAccount() async throws { try await gateway.deleteAccount() }
}
