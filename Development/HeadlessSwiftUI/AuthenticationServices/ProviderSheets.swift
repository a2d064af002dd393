public import Foundation
public import SwiftUI

package struct ProviderSheets: Sendable {
    package var apple: @MainActor (ASAuthorizationAppleIDRequest) async throws -> ASAuthorization
    /// Returns the callback URL.
    package var browser: @MainActor (_ address: URL, _ callbackURLScheme: String) async throws -> URL

    package init(
        apple: @escaping @MainActor (ASAuthorizationAppleIDRequest) async throws -> ASAuthorization,
        browser: @escaping @MainActor (_ address: URL, _ callbackURLScheme: String) async throws -> URL
    ) {
        self.apple = apple
        self.browser = browser
    }

    package static let closed = ProviderSheets { _ in
        throw ASAuthorizationError(.canceled)
    } browser: { _, _ in
        throw ASWebAuthenticationSessionError(.canceledLogin)
    }
}

private struct ProviderSheetsKey: EnvironmentKey {
    static let defaultValue = ProviderSheets.closed
}

extension EnvironmentValues {
    package var providerSheets: ProviderSheets {
        get { self[ProviderSheetsKey.self] }
        set { self[ProviderSheetsKey.self] = newValue }
    }

    public var webAuthenticationSession: WebAuthenticationSession { WebAuthenticationSession(providerSheets) }
}

@MainActor public struct WebAuthenticationSession {
    public struct BrowserSession: Sendable {
        public static var shared: BrowserSession { BrowserSession() }
        public static var ephemeral: BrowserSession { BrowserSession() }
    }

    private let sheets: ProviderSheets

    nonisolated fileprivate init(_ sheets: ProviderSheets) { self.sheets = sheets }

    public func authenticate(
        using url: URL, callbackURLScheme: String, preferredBrowserSession: BrowserSession? = nil
    ) async throws -> URL {
        try await sheets.browser(url, callbackURLScheme)
    }
}
