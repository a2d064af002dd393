// On Linux this module is the package's own. Watches and televisions have no window for the sheet.
#if canImport(AuthenticationServices) && canImport(Darwin) && !os(tvOS) && !os(watchOS)
public import AuthenticationServices
import Foundation

/// Signs in with the system's browser sheet (`ASWebAuthenticationSession`).
public struct SystemWebAuthentication: WebAuthenticator {
    private let redirectTo: URL
    private let isEphemeral: Bool
    private let limit: Duration
    private let clock: ClientClock
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

    /// Creates a browser session without showing it.
    ///
    /// - Parameters:
    ///   - redirectTo: A URL that the server allows, with the app's own scheme, such as `com.example.app://callback`,
    ///     or https for an associated domain (iOS 17.4, macOS 14.4, visionOS 1.1).
    ///   - prefersEphemeralWebBrowserSession: Starts without the browser's cookies. The user must enter everything, but
    ///     the system does not ask for consent.
    ///   - limit: The time limit, excluding suspensions of the app.
    ///   - anchor: Returns the sheet's window.
    public init(
        redirectTo: URL, prefersEphemeralWebBrowserSession: Bool = false, limit: Duration = .seconds(600),
        clock: ClientClock = SystemDefaults.clock(), anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) {
        self.redirectTo = redirectTo
        isEphemeral = prefersEphemeralWebBrowserSession
        self.limit = limit
        self.clock = clock
        self.anchor = anchor
    }

    public func authenticate(_ address: @Sendable (_ redirectTo: URL) async throws -> URL) async throws -> URL {
        let start = try await address(redirectTo)
        let sheet = await BrowserSheet(anchor: anchor)
        let timer = Task { [clock, limit] in
            // The sheet has closed.
            do { try await clock.sleepWhileRunning(limit) } catch { return }
            await sheet.end(.failure(AuthClientError.timedOut))
        }
        defer { timer.cancel() }
        let back = try await withTaskCancellationHandler {
            try await sheet.show(start, redirectTo: redirectTo, isEphemeral: isEphemeral)
        } onCancel: {
            Task { await sheet.end(.failure(CancellationError())) }
        }
        guard back.isAnswer(to: redirectTo) else { throw AuthClientError.invalidCallback }
        return back
    }
}

/// Ends once: by user, callback, limit or task.
@MainActor
private final class BrowserSheet: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
    private var session: ASWebAuthenticationSession?
    private var waiter: CheckedContinuation<URL, any Error>?
    private var outcome: Result<URL, any Error>?

    init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
        self.anchor = anchor
        super.init()
    }

    func presentationAnchor(for _: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }

    func show(_ start: URL, redirectTo: URL, isEphemeral: Bool) async throws -> URL {
        try await withCheckedThrowingContinuation { waiter in
            // The sheet ended before it began.
            if let outcome { return waiter.resume(with: outcome) }
            self.waiter = waiter
            guard let session = makeSession(start, redirectTo: redirectTo) else {
                return end(.failure(AuthClientError.couldNotOpenBrowser))
            }
            session.presentationContextProvider = self
            session.prefersEphemeralWebBrowserSession = isEphemeral
            self.session = session
            if !session.start() { end(.failure(AuthClientError.couldNotOpenBrowser)) }
        }
    }

    func end(_ outcome: Result<URL, any Error>) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        session?.cancel()
        session = nil
        waiter?.resume(with: outcome)
        waiter = nil
    }

    /// nil if the sheet cannot receive that URL.
    private func makeSession(_ start: URL, redirectTo: URL) -> ASWebAuthenticationSession? {
        guard let scheme = redirectTo.scheme?.lowercased(), scheme != "http" else { return nil }
        // Not isolated: the system may call it on any thread.
        let handler: @Sendable (URL?, (any Error)?) -> Void = { [weak self] url, error in
            let outcome = Self.outcome(url, error)
            Task { @MainActor [weak self] in self?.end(outcome) }
        }
        if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) {
            guard scheme == "https" else {
                return ASWebAuthenticationSession(
                    url: start, callback: .customScheme(scheme), completionHandler: handler)
            }
            guard let host = redirectTo.host else { return nil }
            return ASWebAuthenticationSession(
                url: start, callback: .https(host: host, path: redirectTo.path), completionHandler: handler)
        }
        guard scheme != "https" else { return nil }
        return ASWebAuthenticationSession(url: start, callbackURLScheme: scheme, completionHandler: handler)
    }

    private nonisolated static func outcome(_ url: URL?, _ error: (any Error)?) -> Result<URL, any Error> {
        if let url { return .success(url) }
        if (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin {
            return .failure(AuthClientError.cancelled)
        }
        return .failure(error ?? AuthClientError.couldNotOpenBrowser)
    }
}
#endif
