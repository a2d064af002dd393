import Foundation
import Gatehouse
import GatehouseModel
import Synchronization
import Testing

@Suite("Telemetry")
struct TelemetryTests {
    @Test(
        "Each event is one line of fixed words at its level",
        arguments: [
            (.methodSelected(.apple), .info, "auth_method_selected method=apple"),
            (.started(.google), .info, "auth_started method=google"),
            (.completed(.email, duration: .milliseconds(1_250)), .info, "auth_completed method=email duration_ms=1250"),
            (.failed(.email, .noNetwork), .warning, "auth_failed error_type=no_network method=email"),
            (.failed(.google, .invalidCallback), .error, "auth_failed error_type=invalid_callback method=google"),
            (.failed(.google, .serverError), .error, "auth_failed error_type=server_error method=google"),
            (.failed(.google, .emailInUse), .info, "auth_failed error_type=email_in_use method=google"),
            (.failed(.email, .linkExpired), .info, "auth_failed error_type=link_expired method=email"),
            (.cancelled(.apple), .info, "auth_cancelled method=apple"),
            (.refreshAttempted(.unauthorized), .info, "token_refresh_attempted reason=unauthorized"),
            (
                .linked(existing: .email, new: .apple), .info,
                "account_linked existing_provider=email new_provider=apple"
            ),
            (.linked(existing: nil, new: .google), .info, "account_linked existing_provider=other new_provider=google"),
            (.refreshFailed(.noNetwork), .warning, "token_refresh_failed error_type=no_network"),
        ] as [(TelemetryEvent, TelemetryLevel, String)])
    func lines(_ event: TelemetryEvent, _ level: TelemetryLevel, _ line: String) {
        let written = Written()
        LogSink { level, line in written.lines.withLock { $0.append("\(level.rawValue) \(line)") } }.record(event)
        #expect(written.lines.withLock { $0 } == ["\(level.rawValue) \(line)"])
    }

    @Test("Counters count by name and labels")
    func counters() {
        let sink = CounterSink()
        for event in [TelemetryEvent.started(.email), .started(.email), .started(.apple)] { sink.record(event) }
        #expect(sink.counts[.init("auth_started", ["method": "email"])] == 2)
        #expect(sink.counts[.init("auth_started", ["method": "apple"])] == 1)
    }
}

private final class Written: Sendable {
    let lines = Mutex<[String]>([])
}
