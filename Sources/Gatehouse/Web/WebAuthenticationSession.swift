public import Foundation

/// A browser that a person signs in with, and the way back from it: the system's sheet on Apple's systems
/// (`SystemWebAuthentication`), the system's browser and a listener on this machine elsewhere
/// (``LoopbackWebAuthentication``).
public protocol WebAuthenticationSession: Sendable {
    /// Opens a page and waits until it comes back.
    ///
    /// - Parameter address: Makes the page's address for the redirect address that this session listens to, which must
    ///   be registered at the server. Called once, before anything is shown; what it throws is thrown.
    /// - Returns: The whole address that came back, byte for byte.
    /// - Throws: ``WebAuthenticationError``, or `CancellationError` when the task was cancelled. Nothing is shown and
    ///   nothing listens any more then.
    func authenticate(_ address: @Sendable (_ redirectTo: URL) async throws -> URL) async throws -> URL
}

/// Why a browser did not come back with an answer.
public enum WebAuthenticationError: Error, Hashable, Sendable {
    /// The person closed the sheet. Nothing to show.
    case cancelled
    /// The person did not finish in time.
    case timedOut
    /// There is no browser, or it could not be started.
    case couldNotOpenBrowser
    /// No socket on this machine's loopback address could be opened; the system's error number.
    case couldNotListen(Int32)
    /// The session cannot listen to the redirect address that it was given.
    case invalidRedirect
    /// An address came back that is not the redirect address. It was not used.
    case invalidCallback
}

extension URL {
    /// Whether this address is `redirect` with an answer: same scheme, host, port and path. Scheme and host do not
    /// know upper case, and an empty path is the same as `/` (RFC 3986 §6.2).
    package func isAnswer(to redirect: URL) -> Bool {
        guard let own = URLComponents(url: self, resolvingAgainstBaseURL: false),
            let other = URLComponents(url: redirect, resolvingAgainstBaseURL: false)
        else { return false }
        func path(_ address: URLComponents) -> String {
            address.percentEncodedPath.isEmpty ? "/" : address.percentEncodedPath
        }
        return own.scheme != nil && own.scheme?.lowercased() == other.scheme?.lowercased()
            && own.percentEncodedHost?.lowercased() == other.percentEncodedHost?.lowercased()
            && own.port == other.port && own.user == nil && own.password == nil && path(own) == path(other)
    }
}
