public import Foundation

/// The account of a session; the Auth API's user.
public typealias User = AuthUser
/// One way to sign in to an account.
public typealias UserIdentity = AuthUserIdentity
/// The server's stable word for a refusal.
public typealias ErrorCode = AuthErrorCode
/// What a person is asked whose address an account has already.
public typealias LinkQuestion = AuthLinkQuestion
/// Answers a ``LinkQuestion``, once.
public typealias LinkTicket = AuthLinkTicket
/// A way to sign in that was linked lately and can be taken back.
public typealias UndoableLink = AuthUndoableLink

/// A signed-in person's tokens. It does not print them; never log, store or send them yourself.
public struct Session: Hashable, Sendable {
    /// Goes into `Authorization: Bearer`. Empty when a crash lost the stored one: ``AuthClient/session`` gets
    /// another.
    public var accessToken: String
    /// Good for one refresh, which the client does by itself.
    public var refreshToken: String
    /// Normally `bearer`.
    public var tokenType: String
    /// Seconds that the access token was good for when it was given.
    public var expiresIn: TimeInterval
    /// Seconds since 1970 by the server's clock. Do not compare it with the device's: ask
    /// ``AuthClient/session``.
    public var expiresAt: TimeInterval
    /// Whose session it is.
    public var user: User

    /// For tests and previews; the client makes its own.
    public init(
        accessToken: String, refreshToken: String, tokenType: String = "bearer", expiresIn: TimeInterval,
        expiresAt: TimeInterval, user: User
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.tokenType = tokenType
        self.expiresIn = expiresIn
        self.expiresAt = expiresAt
        self.user = user
    }
}

extension Session: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "Session(user: \(user.id), tokens: <secret>)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["user": user.id, "expiresAt": expiresAt]) }
}

/// What the client knows about who is signed in.
public enum AuthState: Hashable, Sendable {
    /// The store has not answered yet, or cannot now. It is asked again at every call.
    case restoring
    /// - Parameter isFresh: Whether the access token can be used without a refresh. A session that is not fresh
    ///   still says who the person is, offline too.
    case signedIn(Session, isFresh: Bool)
    case signedOut(SignedOutReason)
}

/// Why nobody is signed in.
public enum SignedOutReason: Hashable, Sendable {
    /// The store holds nothing.
    case neverSignedIn
    /// The app asked for it.
    case requested
    /// The server's word: one of `session_not_found`, `user_not_found`, `user_banned`, `refresh_token_not_found`,
    /// `refresh_token_already_used`, `session_expired`. Or Apple's, which this device asked: ``consentRevoked``.
    case endedByServer(AuthErrorCode)
    /// Another process of the app that uses the same store signed out.
    case signedOutElsewhere
    /// The store answers with bytes that are no session.
    case storeDamaged
}

extension SignedOutReason {
    /// The person has stopped using Sign in with Apple for this app, in the system's settings.
    public static let consentRevoked = SignedOutReason.endedByServer(.consentRevoked)
}

/// What happened to the session.
public enum AuthChangeEvent: Hashable, Sendable {
    /// Always the first: what the store holds, fresh or stale; no session when nobody is signed in.
    case initialSession
    case signedIn
    /// Sent once for each end of a session.
    case signedOut(SignedOutReason)
    case tokenRefreshed
    case userUpdated
    /// Follows `signedIn` when the person came by a recovery mail: ask for a new password.
    case passwordRecovery
}

/// One event with the session after it. It destructures: `for await (event, session) in client.authStateChanges`.
public typealias AuthChange = (event: AuthChangeEvent, session: Session?)

/// What goes on below the session, for telemetry. It names nobody.
public enum AuthNotice: Hashable, Sendable {
    /// A refresh starts, because the access token has expired or because the server refused it.
    case refreshAttempted(RefreshReason)
    /// A refresh ended without a new token; the session is kept unless the error says otherwise.
    case refreshFailed(AuthClientError)
    /// The store refused a write that nobody waits for, such as the access token beside its saved session.
    case storeFailed(String)
}

/// Why a token is refreshed.
public enum RefreshReason: String, Hashable, Sendable {
    case expired
    case unauthorized
    case requested
}
