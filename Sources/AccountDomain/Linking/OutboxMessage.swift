package import GatehouseWire

/// Something that the server has promised to do outside, and does until it is done.
package enum OutboxMessage: Sendable {
    /// A token of a provider is to be revoked (RFC 7009): its account here is gone.
    case revokeToken(provider: String, client: String, token: Secret)

    /// Stands in the database and does not change.
    package enum Kind: String, CaseIterable, Sendable {
        case revokeToken = "revoke_token"
    }

    package var kind: Kind {
        switch self {
        case .revokeToken: .revokeToken
        }
    }
}

/// When what is in the outbox is tried again.
package enum OutboxSchedule {
    /// How long a node may be busy with an item before another one takes it.
    package static let lease: Duration = .seconds(120)
    /// About two weeks of tries.
    package static let maximumAttempts = 64

    /// - Parameter attempts: Those made, 1 or more.
    /// - Returns: The pause before the next: a minute, doubled each time, six hours at most; nil to give up.
    package static func pause(after attempts: Int) -> Duration? {
        guard attempts < maximumAttempts else { return nil }
        return .seconds(min(60 << min(attempts - 1, 9), 21_600))
    }
}
