/// What Apple says about a person who once signed in with it to this app.
public enum AppleCredentialState: Hashable, Sendable {
    case authorized
    /// The person has stopped using Sign in with Apple for this app.
    case revoked
    /// This device does not know the person: it is another's, or nobody is signed in to it.
    case notFound
    /// The app belongs to another team now, in which Apple calls the person something else.
    case transferred
    /// Nobody could be asked, or no answer came.
    case unavailable
}

/// Asks Apple whether people still use Sign in with Apple for this app. The system's own is
/// ``SystemDefaults/appleCredentials()``; a test makes one of closures.
public struct AppleCredentials: Sendable {
    /// - Parameter person: Apple's identifier of the person: the `sub` of its tokens.
    public var state: @Sendable (_ person: String) async -> AppleCredentialState
    /// When to ask again: the app became active, or the system tells of a change.
    public var moments: @MainActor @Sendable () -> AsyncStream<Void>

    /// As ``state`` and ``moments``.
    public init(
        state: @escaping @Sendable (_ person: String) async -> AppleCredentialState,
        moments: @escaping @MainActor @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }
    ) {
        self.state = state
        self.moments = moments
    }

    /// Nobody to ask, as on Linux.
    public static let unavailable = AppleCredentials { _ in .unavailable }
}
