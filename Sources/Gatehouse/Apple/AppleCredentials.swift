/// The state of a user's Sign in with Apple for this app.
public enum AppleCredentialState: Hashable, Sendable {
    case authorized
    /// The user stopped using Sign in with Apple for this app.
    case revoked
    /// This device does not know the user: it belongs to another user, or is not signed in to an Apple account.
    case notFound
    /// The app was transferred to another team, for which Apple uses different user ids.
    case transferred
    /// The system cannot be asked, or did not answer.
    case unavailable
}

/// Asks Apple whether users still use Sign in with Apple for this app. ``SystemDefaults/appleCredentials()`` is the
/// system's; tests make one of closures.
public struct AppleCredentials: Sendable {
    /// - Parameter person: Apple's id of the user, the `sub` of its tokens.
    public var state: @Sendable (_ person: String) async -> AppleCredentialState
    /// The moments to ask again: the app became active, or the system reported a change.
    public var moments: @MainActor @Sendable () -> AsyncStream<Void>

    /// Makes a value from both closures.
    public init(
        state: @escaping @Sendable (_ person: String) async -> AppleCredentialState,
        moments: @escaping @MainActor @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }
    ) {
        self.state = state
        self.moments = moments
    }

    /// Always unavailable, as on Linux.
    public static let unavailable = AppleCredentials { _ in .unavailable }
}
