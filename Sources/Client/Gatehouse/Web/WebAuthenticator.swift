public import Foundation

/// A browser for signing in: the system's sheet on Apple's systems (`SystemWebAuthentication`), the default browser
/// with a loopback listener elsewhere (`LoopbackWebAuthentication` of GatehouseDesktop).
public protocol WebAuthenticator: Sendable {
    /// Opens a page and waits for its callback.
    ///
    /// - Parameter address: Returns the page's URL for an allowed redirect URL. Called once, before anything is shown;
    ///   its errors are rethrown.
    /// - Returns: The complete callback URL, byte for byte.
    /// - Throws: ``AuthClientError/cancelled``, ``AuthClientError/timedOut``, ``AuthClientError/couldNotOpenBrowser``,
    ///   ``AuthClientError/couldNotListen(_:)``, ``AuthClientError/invalidCallback``; or `CancellationError`. Page and
    ///   listener are closed.
    func authenticate(_ address: @Sendable (_ redirectTo: URL) async throws -> URL) async throws -> URL
}

extension URL {
    /// Whether this is `redirect` with a result. Scheme and host are case-insensitive; an empty path equals `/` (RFC
    /// 3986 §6.2).
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
