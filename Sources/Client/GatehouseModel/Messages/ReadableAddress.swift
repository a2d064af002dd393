import GatehouseWire

extension String {
    /// With the domain in its own script.
    package var shownAddress: String { readableAddress }
}
