import GatehouseWire

extension String {
    /// An email address as the screens show it: with its domain in its own script.
    package var shownAddress: String { readableAddress }
}
