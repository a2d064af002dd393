import GatehouseWire

package struct Progress: Sendable {
    /// From 0 to 1; nil if the total is unknown.
    package var fraction: Double?
    /// Completed items.
    package var count: Int
    package var elapsed: Duration

    package init(fraction: Double?, count: Int, elapsed: Duration) {
        self.fraction = fraction
        self.count = count
        self.elapsed = elapsed
    }

    /// For example `[#####---------------]  25%  1,200 accounts  400/s  9 s left`.
    package func text(_ noun: String) -> String {
        let seconds = Double(elapsed.microseconds) / 1_000_000
        let rate = seconds > 0 ? Double(count) / seconds : 0
        var parts: [String] = []
        if let fraction { parts.append(Self.bar(min(max(fraction, 0), 1))) }
        parts.append("\(Self.grouped(count)) \(noun)")
        parts.append("\(Self.grouped(Int(rate)))/s")
        // An estimate from less than a second would fluctuate.
        if let fraction, fraction > 0, fraction < 1, seconds >= 1 {
            parts.append("\(Self.time(seconds / fraction - seconds)) left")
        }
        return parts.joined(separator: "  ")
    }

    private static func bar(_ fraction: Double) -> String {
        let filled = Int(fraction * 20)
        let percent = String(Int(fraction * 100))
        return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled) + "] "
            + String(repeating: " ", count: 3 - percent.count) + percent + "%"
    }

    private static func time(_ seconds: Double) -> String {
        let seconds = Int(seconds.rounded(.up))
        return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }

    /// `12,345`
    package static func grouped(_ number: Int) -> String {
        var digits = String(number)
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = String(digits.dropLast(3))
        }
        return ([Substring(digits)] + groups).joined(separator: ",")
    }
}
