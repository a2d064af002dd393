public import Gatehouse

/// Something that happened, for whoever counts. No case can carry personal data: every value is a word of a closed
/// list, or a duration.
public enum TelemetryEvent: Hashable, Sendable {
    case methodSelected(AuthMethod)
    case started(AuthMethod)
    case completed(AuthMethod, duration: Duration)
    case failed(AuthMethod, SignInProblem)
    case cancelled(AuthMethod)
    case refreshAttempted(RefreshReason)
    case refreshFailed(SignInProblem)
    /// A provider was added to the account that was signed in. Its first way to sign in is nil for a provider that is no
    /// ``AuthMethod``.
    case linked(existing: AuthMethod?, new: AuthMethod)
    /// A step that the state machine does not know was asked for, and ignored.
    case stepIgnored
}

/// How much an event matters to a log.
public enum TelemetryLevel: String, Hashable, Sendable {
    case info
    case warning
    case error
}

extension TelemetryEvent {
    /// The event's name, as the requirements (F) spell it.
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

    /// By name: words of closed lists.
    public var labels: [String: String] {
        switch self {
        case .methodSelected(let method), .started(let method), .cancelled(let method), .completed(let method, _):
            ["method": method.rawValue]
        case .failed(let method, let problem): ["method": method.rawValue, "error_type": problem.rawValue]
        case .refreshAttempted(let reason): ["reason": reason == .unauthorized ? "unauthorized" : "expired"]
        case .refreshFailed(let problem): ["error_type": problem.rawValue]
        case .linked(let existing, let new):
            ["existing_provider": existing?.rawValue ?? "other", "new_provider": new.rawValue]
        case .stepIgnored: [:]
        }
    }

    /// Whole milliseconds; nil for events that take no time.
    public var milliseconds: Int64? {
        guard case .completed(_, let duration) = self else { return nil }
        return duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
    }

    /// Cancellation is information, the network and refreshes are warnings, a wrong callback and a failing server are
    /// errors.
    public var level: TelemetryLevel {
        switch self {
        case .methodSelected, .started, .completed, .cancelled, .refreshAttempted, .linked: .info
        case .refreshFailed, .stepIgnored: .warning
        case .failed(_, let problem):
            switch problem {
            case .noNetwork, .rateLimited, .other: .warning
            case .invalidCallback, .serviceDown, .serverError, .profileNotCreated, .providerFailed: .error
            case .cancelled, .sessionExpired, .emailInUse, .userExists, .wrongCredentials, .weakPassword, .linkExpired,
                .linkOtherAccount:
                .info
            }
        }
    }
}

/// Takes events. It returns at once, and never fails: an app does not wait for those who count.
public protocol TelemetrySink: Sendable {
    func record(_ event: TelemetryEvent)
}
