package import GatehouseWire

/// The clocks of the nodes that share a database.
package enum NodeClocks {
    /// Longer than two of them differ. A stored time that is further in the future than this allows is from a clock that
    /// was wrong.
    package static let difference: Duration = .seconds(60)

    /// Whether a stored time is from a clock that was ahead. Such an event is not recent.
    package static func isAhead(_ time: Instant, at now: Instant) -> Bool { time > now + difference }
}
