import GatehouseWire

extension String {
    /// The first 200 code points, without those that reorder text or begin a line; nil if nothing is visible.
    package var shownLine: String? { shown(upTo: 200) }

    /// Keeps its direction within another text (Unicode Standard Annex 9, section 2.4).
    package var isolated: String { "\u{2068}\(self)\u{2069}" }

    /// The host of a web address, or another address's scheme; nil if there is neither.
    package var shownPlace: String? {
        guard let url = URLParts(self) else { return nil }
        return url.host.isEmpty ? url.scheme : url.hasUnambiguousHost ? url.host : nil
    }
}
