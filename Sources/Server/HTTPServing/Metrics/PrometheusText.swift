import GatehouseWire

/// Version 0.0.4.
struct PrometheusText {
    private(set) var text = ""

    mutating func family(_ name: String, _ help: String, _ type: String) {
        let help = Self.escaped(help, quotes: false)
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func sample(_ name: String, _ labels: [(String, String)], _ value: Double) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.0)=\"\(Self.escaped($0.1, quotes: true))\"" }
            text += "{" + pairs.joined(separator: ",") + "}"
        }
        text += " \(Self.number(value))\n"
    }

    /// `_bucket` lines are cumulative and end with `+Inf`.
    mutating func histogram(_ name: String, _ labels: [(String, String)], _ counts: BucketCounts) {
        var total = 0
        for (bound, count) in zip(counts.bounds, counts.counts) {
            total += count
            sample(name + "_bucket", labels + [("le", Self.number(bound))], Double(total))
        }
        total += counts.counts.last ?? 0
        sample(name + "_bucket", labels + [("le", "+Inf")], Double(total))
        sample(name + "_sum", labels, counts.sum)
        sample(name + "_count", labels, Double(total))
    }

    /// Infinities and NaN as Go spells them.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return "\(value)"
    }

    private static func escaped(_ value: String, quotes: Bool) -> String {
        guard value.contains(where: { $0 == "\\" || $0.isNewline || (quotes && $0 == "\"") }) else { return value }
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
