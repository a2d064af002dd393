import Foundation

/// Writes each event as one line: `auth_failed error_type=no_network method=email`.
public struct LogSink: TelemetrySink {
    private let write: @Sendable (TelemetryLevel, String) -> Void

    /// Creates a sink.
    ///
    /// - Parameter write: Writes a line to the app's log. Must return immediately.
    public init(write: @escaping @Sendable (_ level: TelemetryLevel, _ line: String) -> Void) { self.write = write }

    public func record(_ event: TelemetryEvent) {
        write(event.level, event.line)
    }

    /// Writes a line to the system's log, for developers.
    @Sendable
    public static func writeToSystemLog(_ level: TelemetryLevel, _ text: String) {
        // The first argument is a format.
        NSLog("Gatehouse \(level.rawValue): \(text)".replacing("%", with: "%%"))
    }
}
