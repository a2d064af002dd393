import GatehouseWire

/// In English; times in UTC.
enum Figures {
    /// `12,345`.
    static func count(_ number: Int) -> String {
        let digits = Array("\(number.magnitude)".utf8)
        var text: [UInt8] = number < 0 ? Array("−".utf8) : []
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(UInt8(ascii: ",")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `950`, `1.2k`, `30M`: for the axis of a chart.
    static func short(_ number: Int) -> String {
        for (unit, name) in [(1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")] where number >= unit {
            let tenths = number / (unit / 10)
            return tenths >= 100 || tenths.isMultiple(of: 10) ? "\(tenths / 10)\(name)" : tenthsText(tenths) + name
        }
        return "\(number)"
    }

    /// `42%`, `<1%`, `–` of nothing.
    static func percent(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "–" }
        let share = Double(part) / Double(whole) * 100
        if part > 0, share < 0.5 { return "<1%" }
        if part < whole, share > 99.5 { return ">99%" }
        return count(Int(min(share, 1_000_000).rounded())) + "%"
    }

    /// `0.4 ms`, `12 ms`, `1.5 s`, `3.5 min`.
    static func milliseconds(_ value: Double) -> String {
        guard value.isFinite, value >= 0 else { return "–" }
        let value = min(value, 1e12)
        switch value {
        case ..<9.95: return tenthsText(Int((value * 10).rounded())) + " ms"
        case ..<999.5: return "\(Int(value.rounded())) ms"
        case ..<59_950: return tenthsText(Int((value / 100).rounded())) + " s"
        default: return tenthsText(Int((value / 6_000).rounded())) + " min"
        }
    }

    /// `40 s`, `5 min`, `3 h`, `12 days`.
    static func age(since instant: Instant, now: Instant) -> String {
        let seconds = max(0, (now - instant).components.seconds)
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3_600: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h"
        default: return count(Int(seconds / 86_400)) + " days"
        }
    }

    private static func tenthsText(_ tenths: Int) -> String { "\(count(tenths / 10)).\(tenths % 10)" }
}

// `Instant.description` is `2026-11-23T14:05:12.5Z`.
extension Instant {
    /// `2026-11-23 14:05`.
    var minuteText: String { day + " " + hour(length: 5) }
    /// `2026-11-23 14:05:12`.
    var secondText: String { day + " " + hour(length: 8) }
    /// `14:05:12`.
    var timeText: String { hour(length: 8) }
    /// `14:00`.
    var hourText: String { hour(length: 5) }
    /// `23 Nov`.
    var shortDay: String {
        let parts = day.split(ascii: "-")
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 3, let month = Int(parts[1]), names.indices.contains(month - 1), let day = Int(parts[2])
        else { return self.day }
        return "\(day) \(names[month - 1])"
    }
    /// `2026-11-23`.
    var day: String { String(description.prefix(10)) }

    private func hour(length: Int) -> String { String(description.dropFirst(11).prefix(length)) }

    /// Machine-readable.
    func html(_ text: String) -> HTML { .tag("time", ["datetime": description], HTML(text)) }
}
