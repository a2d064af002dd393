/// The phase of the account state.
///
/// ```swift
/// switch account.phase {
/// case .restoring: ProgressView()
/// case .unauthenticated, .authenticating, .secondFactorNeeded: Text("Sign in to keep your journal")
/// case .authenticated, .refreshing: Text("Hello, \(account.user?.firstName ?? "you")!")
/// }
/// ```
public enum AuthPhase: Hashable, Sendable {
    /// The store has not answered. Show neither a signed-in nor a signed-out state.
    case restoring
    /// No user is signed in.
    case unauthenticated
    /// A sign-in is in progress.
    case authenticating(AuthMethod)
    /// The first factor is proven; ask for ``AuthManager/secondFactor``.
    case secondFactorNeeded
    /// A user is signed in, even during a switch.
    case authenticated
    /// A user is signed in; the session is being refreshed.
    case refreshing
}

package enum AuthStep: Hashable, Sendable {
    case begin(AuthMethod)
    /// Includes a cancellation.
    case fail
    case secondFactorNeeded
    case signedIn
    case signedOut
    case refreshStarted
    case refreshEnded
}

extension AuthPhase {
    /// - Returns: nil if not allowed.
    package func after(_ step: AuthStep) -> AuthPhase? {
        switch (self, step) {
        case (.unauthenticated, .begin(let method)): .authenticating(method)
        case (.authenticating, .fail): .unauthenticated
        case (_, .signedIn): .authenticated
        case (_, .secondFactorNeeded): .secondFactorNeeded
        case (_, .signedOut): .unauthenticated
        case (.authenticated, .refreshStarted): .refreshing
        case (.refreshing, .refreshEnded): .authenticated
        default: nil
        }
    }
}
