import GatehouseWire

extension Duration {
    /// Parses Go's format, which Supabase Auth's settings use: `24h`, `1h30m` or `1.5s`.
    package init?(go text: String) {
        let units: [(String, Double)] = [
            ("ns", 1e-9), ("us", 1e-6), ("\u{B5}s", 1e-6), ("\u{3BC}s", 1e-6), ("ms", 1e-3), ("s", 1), ("m", 60),
            ("h", 3_600),
        ]
        guard text.utf8.count <= 256 else { return nil }
        var rest = Substring(text)
        let isNegative = rest.hasPrefix("-")
        if isNegative || rest.hasPrefix("+") { rest.removeFirst() }
        if rest == "0" {
            self = .zero
            return
        }
        var seconds = 0.0
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let number = rest.prefix { $0 == "." || ("0"..."9").contains($0) }
            rest = rest.dropFirst(number.count)
            let unit = rest.prefix { $0 != "." && !("0"..."9").contains($0) }
            rest = rest.dropFirst(unit.count)
            guard let value = Double(number), let scale = units.first(where: { $0.0 == unit })?.1 else { return nil }
            seconds += value * scale
        }
        // Go stores nanoseconds in 64 bits: 292 years.
        guard seconds < 9.2e9 else { return nil }
        self = .seconds(isNegative ? -seconds : seconds)
    }
}
