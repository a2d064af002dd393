package import GatehouseWire

/// The clocks of the nodes that share a database.
package enum NodeClocks {
    /// The tolerated difference. A stored time further in the future comes from a wrong clock.
    package static let difference: Duration = .seconds(60)

    /// Whether the time comes from a clock that was ahead. Such an event is not recent.
    package static func isAhead(_ time: Instant, at now: Instant) -> Bool { time > now + difference }
}
