import Dispatch
import Foundation
import GatehouseWire
import Synchronization

/// Decides which URLs this program may call.
enum OutgoingURL {
    /// https, or http to loopback, which no one else can read.
    static func isAllowed(_ text: String) -> Bool {
        guard let url = URL(string: text), let host = url.host else { return false }
        let isLoopback = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
        return url.scheme == "https" || (url.scheme == "http" && isLoopback)
    }
}

package enum OutgoingFailure: Error, Equatable, Sendable {
    case notAllowed
    /// The response exceeds this number of bytes.
    case tooLong(Int)
    case noAnswer(code: Int)
    case status(Int)
}

/// A request to another server.
package struct OutgoingCall: Sendable {
    package var method: String
    package let url: String
    package var headers: [String: String]
    package var body: [UInt8]?
    /// Of the answer's body.
    package var maximumBytes: Int
    package var timeLimit: Duration

    package init(
        method: String = "GET", url: String, headers: [String: String] = [:], body: [UInt8]? = nil,
        maximumBytes: Int = 262_144, timeLimit: Duration = .seconds(10)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.maximumBytes = maximumBytes
        self.timeLimit = timeLimit
    }
}

/// An HTTP client with a time limit and bounded responses, without redirects, cookies or cache.
package struct OutgoingHTTP: Sendable {
    package struct Answer: Sendable {
        package let status: Int
        package let headers: [String: String]
        package let body: [UInt8]

        package init(status: Int, headers: [String: String] = [:], body: [UInt8]) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// Makes one call. Throws ``OutgoingFailure``, and `CancellationError` at once when its caller is cancelled.
    package typealias Transport = @Sendable (OutgoingCall) async throws -> Answer

    let sleep: @Sendable (Duration) async throws -> Void
    private let transport: Transport

    /// - Parameter sleep: Returns after the given time: a call that takes longer is ended.
    package init(
        sleep: @escaping @Sendable (Duration) async throws -> Void, transport: @escaping Transport = Self.overNetwork
    ) {
        self.sleep = sleep
        self.transport = transport
    }

    /// Calls a URL that ``OutgoingURL`` allows.
    ///
    /// - Throws: ``OutgoingFailure``, ``TimeIsOver``.
    package func send(
        _ method: String, _ url: String, headers: [String: String] = [:], body: [UInt8]? = nil
    ) async throws -> Answer {
        guard OutgoingURL.isAllowed(url) else { throw OutgoingFailure.notAllowed }
        let call = OutgoingCall(method: method, url: url, headers: headers, body: body)
        return try await limited(to: call.timeLimit, by: sleep) { try await answer(to: call) }
    }

    /// Calls any URL. The caller checks that the URL may be called, and limits the time; ``OutgoingCall/timeLimit``
    /// only sets the connection's own timeout.
    ///
    /// - Throws: ``OutgoingFailure``, or `CancellationError` as soon as the caller is cancelled.
    package func answer(to call: OutgoingCall) async throws -> Answer { try await transport(call) }

    /// The ``Transport`` of Foundation's HTTP client.
    @Sendable package static func overNetwork(_ call: OutgoingCall) async throws -> Answer {
        guard let target = URL(string: call.url) else { throw OutgoingFailure.notAllowed }
        let seconds = Double(call.timeLimit.components.seconds)
        var request = URLRequest(url: target, timeoutInterval: seconds)
        request.httpMethod = call.method
        for (name, value) in call.headers { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = call.body.map { Data($0) }
        let outcome = FirstOutcome<Answer>()
        let collector = AnswerCollector(maximumBytes: call.maximumBytes, outcome)
        let session = URLSession(
            configuration: configuration(seconds), delegate: collector, delegateQueue: DelegateQueue())
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request)
        return try await outcome.value(startedBy: { task.resume() }, stoppedBy: { task.cancel() })
    }

    private static func configuration(_ seconds: Double) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = seconds
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        return configuration
    }
}

/// Collects a response, and ends the transfer if it becomes too long.
private final class AnswerCollector: NSObject, URLSessionDataDelegate, Sendable {
    private let maximumBytes: Int
    private let outcome: FirstOutcome<OutgoingHTTP.Answer>
    private struct Received {
        var body: [UInt8] = []
        var isTooLong = false
    }

    private let received = Mutex(Received())

    init(maximumBytes: Int, _ outcome: FirstOutcome<OutgoingHTTP.Answer>) {
        self.maximumBytes = maximumBytes
        self.outcome = outcome
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let hasBecomeTooLong = received.withLock { received in
            if received.isTooLong { return false }
            received.isTooLong = received.body.count + data.count > maximumBytes
            if !received.isTooLong { received.body.append(contentsOf: data) }
            return received.isTooLong
        }
        guard hasBecomeTooLong else { return }
        outcome.end(.failure(OutgoingFailure.tooLong(maximumBytes)))
        stop(dataTask)
    }

    /// Ends the transfer. Foundation's `cancel` waits for its reading thread, which waits for room in the queue that
    /// calls this. Therefore another thread calls `cancel`, and this queue waits until it has started.
    private func stop(_ task: URLSessionDataTask) {
        let isUnderWay = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            isUnderWay.signal()
            task.cancel()
        }
        isUnderWay.wait()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let answer = task.response as? HTTPURLResponse, error == nil else {
            let code = (error as? URLError)?.errorCode ?? 0
            return outcome.end(.failure(OutgoingFailure.noAnswer(code: code)))
        }
        var headers: [String: String] = [:]
        for case (let name as String, let value as String) in answer.allHeaderFields { headers[name] = value }
        outcome.end(
            .success(OutgoingHTTP.Answer(status: answer.statusCode, headers: headers, body: received.withLock(\.body))))
    }
}
