import Hummingbird
package import Logging

/// The only metadata in logs. Never log bodies, headers, tokens, email addresses or queries.
package enum LogKey: String, Sendable {
    case requestID = "request_id"
    case traceID = "trace_id"
    case route, method, status, code, microseconds, outcome, cause, count, address, name
}

extension Logger {
    /// - Parameter message: Static, so it cannot contain request data.
    package func event(_ level: Level, _ message: StaticString, _ metadata: [LogKey: String] = [:]) {
        guard logLevel <= level else { return }
        log(
            level: level, "\(message)",
            metadata: Metadata(uniqueKeysWithValues: metadata.map { ($0.key.rawValue, .string($0.value)) }))
    }
}

extension Logger.MetadataProvider {
    /// The ID of the task's trace, if it is recorded.
    package static let traces = Logger.MetadataProvider {
        ActiveSpan.current?.recordedTrace.map { [LogKey.traceID.rawValue: .string($0)] } ?? [:]
    }
}

extension ServerContext {
    package func event(_ level: Logger.Level, _ message: StaticString, _ metadata: [LogKey: String] = [:]) {
        guard logger.logLevel <= level else { return }
        logger.event(level, message, metadata.merging([.requestID: requestID]) { own, _ in own })
    }
}
