public import Foundation

/// The tokens of a signed-in user. Does not print them; never log, store or forward them.
public struct AuthSession: Hashable, Sendable {
    /// The token for `Authorization: Bearer`. Empty if a crash lost the stored one; ``GatehouseClient/session`` then gets
    /// another.
    public var accessToken: String
    /// Valid for one refresh, which the client makes when needed.
    public var refreshToken: String
    /// Usually `bearer`.
    public var tokenType: String
    /// The lifetime of the access token in seconds when it was issued.
    public var expiresIn: TimeInterval
    /// The expiry by the server's clock, in seconds since 1970. Do not compare it with the device's clock; use
    /// ``GatehouseClient/session``.
    public var expiresAt: TimeInterval
    /// The signed-in user.
    public var user: AuthUser

    /// For tests and previews; the client creates its own.
    public init(
        accessToken: String, refreshToken: String, tokenType: String = "bearer", expiresIn: TimeInterval,
        expiresAt: TimeInterval, user: AuthUser
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.tokenType = tokenType
        self.expiresIn = expiresIn
        self.expiresAt = expiresAt
        self.user = user
    }
}

extension AuthSession: Unprinted {
    public var description: String { "Session(user: \(user.id), tokens: <secret>)" }
}

/// The state of the client.
public enum AuthState: Hashable, Sendable {
    /// The store has not answered yet. Every call asks it again.
    case restoring
    /// - Parameter isFresh: Whether the access token is usable without a refresh. A stale session still identifies the
    ///   user, even offline.
    case signedIn(AuthSession, isFresh: Bool)
    /// No user is signed in.
    case signedOut(SignedOutReason)
}

/// Why the client is signed out.
public enum SignedOutReason: Hashable, Sendable {
    /// The store contains no session.
    case neverSignedIn
    /// The app signed out.
    case requested
    /// The server ended the session, with one of the codes `session_not_found`, `user_not_found`, `user_banned`,
    /// `refresh_token_not_found`, `refresh_token_already_used`, `session_expired`. Or Apple did: ``consentRevoked``.
    ///
    /// - Parameter because: Why, if the server says so.
    case endedByServer(AuthErrorCode, because: SessionEndReason? = nil)
    /// Another process that uses the same store signed out.
    case signedOutElsewhere
    /// The stored bytes are not a session.
    case storeDamaged
}

extension SignedOutReason {
    /// The user stopped using Sign in with Apple for this app, in the system's settings.
    public static let consentRevoked = SignedOutReason.endedByServer(.consentRevoked)
}

/// A change of the session.
public enum AuthEvent: Hashable, Sendable {
    /// Always the first event: the stored session, fresh or stale; no session if signed out.
    case initialSession
    /// A user signed in. The session may be another user's than the previous one.
    case signedIn
    /// Sent once for each session that ends.
    case signedOut(SignedOutReason)
    /// The same session has new tokens.
    case tokenRefreshed
    /// A second factor was verified: the same session has new tokens, and the level `aal2`.
    case mfaChallengeVerified
    /// The account of the session changed, for example its email address.
    case userUpdated
    /// Follows `signedIn` after a password reset mail: ask for a new password.
    case passwordRecovery
}

/// An event with the resulting session. Can be destructured: `for await (event, session) in client.authStateChanges`.
public typealias AuthChange = (event: AuthEvent, session: AuthSession?)

/// An internal event for telemetry. Contains no personal data.
public enum AuthNotice: Hashable, Sendable {
    /// The store does not answer, so the state is `restoring`. Sent again when the problem changes, and first to each
    /// new listener. The event `initialSession` ends it.
    case storeUnavailable(StoreProblem)
    /// A refresh starts, because the access token has expired or the server refused it.
    case refreshAttempted(RefreshReason)
    /// A refresh failed. The session is kept unless the error says otherwise.
    case refreshFailed(AuthClientError)
    /// The server ended the session with this refusal. The event `signedOut` follows.
    case sessionEnded(AuthRefusal)
    /// A write failed that no caller waits for, such as that of the access token after its session was saved.
    case storeFailed(StoreProblem)
}

/// The reason for a refresh.
public enum RefreshReason: String, Hashable, Sendable {
    /// The access token has expired, or is about to.
    case expired
    /// A server refused the access token.
    case unauthorized
    /// The app asked for it.
    case requested
}
