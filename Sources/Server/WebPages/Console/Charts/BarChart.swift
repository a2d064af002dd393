import GatehouseWire

struct BarChart {
    struct Series {
        let name: String
        let tone: Tone
        /// One per bin.
        let values: [Int]

        var total: Int { values.reduce(0, +) }
    }

    /// A color, and a pattern for readers who do not see it.
    enum Tone: Int, CaseIterable {
        case solid = 1
        case stripes, dots, backStripes, lines, plain
    }

    /// Part of element IDs: letters and hyphens.
    let id: StaticString
    let title: String
    let bins: [Instant]
    let step: Activity.Step
    /// From bottom to top.
    let series: [Series]

    /// The smallest series are combined.
    static let maximumSeries = 5
    /// In Unicode scalars.
    static let maximumName = 40

    var total: Int { series.reduce(0) { $0 + $1.total } }

    func height(_ bin: Int) -> Int { series.reduce(0) { $0 + $1.values[bin] } }

    /// At the axis.
    func label(_ bin: Int) -> String { step == .hour ? bins[bin].hourText : bins[bin].shortDay }

    /// With the day.
    func fullLabel(_ bin: Int) -> String { step == .hour ? bins[bin].minuteText : bins[bin].day }
}

extension BarChart {
    /// The largest series first; beyond ``maximumSeries``, the last is "Other", with the
    /// names of up to three.
    ///
    /// - Parameter name: nil leaves a count out.
    init(
        _ id: StaticString, _ title: String, _ activity: Activity, of counter: String,
        by name: ([String]) -> String?
    ) {
        let bins = activity.bins
        var values: [ExternalName: [Int]] = [:]
        for count in activity.counts where count.name == counter {
            guard let bin = activity.bin(of: count.at), let name = name(count.labels) else { continue }
            let key = ExternalName(trusted: name.cutForChart)
            values[key, default: Array(repeating: 0, count: bins.count)][bin] += count.count
        }
        let sorted = values.map { (name: $0.key.text, values: $0.value, total: $0.value.reduce(0, +)) }
            .filter { $0.total > 0 }
            .sorted { ($1.total, $0.name) < ($0.total, $1.name) }
        var series = zip(sorted.prefix(Self.maximumSeries), Tone.allCases)
            .map { Series(name: $0.name, tone: $1, values: $0.values) }
        let rest = sorted.dropFirst(Self.maximumSeries)
        if !rest.isEmpty {
            let sums = bins.indices.map { bin in rest.reduce(0) { $0 + $1.values[bin] } }
            let names = rest.count > 3 ? "" : ": " + rest.map(\.name).joined(separator: ", ")
            series.append(Series(name: "Other\(names)".cutForChart, tone: .plain, values: sums))
        }
        self.init(id: id, title: title, bins: bins, step: activity.step, series: series)
    }

    func inOrder(_ names: [(name: String, tone: Tone)]) -> BarChart {
        let ordered = names.compactMap { name, tone in
            series.first { $0.name == name }.map { Series(name: name, tone: tone, values: $0.values) }
        }
        return BarChart(id: id, title: title, bins: bins, step: step, series: ordered)
    }
}

extension String {
    /// At most ``BarChart/maximumName`` Unicode scalars, none deceptive.
    var cutForChart: String {
        let shown = self.shown
        guard shown.unicodeScalars.count > BarChart.maximumName else { return shown }
        return String(String.UnicodeScalarView(shown.unicodeScalars.prefix(BarChart.maximumName - 1))) + "…"
    }
}

/// 0, and at most four round values above.
struct ChartScale {
    let step: Int
    let top: Int

    init(maximum: Int) {
        var step = 1
        var factors = [2, 5, 10].makeIterator()
        var unit = 1
        while step * 4 < maximum {
            if let factor = factors.next() {
                step = unit * factor
            } else {
                unit *= 10
                factors = [2, 5, 10].makeIterator()
            }
        }
        self.step = step
        top = max(1, (maximum + step - 1) / step) * step
    }

    var lines: [Int] { Array(stride(from: 0, through: top, by: step)) }
}
