import Hummingbird
package import Logging

/// Everything that a log line may carry besides its message. No body, header, token, e-mail address or query is
/// among them, and none is to be added.
package enum LogKey: String, Sendable {
    case requestID = "request_id"
    case route, method, status, microseconds, outcome, bucket, cause, count, path, address, name
    case userID = "user_id"
    case sessionID = "session_id"
    case keyID = "key_id"
}

extension Logger {
    /// - Parameter message: static, so that nothing of a request can slip into it.
    package func event(_ level: Level, _ message: StaticString, _ metadata: [LogKey: String] = [:]) {
        guard logLevel <= level else { return }
        log(
            level: level, "\(message)",
            metadata: Metadata(uniqueKeysWithValues: metadata.map { ($0.key.rawValue, .string($0.value)) }))
    }
}

extension ServerContext {
    /// A log line with the request's id.
    package func event(_ level: Logger.Level, _ message: StaticString, _ metadata: [LogKey: String] = [:]) {
        guard logger.logLevel <= level else { return }
        logger.event(level, message, metadata.merging([.requestID: requestID]) { own, _ in own })
    }
}
