import GatehouseWire

extension BarChart {
    /// Omits empty hours and days.
    var table: HTML {
        let head = HTML.tag(
            "tr", [:],
            all: [.tag("th", ["scope": "col"], step == .hour ? "Hour (UTC)" : "Day (UTC)")]
                + series.map { .tag("th", ["scope": "col", "class": "number"], HTML($0.name)) })
        let rows = bins.indices.filter { height($0) > 0 }.map { bin in
            HTML.tag(
                "tr", [:],
                all: [.tag("th", ["scope": "row"], HTML(fullLabel(bin)))]
                    + series.map { .tag("td", ["class": "number"], HTML(Figures.count($0.values[bin]))) })
        }
        return .tag(
            "details", [:], .tag("summary", [:], "Numbers", .tag("span", ["class": "unseen"], HTML(": " + title))),
            .tag(
                "div", ["class": "sheet", "role": "region", "aria-label": "Numbers: \(title)", "tabindex": "0"],
                .tag("table", [:], .tag("thead", [:], head), .tag("tbody", [:], all: rows))))
    }
}
