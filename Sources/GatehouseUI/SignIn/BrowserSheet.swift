import AuthenticationServices
import Gatehouse
import SwiftUI

/// The system's browser sheet, as SwiftUI hands it to a screen.
struct BrowserSheet: Gatehouse.WebAuthenticationSession {
    let redirectTo: URL
    let browser: AuthenticationServices.WebAuthenticationSession
    /// How long a person has.
    var limit: Duration = .seconds(60)
    var clock = SystemDefaults.clock()

    func authenticate(_ address: @Sendable (_ redirectTo: URL) async throws -> URL) async throws -> URL {
        guard let scheme = redirectTo.scheme else { throw WebAuthenticationError.invalidRedirect }
        let start = try await address(redirectTo)
        do {
            return try await withThrowingTaskGroup(of: URL.self) { group in
                group.addTask { try await browser.authenticate(using: start, callbackURLScheme: scheme) }
                group.addTask {
                    try await clock.sleep(limit)
                    throw WebAuthenticationError.timedOut
                }
                defer { group.cancelAll() }
                guard let back = try await group.next() else { throw WebAuthenticationError.invalidCallback }
                guard back.isAnswer(to: redirectTo) else { throw WebAuthenticationError.invalidCallback }
                return back
            }
        } catch let error as ASWebAuthenticationSessionError where error.code == .canceledLogin {
            throw WebAuthenticationError.cancelled
        }
    }
}
