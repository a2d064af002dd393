/// The state of a user's Sign in with Apple for this app.
public enum AppleCredentialState: Hashable, Sendable {
    /// The user signs in to this app with Apple.
    case authorized
    /// The user stopped using Sign in with Apple for this app.
    case revoked
    /// This device does not know the user: it belongs to another user, or has no Apple account.
    case notFound
    /// The app moved to another developer, for whom Apple uses different user ids.
    case transferred
    /// The system cannot tell.
    case unavailable
}

/// Queries users' Sign in with Apple. Apps use ``SystemDefaults/appleCredentials()``; tests pass closures.
public struct AppleConsent: Sendable {
    /// Returns a user's state. `person` is Apple's user id, the `sub` of its tokens.
    public var state: @Sendable (_ person: String) async -> AppleCredentialState
    /// Yields when the state may have changed: the app became active, or the system says so.
    public var moments: @MainActor @Sendable () -> AsyncStream<Void>

    /// Creates a value. `moments` is called once per manager; by default it yields nothing.
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
