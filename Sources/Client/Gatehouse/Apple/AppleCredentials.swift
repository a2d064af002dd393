/// The state of a user's Sign in with Apple for this app.
public enum AppleCredentialState: Hashable, Sendable {
    /// The user signs in with Apple to this app.
    case authorized
    /// The user stopped using Sign in with Apple for this app.
    case revoked
    /// This device does not know the user: it belongs to another user, or is not signed in to an Apple account.
    case notFound
    /// The app was transferred to another developer, for whom Apple uses different user ids.
    case transferred
    /// The system has no such query, or did not answer.
    case unavailable
}

/// Queries the state of users' Sign in with Apple. Apps use ``SystemDefaults/appleCredentials()``; tests pass closures.
public struct AppleConsent: Sendable {
    /// Returns the state of a user.
    ///
    /// - Parameter person: Apple's id of the user, the `sub` of its tokens.
    public var state: @Sendable (_ person: String) async -> AppleCredentialState
    /// Yields when the state should be queried again: the app became active, or the system reported a change.
    public var moments: @MainActor @Sendable () -> AsyncStream<Void>

    /// Creates a value from both closures.
    ///
    /// - Parameter moments: Called once per manager. The default yields nothing.
    public init(
        state: @escaping @Sendable (_ person: String) async -> AppleCredentialState,
        moments: @escaping @MainActor @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }
    ) {
        self.state = state
        self.moments = moments
    }

    /// Always unavailable, as on Linux.
    public static let unavailable = AppleConsent { _ in .unavailable }
}
