public import SwiftUI

@nonexhaustive public enum ASAuthorizationResult {
    case password(ASPasswordCredential)
    case appleID(ASAuthorizationAppleIDCredential)
}

@MainActor public struct AuthorizationController {
    private let sheets: ProviderSheets

    nonisolated fileprivate init(_ sheets: ProviderSheets) { self.sheets = sheets }

    public func performRequest(_ request: ASAuthorizationRequest) async throws -> ASAuthorizationResult {
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
    public var authorizationController: AuthorizationController { AuthorizationController(providerSheets) }
}
