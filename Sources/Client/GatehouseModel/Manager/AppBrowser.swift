public import Foundation
public import Gatehouse

/// A browser that the app opens itself.
///
/// ```swift
/// let page = AppBrowser(redirectTo: redirectTo) { url in
///     try await webAuthenticationSession.authenticate(using: url, callbackURLScheme: "com.example.app")
/// }
/// try await account.signInWithGoogle(in: page)
/// ```
public struct AppBrowser: WebAuthenticator {
    private let redirectTo: URL
    private let open: @MainActor @Sendable (URL) async throws -> URL

    /// Creates a browser.
    ///
    /// - Parameters:
    ///   - redirectTo: The redirect URL, which the server must allow.
    ///   - open: Returns the callback URL. Throws ``AuthError/cancelled``, or ``AuthError/invalidCallback`` after its
    ///     time limit.
    public init(redirectTo: URL, open: @escaping @MainActor @Sendable (URL) async throws -> URL) {
        self.redirectTo = redirectTo
        self.open = open
    }

    public func authenticate(_ address: @Sendable (_ redirectTo: URL) async throws -> URL) async throws -> URL {
        let back = try await open(try await address(redirectTo))
        guard back.isAnswer(to: redirectTo) else { throw AuthClientError.invalidCallback }
        return back
    }
}
