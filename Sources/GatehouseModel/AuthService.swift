public import Foundation
public import Gatehouse

/// Everything that ``AuthManager`` needs from below: the seam that a test or a preview replaces.
///
/// ``LiveAuthService`` is the one for an app. Errors are `AuthClientError`, or `CancellationError`.
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

    /// Finishes what ``browserAddress(for:redirectTo:)`` began.
    func finishSignIn(from redirect: URL) async throws -> Session

    /// Ends the session of this device. Nobody is signed in here afterwards, whatever is thrown.
    func signOut() async throws
}

/// The service of an app: the auth client, and the gateway's profiles.
public struct LiveAuthService: AuthService {
    private let client: AuthClient
    private let profiles: any ProfileSource

    /// - Parameter profiles: Must use the same client for its tokens.
    public init(client: AuthClient, profiles: any ProfileSource) {
        self.client = client
        self.profiles = profiles
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

    public func finishSignIn(from redirect: URL) async throws -> Session { try await client.session(from: redirect) }

    public func signOut() async throws { try await client.signOut(scope: .local) }

    public func fetchMe() async throws -> Me { try await profiles.fetchMe() }
    public func updateProfile(_ changes: ProfileChanges) async throws -> Me {
        try await profiles.updateProfile(changes)
    }
    public func deleteAccount() async throws { try await profiles.deleteAccount() }
}
