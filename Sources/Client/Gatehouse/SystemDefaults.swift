import Foundation

/// The real network, clock and randomness. Apps pass them to ``GatehouseClient``; tests replace them.
public enum SystemDefaults {
    /// `URLSession` without cookies, cache and redirects: at most 30 seconds without a byte, and 60 in all.
    ///
    /// The closure throws `URLError` if there is no response.
    ///
    /// - Parameter userAgent: The value of `AuthUser-Agent`, which the server shows in the list of the user's devices.
    public static func transport(userAgent: String = userAgent()) -> HTTPTransport {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = 30
        // A refresh holds the store's lock, also while an answer trickles in.
        configuration.timeoutIntervalForResource = 60
        let session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
        return { call in
            var request = URLRequest(url: call.url)
            request.httpMethod = call.method
            request.httpBody = call.body.map { Data($0) }
            request.setValue(userAgent, forHTTPHeaderField: "User-Agent")
            for (name, value) in call.headers { request.setValue(value, forHTTPHeaderField: name) }
            let (data, response) = try await session.data(for: request)
            guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            var headers: [String: String] = [:]
            for case (let name as String, let value as String) in response.allHeaderFields { headers[name] = value }
            return HTTPReply(status: response.statusCode, headers: headers, body: Array(data))
        }
    }

    /// Names the app with its version, the device's model and its system, as in
    /// `Journal/1.2 (iPhone17,3; iOS 18.2) gatehouse-swift/0.3`. Names neither the device nor its user.
    public static func userAgent() -> String {
        let (information, process) = (Bundle.main.infoDictionary ?? [:], ProcessInfo.processInfo)
        let name = (information["CFBundleDisplayName"] ?? information["CFBundleName"]) as? String
        return DeviceName.userAgent(
            app: name ?? process.processName, appVersion: information["CFBundleShortVersionString"] as? String,
            model: deviceModel(), system: systemName(process.operatingSystemVersion),
            version: GatehouseClient.Options.libraryVersion)
    }

    /// The device's wall clock and a monotonic clock that continues during sleep.
    public static func clock() -> ClientClock {
        let start = ContinuousClock.now
        return ClientClock(
            now: { Date() }, uptime: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) })
    }

    /// The system's knowledge of the network on Apple's systems; ``Reachability/unknown`` elsewhere. Each call observes
    /// the network on its own: create one value, and pass it to all clients.
    public static func reachability() -> Reachability { systemReachability() }

    /// The state of Sign in with Apple on Apple's systems; unavailable elsewhere.
    public static func appleCredentials() -> AppleConsent { systemAppleCredentials() }

    /// Bytes from the system's cryptographically secure generator.
    @Sendable
    public static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// A redirect would send the tokens to an unintended URL.
private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
