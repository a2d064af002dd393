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
            let back = try await show(start, scheme)
            guard back.isAnswer(to: redirectTo) else { throw WebAuthenticationError.invalidCallback }
            return back
        } catch let error as ASWebAuthenticationSessionError where error.code == .canceledLogin {
            throw WebAuthenticationError.cancelled
        }
    }

    /// No group of tasks, which would wait for a sheet that does not end when it is told to: the limit holds anyway.
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
            // A cancelled sleep: the sheet is gone.
            do { try await clock.sleep(limit) } catch { return }
            answer.finish(throwing: WebAuthenticationError.timedOut)
        }
        defer {
            sheet.cancel()
            timer.cancel()
        }
        for try await back in answers { return back }
        // The stream ends by itself when the task is cancelled.
        throw CancellationError()
    }
}
