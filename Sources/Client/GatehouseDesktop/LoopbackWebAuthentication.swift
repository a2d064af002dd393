import Dispatch
public import Foundation
public import Gatehouse

/// Signs in with the system's browser and a loopback redirect (RFC 8252 §7.3), on Linux and in command-line programs.
///
/// The redirect URL is `http://127.0.0.1:<port><path>`. The listener exists only during the call and accepts one
/// callback, whose page repeats nothing of it.
public struct LoopbackWebAuthentication: WebAuthenticator {
    private let port: UInt16
    private let path: String
    private let limit: Duration
    private let clock: ClientClock
    private let open: @Sendable (URL) async throws -> Void

    /// Creates a browser session without listening yet.
    ///
    /// - Parameters:
    ///   - port: 0 for any free port, which the server must allow for loopback URLs (RFC 8252 §8.4).
    ///   - path: A percent-encoded path that begins with `/`.
    ///   - limit: From opening the browser.
    ///   - open: Shows a URL. May wait for the user; cancelled when the callback arrives.
    public init(
        port: UInt16 = 0, path: String = "/callback", limit: Duration = .seconds(60),
        clock: ClientClock = SystemDefaults.clock(),
        open: @escaping @Sendable (URL) async throws -> Void = SystemDefaults.browser()
    ) {
        self.port = port
        self.path = path
        self.limit = limit
        self.clock = clock
        self.open = open
    }

    public func authenticate(_ address: @Sendable (_ redirectTo: URL) async throws -> URL) async throws -> URL {
        let stop: StopSignal
        do { stop = try StopSignal() } catch { throw AuthClientError.couldNotListen(EMFILE) }
        let listener = try LoopbackListener(port: port, path: path)
        let start: URL
        do {
            start = try await address(redirect(of: listener))
        } catch {
            listener.close()
            throw error
        }
        return try await withTaskCancellationHandler {
            try await wait(listener, start, stop)
        } onCancel: {
            stop.fire()
        }
    }

    /// - Throws: `AuthClientError.couldNotOpenBrowser` for a path that browsers would change.
    private func redirect(of listener: LoopbackListener) throws(AuthClientError) -> URL {
        guard let url = listener.address.url, path.hasPrefix("/"), url.query == nil, url.fragment == nil,
            URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedPath == path
        else { throw .couldNotOpenBrowser }
        return url
    }

    private enum Event: Sendable {
        case came(URL?)
        case opened
        case limit
    }

    private func wait(_ listener: LoopbackListener, _ start: URL, _ stop: StopSignal) async throws -> URL {
        try await withThrowingTaskGroup(of: Event.self) { group in
            // The group waits for the listener, so every exit must stop it.
            defer {
                stop.fire()
                group.cancelAll()
            }
            // It blocks its thread.
            group.addTask {
                .came(try await DispatchQueue(label: "gatehouse.loopback").run { try listener.serve(until: stop) })
            }
            group.addTask {
                try await open(start)
                return .opened
            }
            group.addTask {
                try await clock.sleep(limit)
                return .limit
            }
            for try await event in group {
                switch event {
                case .opened: continue
                case .limit: throw AuthClientError.timedOut
                case .came(let url?): return url
                case .came(nil): throw CancellationError()
                }
            }
            throw CancellationError()
        }
    }
}

extension SystemDefaults {
    /// Returns a closure that opens an http URL in the default browser, with `xdg-open` or `open`, without a shell.
    ///
    /// It throws `AuthClientError.couldNotOpenBrowser` if the program is missing or fails within 3 seconds.
    ///
    /// - Parameter environment: The process's environment.
    public static func browser(
        environment: [String: String] = ProcessInfo.processInfo.environment, clock: ClientClock = clock()
    ) -> @Sendable (URL) async throws -> Void {
        { address in
            // With other schemes, the opener could start any program.
            guard ["http", "https"].contains(address.scheme?.lowercased()),
                let path = ChildProcess.find(browserProgram, environment: environment)
            else { throw AuthClientError.couldNotOpenBrowser }
            let child = ChildProcess(path: path, arguments: [address.absoluteString], environment: environment)
            let launch: Launch
            do {
                launch = try await child.launch(patience: .seconds(3), clock: clock)
            } catch is ChildProblem {
                throw AuthClientError.couldNotOpenBrowser
            }
            guard launch == .goesOn || launch == .ended(code: 0) else {
                throw AuthClientError.couldNotOpenBrowser
            }
        }
    }
}
