public import Foundation

/// A browser for signing in: the system's sheet on Apple's systems (`SystemWebAuthentication`), the default browser
/// with a loopback listener elsewhere (``LoopbackWebAuthentication``).
public protocol WebAuthenticator: Sendable {
    /// Opens a page and waits for its callback.
    ///
    /// - Parameter address: Returns the page's URL for this session's redirect URL, which the server must allow. Called
    ///   once, before anything is shown. Its errors are rethrown.
    /// - Returns: The complete callback URL, byte for byte.
    /// - Throws: ``WebAuthenticationError``, or `CancellationError` if the task was cancelled. The browser page and the
    ///   listener are then closed.
    func authenticate(_ address: @Sendable (_ redirectTo: URL) async throws -> URL) async throws -> URL
}

/// Why a browser returned no result.
public enum WebAuthenticationError: Error, Hashable, Sendable {
    /// The user closed the sheet. Show no error.
    case cancelled
    /// The user did not finish in time.
    case timedOut
    /// There is no browser, or it did not start.
    case couldNotOpenBrowser
    /// The loopback socket could not be opened; contains `errno`.
    case couldNotListen(Int32)
    /// The session cannot receive callbacks at the given redirect URL.
    case invalidRedirect
    /// The callback does not match the redirect URL and was ignored.
    case invalidCallback
}

extension URL {
    /// Whether this URL is `redirect` with a result: same scheme, host, port and path. Scheme and host are
    /// case-insensitive, and an empty path equals `/` (RFC 3986 §6.2).
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
