import AuthenticationServices
import Foundation
import Gatehouse
import SwiftUI

struct BrowserSheet: WebAuthenticator {
    let redirectTo: URL
    let browser: AuthenticationServices.WebAuthenticationSession
    /// See ``AuthManager/browserLimit``.
    let limit: Duration
    let clock: ClientClock

    func authenticate(_ address: @Sendable (_ redirectTo: URL) async throws -> URL) async throws -> URL {
        guard let scheme = redirectTo.scheme else { throw AuthClientError.couldNotOpenBrowser }
        let start = try await address(redirectTo)
        do {
            let back = try await show(start, scheme)
            guard back.isAnswer(to: redirectTo) else { throw AuthClientError.invalidCallback }
            return back
        } catch let error as ASWebAuthenticationSessionError where error.code == .canceledLogin {
            throw AuthClientError.cancelled
        }
    }

    /// A task group would wait for a sheet that ignores cancellation.
    private func show(_ start: URL, _ scheme: String) async throws -> URL {
        let (answers, answer) = AsyncThrowingStream<URL, any Error>.makeStream()
        let sheet = Task { [browser] in
            do {
                answer.yield(try await browser.authenticate(using: start, callbackURLScheme: scheme))
            } catch {
                answer.finish(throwing: error)
            }
        }
        let timer = Task { [clock, limit] in
            // Cancelled: the sheet has closed.
            do { try await clock.sleepWhileRunning(limit) } catch { return }
            answer.finish(throwing: AuthClientError.timedOut)
        }
        defer {
            sheet.cancel()
            timer.cancel()
        }
        for try await back in answers { return back }
        // The stream ends without a value if the task is cancelled.
        throw CancellationError()
    }
}
