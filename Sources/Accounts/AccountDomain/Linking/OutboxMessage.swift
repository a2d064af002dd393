package import GatehouseWire

/// A task for an external service, retried until it succeeds.
package enum OutboxMessage: Sendable {
    /// RFC 7009, after the account was deleted.
    case revokeToken(provider: String, client: String, token: Secret)

    /// Stored; must not change.
    package enum Kind: String, CaseIterable, Sendable {
        case revokeToken = "revoke_token"
    }
}

package enum OutboxSchedule {
    package static let lease: Duration = .seconds(120)
    /// Longer than any pause.
    package static let longestWait: Duration = .seconds(7 * 3_600)
    /// About two weeks.
    package static let maximumAttempts = 64

    /// - Parameter attempts: At least 1.
    /// - Returns: One minute, doubled each time, at most six hours; nil to give up.
    package static func pause(after attempts: Int) -> Duration? {
        guard attempts < maximumAttempts else { return nil }
        return .seconds(min(60 << min(attempts - 1, 9), 21_600))
    }
}
