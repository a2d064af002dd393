import GatehouseWire

package enum EventName: String, CaseIterable, Sendable {
    case selected = "auth_method_selected"
    case started = "auth_started"
    case completed = "auth_completed"
    case failed = "auth_failed"
    case cancelled = "auth_cancelled"
    case refreshAttempted = "token_refresh_attempted"
    case refreshFailed = "token_refresh_failed"
    case linked = "account_linked"

    /// All are required.
    var labels: [String] {
        switch self {
        case .selected, .started, .completed, .cancelled: ["method"]
        case .failed: ["method", "error_type"]
        case .refreshAttempted: ["reason"]
        case .refreshFailed: ["error_type"]
        case .linked: ["existing_provider", "new_provider"]
        }
    }
}

package enum DurationClass: String, CaseIterable, Sendable {
    case quarterSecond = "250"
    case halfSecond = "500"
    case second = "1000"
    case twoSeconds = "2000"
    case fiveSeconds = "5000"
    case tenSeconds = "10000"
    case halfMinute = "30000"
    case longer

    /// In milliseconds; nil for ``longer``.
    package var upperBound: Int64? { Int64(rawValue) }

    init(milliseconds: Int64) {
        self = Self.allCases.first { milliseconds <= $0.upperBound ?? .max } ?? .longer
    }
}

/// Texts counted separately. Others become ``other``, so no caller can add unlimited rows.
package struct CountedNames: Sendable {
    package static let other = "other"
    static let reasons: Set<ExternalName> = ["expired", "unauthorized"]
    /// `AuthError.Code` of `GatehouseModel`.
    static let errorTypes: Set<ExternalName> = [
        "cancelled", "no_network", "provider_failed", "service_down", "server_error", "invalid_callback",
        "session_expired", "email_in_use", "link_expired", "link_other_account", "user_exists", "wrong_credentials",
        "weak_password", "email_not_confirmed", "credential_set_aside", "sign_up_disabled", "blocked",
        "no_provider_email", "store_failed", "code_wrong", "rate_limited",
    ]

    let methods: Set<ExternalName>
    let apps: Set<ExternalName>

    package init(providers: [String], apps: [String]) {
        methods = Set<ExternalName>((["email"] + providers).map { ExternalName(trusted: $0) })
        self.apps = Set<ExternalName>(apps.map { ExternalName(trusted: $0) })
    }

    static func counted(_ text: String, among names: Set<ExternalName>) -> String {
        ExternalName(text).map(names.contains) == true ? text : other
    }
}
