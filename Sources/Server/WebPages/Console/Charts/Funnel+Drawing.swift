import GatehouseWire

extension Funnel {
    /// Further kinds are not named.
    private static let maximumFailures = 6

    /// From choosing the method to the completed sign-in, with the losses between.
    var figure: HTML {
        let steps = [("Selected", selected, nil), ("Started", started, selected), ("Completed", completed, started)]
        let widest = max(1, selected, started, completed)
        return .tag(
            "section", ["class": "funnel"], .tag("h3", [:], HTML(MethodNames.shown(method))),
            .tag("ol", [:], all: steps.map { step($0, $1, before: $2, widest: widest) }), endings)
    }

    private func step(_ name: String, _ count: Int, before: Int?, widest: Int) -> HTML {
        let percent = Int((Double(count) / Double(widest) * 100).rounded())
        let change = before.flatMap { before in
            count < before
                ? HTML.tag(
                    "span", ["class": "drop"], HTML("−\(Figures.percent(before - count, of: before))"),
                    .tag("span", ["class": "unseen"], " from the step before")) : nil
        }
        return .tag(
            "li", [:], .tag("span", ["class": "step"], HTML(name)), change ?? "",
            .tag("span", ["class": "figure"], HTML(Figures.count(count))),
            .tag(
                "svg", ["width": "100%", "height": "10", "aria-hidden": "true"],
                .empty("rect", ["class": "track", "width": "100%", "height": "10", "rx": "3"]),
                count == 0
                    ? ""
                    : .empty("rect", ["class": "tone1", "width": "\(max(1, percent))%", "height": "10", "rx": "3"])))
    }

    private var endings: HTML {
        var parts: [String] = []
        if cancelled > 0 { parts.append("Cancelled: \(Figures.count(cancelled)).") }
        if failed > 0 {
            var kinds = failures.filter { $0.count > 0 }.prefix(Self.maximumFailures)
                .map { "\($0.type.cutForChart) \(Figures.count($0.count))" }
            if failures.count > Self.maximumFailures { kinds.append("others") }
            parts.append("Failed: \(Figures.count(failed)) (\(kinds.joined(separator: ", "))).")
        }
        return parts.isEmpty ? "" : .tag("p", ["class": "detail"], HTML(parts.joined(separator: " ")))
    }
}
