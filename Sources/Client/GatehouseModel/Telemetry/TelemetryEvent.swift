public import Gatehouse

/// A telemetry event. Contains no personal data: every value is from a fixed set or is a duration.
public enum TelemetryEvent: Hashable, Sendable {
    /// The user chose a method.
    case methodSelected(AuthMethod)
    /// A sign-in began.
    case started(AuthMethod)
    /// A sign-in succeeded.
    case completed(AuthMethod, duration: Duration)
    /// A sign-in failed.
    case failed(AuthMethod, AuthError.Code)
    /// The user cancelled a sign-in.
    case cancelled(AuthMethod)
    /// A refresh of the session began.
    case refreshAttempted(RefreshReason)
    /// A refresh failed. The session is kept.
    case refreshFailed(AuthError.Code)
    /// A provider was linked to the signed-in account. `existing` is nil if the account's first sign-in method is
    /// unknown.
    case linked(existing: AuthMethod?, new: AuthMethod)
    /// A step that the phase does not allow was ignored.
    case stepIgnored
}

/// The log level of an event.
public enum TelemetryLevel: String, Hashable, Sendable {
    /// A normal event.
    case info
    /// A failure after which the app can continue.
    case warning
    /// A failure that needs attention.
    case error
}

extension TelemetryEvent {
    /// The event's name.
    public var name: String {
        switch self {
        case .methodSelected: "auth_method_selected"
        case .started: "auth_started"
        case .completed: "auth_completed"
        case .failed: "auth_failed"
        case .cancelled: "auth_cancelled"
        case .refreshAttempted: "token_refresh_attempted"
        case .refreshFailed: "token_refresh_failed"
        case .linked: "account_linked"
        case .stepIgnored: "auth_step_ignored"
        }
    }

    /// The event's labels, with values from fixed sets.
    public var labels: [String: String] {
        switch self {
        case .methodSelected(let method), .started(let method), .cancelled(let method), .completed(let method, _):
            ["method": method.rawValue]
        case .failed(let method, let code): ["method": method.rawValue, "error_type": code.rawValue]
        case .refreshAttempted(let reason): ["reason": reason == .unauthorized ? "unauthorized" : "expired"]
        case .refreshFailed(let code): ["error_type": code.rawValue]
        case .linked(let existing, let new):
            ["existing_provider": existing?.rawValue ?? "other", "new_provider": new.rawValue]
        case .stepIgnored: [:]
        }
    }

    /// The name and the labels, such as `auth_failed error_type=no_network method=email`.
    var line: String {
        var words = [name] + labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        if let milliseconds { words.append("duration_ms=\(milliseconds)") }
        return words.joined(separator: " ")
    }

    /// The duration in whole milliseconds; nil for events without one.
    public var milliseconds: Int64? {
        guard case .completed(_, let duration) = self else { return nil }
        return duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
    }

    /// Cancellations are informational, network failures and refreshes are warnings, invalid callbacks and server
    /// failures are errors.
    public var level: TelemetryLevel {
        switch self {
        case .methodSelected, .started, .completed, .cancelled, .refreshAttempted, .linked: .info
        case .refreshFailed, .stepIgnored: .warning
        case .failed(_, let code):
            switch code {
            case .noNetwork, .rateLimited, .storeFailed, .other: .warning
            case .invalidCallback, .serviceDown, .serverError, .providerFailed: .error
            case .cancelled, .sessionExpired, .emailInUse, .userExists, .wrongCredentials, .weakPassword, .linkExpired,
                .linkOtherAccount, .emailNotConfirmed, .credentialSetAside, .signUpDisabled, .blocked, .noProviderEmail,
                .codeWrong:
                .info
            }
        }
    }
}

/// Receives events. Must return immediately and must not fail.
public protocol TelemetrySink: Sendable {
    /// Records one event. ``AuthManager`` calls it on the main actor.
    func record(_ event: TelemetryEvent)

    /// Sends what waits, because the app may end soon. Does nothing by default.
    func flush() async
}

extension TelemetrySink {
    public func flush() async {}
}
