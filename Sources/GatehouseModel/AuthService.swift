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

    func signIn(with credentials: OpenIDConnectCredentials) async throws -> Session

    /// Where a browser starts to sign in with a provider; it comes back to `redirectTo`.
    func browserAddress(for provider: Provider, redirectTo: URL) async throws -> URL

    /// The same to add the provider to the account that is signed in.
    func browserAddress(linking provider: Provider, redirectTo: URL) async throws -> URL

    /// Finishes what one of the two browser addresses began.
    func finishSignIn(from redirect: URL) async throws -> Session

    /// The ways in which the person can sign in, asked anew.
    func identities() async throws -> [UserIdentity]

    /// Adds a provider's sign-in to the account that is signed in; `identity_already_exists` when it belongs to
    /// another account.
    func link(with credentials: OpenIDConnectCredentials) async throws -> Session

    /// Removes a way to sign in; `single_identity_not_deletable` for the last one.
    func unlink(_ identity: UserIdentity) async throws

    /// Ends the session of this device. Nobody is signed in here afterwards, whatever is thrown.
    func signOut() async throws
}

/// The service of an app: the auth client, and the gateway's profiles.
public struct LiveAuthService: AuthService {
    private let client: AuthClient
    private let gateway: any ProfileSource

    /// - Parameter gateway: Normally a `GatewayClient`; it must take its tokens from the same client.
    public init(client: AuthClient, gateway: any ProfileSource) {
        self.client = client
        self.gateway = gateway
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

    public func browserAddress(for provider: Provider, redirectTo: URL) async throws -> URL {
        try await client.getOAuthSignInURL(provider: provider, redirectTo: redirectTo)
    }

    public func browserAddress(linking provider: Provider, redirectTo: URL) async throws -> URL {
        try await client.getLinkIdentityURL(provider: provider, redirectTo: redirectTo).url
    }

    public func finishSignIn(from redirect: URL) async throws -> Session { try await client.session(from: redirect) }

    public func identities() async throws -> [UserIdentity] { try await client.userIdentities() }

    public func link(with credentials: OpenIDConnectCredentials) async throws -> Session {
        try await client.linkIdentityWithIdToken(credentials: credentials)
    }

    public func unlink(_ identity: UserIdentity) async throws { try await client.unlinkIdentity(identity) }

    public func signOut() async throws { try await client.signOut(scope: .local) }

    public func fetchMe() async throws -> SignedInAccount { try await gateway.fetchMe() }
    public func updateProfile(firstName: FieldChange, favoriteTeams: [String]?) async throws -> SignedInAccount {
        try await gateway.updateProfile(firstName: firstName, favoriteTeams: favoriteTeams)
    }
    public func deleteAccount() async throws { try await gateway.deleteAccount() }
}
