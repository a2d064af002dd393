import Foundation
import Synchronization

/// Which addresses this program calls.
enum OutgoingURL {
    /// https; http only on this machine, where nobody listens in between.
    static func isAllowed(_ text: String) -> Bool {
        guard let url = URL(string: text), let host = url.host else { return false }
        let isLoopback = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
        return url.scheme == "https" || (url.scheme == "http" && isLoopback)
    }
}

enum OutgoingFailure: Error, Equatable, Sendable {
    case notAllowed
    /// Longer than the given number of bytes.
    case tooLong(Int)
    case noAnswer(code: Int)
    case status(Int)
}

/// Calls another server: 10 s at most, answers of bounded size, no redirects, no cookies, no cache.
struct OutgoingHTTP: Sendable {
    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]
    }

    /// Seconds.
    private static let timeLimit = 10.0
    let maximumBytes: Int

    init(maximumBytes: Int = 262_144) { self.maximumBytes = maximumBytes }

    /// - Throws: ``OutgoingFailure``.
    func send(_ method: String, _ url: String, headers: [String: String] = [:]) async throws -> Answer {
        guard OutgoingURL.isAllowed(url), let target = URL(string: url) else { throw OutgoingFailure.notAllowed }
        var request = URLRequest(url: target, timeoutInterval: Self.timeLimit)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let collector = AnswerCollector(maximumBytes: maximumBytes)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = Self.timeLimit
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration, delegate: collector, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request)
        return try await withCheckedThrowingContinuation { caller in
            collector.wait(caller)
            task.resume()
        }
    }
}

/// Collects one answer and ends the transfer when it grows too long.
private final class AnswerCollector: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var caller: CheckedContinuation<OutgoingHTTP.Answer, any Error>?
        var body: [UInt8] = []
        var isTooLong = false
    }

    private let maximumBytes: Int
    private let state = Mutex(State())

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    func wait(_ caller: CheckedContinuation<OutgoingHTTP.Answer, any Error>) {
        state.withLock { $0.caller = caller }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = state.withLock { state in
            state.isTooLong = state.body.count + data.count > maximumBytes
            if !state.isTooLong { state.body.append(contentsOf: data) }
            return state.isTooLong
        }
        if isTooLong { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let state = state.withLock { state in
            defer { state.caller = nil }
            return state
        }
        if state.isTooLong {
            state.caller?.resume(throwing: OutgoingFailure.tooLong(maximumBytes))
        } else if let answer = task.response as? HTTPURLResponse, error == nil {
            state.caller?.resume(returning: OutgoingHTTP.Answer(status: answer.statusCode, body: state.body))
        } else {
            state.caller?.resume(throwing: OutgoingFailure.noAnswer(code: (error as? URLError)?.errorCode ?? 0))
        }
    }
}
