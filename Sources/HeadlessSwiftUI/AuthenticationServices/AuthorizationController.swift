public import SwiftUI

public enum ASAuthorizationResult {
    case appleID(ASAuthorizationAppleIDCredential)
}

public struct AuthorizationController: Sendable {
    fileprivate let sheets: ProviderSheets

    @MainActor public func performRequest(_ request: ASAuthorizationRequest) async throws -> ASAuthorizationResult {
        guard let request = request as? ASAuthorizationAppleIDRequest else {
            throw ASAuthorizationError(.notHandled)
        }
        let authorization = try await sheets.apple(request)
        guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential else {
            throw ASAuthorizationError(.invalidResponse)
        }
        return .appleID(credential)
    }
}

extension EnvironmentValues {
    public var authorizationController: AuthorizationController { AuthorizationController(sheets: providerSheets) }
}
