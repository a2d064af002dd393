import Foundation

/// The system's network, clock and randomness, for apps. Tests replace them.
public enum SystemDefaults {
    /// `URLSession` without cookies, cache and redirects: at most 30 seconds without a byte, and 60 in all. Throws
    /// `URLError` without a response.
    ///
    /// - Parameter userAgent: Shown in the user's list of devices.
    public static func transport(userAgent: String = userAgent()) -> HTTPTransport {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = 30
        // A refresh holds the store's lock until the response is complete.
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

    /// Such as `Journal/1.2 (iPhone17,3; iOS 18.2) gatehouse-swift/0.3`: app, model, system. Identifies neither device
    /// nor user.
    public static func userAgent() -> String {
        let (information, process) = (Bundle.main.infoDictionary ?? [:], ProcessInfo.processInfo)
        let name = (information["CFBundleDisplayName"] ?? information["CFBundleName"]) as? String
        return DeviceName.userAgent(
            app: name ?? process.processName, appVersion: information["CFBundleShortVersionString"] as? String,
            model: deviceModel(), system: systemName(process.operatingSystemVersion),
            version: GatehouseClient.Options.libraryVersion)
    }

    /// The wall clock, and a monotonic clock that runs during sleep.
    public static func clock() -> ClientClock {
        let start = ContinuousClock.now
        return ClientClock(
            now: { Date() }, uptime: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) })
    }

    /// The network's state on Apple's systems; ``Reachability/unknown`` elsewhere. Each call starts another
    /// observation: share one value.
    public static func reachability() -> Reachability { systemReachability() }

    /// Sign in with Apple's state on Apple's systems; unavailable elsewhere.
    public static func appleCredentials() -> AppleConsent { systemAppleCredentials() }

    /// Cryptographically secure bytes from the system.
    @Sendable
    public static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// A redirect would send tokens elsewhere.
private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
