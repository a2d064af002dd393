public import Foundation

/// A signed-in user's tokens. Never printed; do not log, store or forward them.
public struct AuthSession: Hashable, Sendable {
    /// For `Authorization: Bearer`. Empty if a crash lost it; ``GatehouseClient/session`` then gets another.
    public var accessToken: String
    /// Valid for one refresh, which the client makes.
    public var refreshToken: String
    /// Usually `bearer`.
    public var tokenType: String
    /// The access token's lifetime in seconds when issued.
    public var expiresIn: TimeInterval
    /// The access token's expiry in seconds since 1970, by the server's clock. Not comparable with the device's; use
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

/// The client's state.
public enum AuthState: Hashable, Sendable {
    /// The store has not answered yet. Every call retries it.
    case restoring
    /// A user is signed in. A stale session (`isFresh` is false) needs a refresh, but identifies the user, even
    /// offline.
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
    /// The server ended the session (`session_not_found`, `user_not_found`, `user_banned`, `refresh_token_not_found`,
    /// `refresh_token_already_used`, `session_expired`), or the client did: ``consentRevoked``, ``deviceKeyLost``.
    /// `because` has the server's reason.
    case endedByServer(AuthErrorCode, because: SessionEndReason? = nil)
    /// Another process with the same store signed out.
    case signedOutElsewhere
    /// The stored bytes are not a session.
    case storeDamaged
}

extension SignedOutReason {
    /// The user stopped using Sign in with Apple for this app in the system's settings.
    public static let consentRevoked = SignedOutReason.endedByServer(.consentRevoked)
    /// The session is bound to a key that this device does not have, for example after a backup was restored to a new
    /// phone. The session continues on the device that has the key; here the user must sign in again.
    public static let deviceKeyLost = SignedOutReason.endedByServer(.deviceKeyLost)
}

/// A change of the session.
public enum AuthEvent: Hashable, Sendable {
    /// Always first: the stored session, fresh or stale, or none.
    case initialSession
    /// A user signed in, perhaps another than before.
    case signedIn
    /// The session ended. Sent once per session.
    case signedOut(SignedOutReason)
    /// The session has new tokens.
    case tokenRefreshed
    /// A second factor was verified: the session has new tokens and the level `aal2`.
    case mfaChallengeVerified
    /// The session's account changed.
    case userUpdated
    /// Follows `signedIn` after a password reset: ask for a new password.
    case passwordRecovery
}

/// An event and the resulting session: `for await (event, session) in client.authStateChanges`.
public typealias AuthChange = (event: AuthEvent, session: AuthSession?)

/// An internal event for telemetry, without personal data.
public enum AuthNotice: Hashable, Sendable {
    /// The store is unavailable, so the state is `restoring`. Sent first to each listener, and on each new problem,
    /// until `initialSession`.
    case storeUnavailable(StoreProblem)
    /// A refresh starts.
    case refreshAttempted(RefreshReason)
    /// A refresh failed. The session is kept unless the error says otherwise.
    case refreshFailed(AuthClientError)
    /// The server ended the session. The event `signedOut` follows.
    case sessionEnded(AuthRefusal)
    /// A background write failed, such as the access token's after its session was saved.
    case storeFailed(StoreProblem)
}

/// Why a refresh starts.
public enum RefreshReason: String, Hashable, Sendable {
    /// The access token has expired, or soon will.
    case expired
    /// A server refused the access token.
    case unauthorized
    /// The app requested it.
    case requested
}
