public import Gatehouse

/// A telemetry event, without personal data: values are durations or from fixed sets.
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
    /// A refresh failed, which keeps the session.
    case refreshFailed(AuthError.Code)
    /// A provider was linked; `existing` is nil if the first sign-in method is unknown.
    case linked(existing: AuthMethod?, new: AuthMethod)
    /// The phase did not allow a step.
    case stepIgnored
}

/// An event's log level.
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

    /// The event's labels, from fixed sets.
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

    var line: String {
        var words = [name] + labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        if let milliseconds { words.append("duration_ms=\(milliseconds)") }
        return words.joined(separator: " ")
    }

    /// The duration in whole milliseconds.
    public var milliseconds: Int64? {
        guard case .completed(_, let duration) = self else { return nil }
        return duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
    }

    /// The log level, info for cancellations and the user's mistakes.
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

/// Receives events.
public protocol TelemetrySink: Sendable {
    /// Records an event on the main actor. Must return immediately.
    func record(_ event: TelemetryEvent)

    /// Sends waiting events before the app may exit. Does nothing by default.
    func flush() async
}

extension TelemetrySink {
    public func flush() async {}
}
