/// A way to sign in.
public enum AuthMethod: String, Hashable, Sendable, CaseIterable {
    case apple
    case google
    case email
}

/// Where the account stands (requirement A13).
public enum AuthPhase: Hashable, Sendable {
    /// The store has not answered yet: neither a guest nor a user is to be shown.
    case restoring
    case unauthenticated
    case authenticating(AuthMethod)
    case authenticated
    case refreshing
}

/// What moves an ``AuthPhase``.
package enum AuthStep: Hashable, Sendable {
    case begin(AuthMethod)
    /// A sign-in was cancelled or failed.
    case fail
    /// A session is there: restored, or new.
    case signedIn
    case signedOut
    case refreshStarted
    case refreshEnded
}

extension AuthPhase {
    /// - Returns: nil for a step that this phase does not know; nothing changes then.
    package func after(_ step: AuthStep) -> AuthPhase? {
        switch (self, step) {
        case (.unauthenticated, .begin(let method)): .authenticating(method)
        case (.authenticating, .fail): .unauthenticated
        case (_, .signedIn): .authenticated
        case (_, .signedOut): .unauthenticated
        case (.authenticated, .refreshStarted): .refreshing
        case (.refreshing, .refreshEnded): .authenticated
        default: nil
        }
    }
}
