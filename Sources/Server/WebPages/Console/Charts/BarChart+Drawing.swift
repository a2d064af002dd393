import GatehouseWire

// Without a view box, widths are shares of the page's, and texts and patterns keep their size on a phone. Patterns
// repeat the colors.
extension BarChart {
    /// In pixels.
    private static let (height, top, base): (Int, Int, Int) = (196, 12, 168)

    var figure: HTML {
        .tag(
            "figure", ["class": "chart"],
            .tag(
                "figcaption", [:], .tag("b", [:], HTML(title)),
                .tag("span", ["class": "soft"], "\(Figures.count(total)) in all")),
            legend, .tag("div", ["class": "plot"], axis, bars), table)
    }

    private var scale: ChartScale { ChartScale(maximum: bins.indices.map(height).max() ?? 0) }

    private func y(_ value: Int, _ scale: ChartScale) -> Int {
        let share = Double(value) / Double(scale.top)
        return Self.base - Int((share * Double(Self.base - Self.top)).rounded())
    }

    private var legend: HTML {
        .tag(
            "ul", ["class": "legend"],
            all: series.map { one in
                .tag(
                    "li", [:],
                    .tag(
                        "svg", ["class": "key", "width": "14", "height": "14", "aria-hidden": "true"],
                        box(one.tone, Area(width: "14", height: "14", radius: "3"))),
                    HTML(one.name), .tag("span", ["class": "soft"], HTML(" " + Figures.count(one.total))))
            })
    }

    private var axis: HTML {
        let scale = scale
        return .tag(
            "svg", ["class": "axis", "width": "40", "height": "\(Self.height)", "aria-hidden": "true"],
            all: scale.lines.map { value in
                .tag(
                    "text", ["x": "34", "y": "\(y(value, scale) + 4)", "text-anchor": "end"],
                    HTML(Figures.short(value)))
            })
    }

    private var bars: HTML {
        let scale = scale
        let lines = scale.lines.map { value in
            HTML.empty(
                "line",
                [
                    "class": value == 0 ? "base" : "grid", "x2": "100%", "y1": "\(y(value, scale))",
                    "y2": "\(y(value, scale))",
                ])
        }
        return .tag(
            "svg",
            [
                "class": "bars", "width": "100%", "height": "\(Self.height)", "role": "img",
                "aria-labelledby": "\(id)-title \(id)-text",
            ],
            .tag("title", ["id": "\(id)-title"], HTML(title)), .tag("desc", ["id": "\(id)-text"], HTML(summary)),
            .tag("defs", [:], all: series.compactMap { pattern($0.tone) }), lines.joined(),
            bins.indices.map { bar($0, scale) }.joined(), labels.joined())
    }

    /// For screen readers.
    private var summary: String {
        let most = bins.indices.max { (height($0), $1) < (height($1), $0) } ?? 0
        let unit = step == .hour ? "hour" : "day"
        let parts = series.map { "\($0.name) \(Figures.count($0.total))" }.joined(separator: ", ")
        return "Bars by \(unit), from \(fullLabel(0)) to \(fullLabel(bins.count - 1)) UTC. \(parts). "
            + "The most in one \(unit): \(Figures.count(height(most))), \(fullLabel(most))."
    }

    /// The first series at the bottom. The title shows on hover.
    private func bar(_ bin: Int, _ scale: ChartScale) -> HTML {
        guard height(bin) > 0 else { return "" }
        let width = 100 / Double(bins.count)
        let (x, breadth) = (percent(width * (Double(bin) + 0.14)), percent(width * 0.72))
        var sum = 0
        var boxes: [HTML] = []
        for one in series where one.values[bin] > 0 {
            let below = y(sum, scale)
            sum += one.values[bin]
            // Rare events must not vanish.
            let above = min(y(sum, scale), below - 2)
            boxes.append(
                box(one.tone, Area(x: x, y: "\(above)", width: breadth, height: "\(below - above)")))
        }
        let parts = series.filter { $0.values[bin] > 0 }.map { "\($0.name) \(Figures.count($0.values[bin]))" }
        return .tag("g", [:], .tag("title", [:], "\(fullLabel(bin)): \(parts.joined(separator: ", "))"), boxes.joined())
    }

    /// At most five, for a phone.
    private var labels: [HTML] {
        let distance = (bins.count + 4) / 5
        return stride(from: 0, to: bins.count, by: distance).map { bin in
            let x = percent(100 / Double(bins.count) * (Double(bin) + 0.5))
            return .tag("text", ["x": x, "y": "188", "text-anchor": "middle"], HTML(label(bin)))
        }
    }

    private func percent(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return hundredths.isMultiple(of: 100) ? "\(hundredths / 100)%" : "\(Double(hundredths) / 100)%"
    }
}

// Patterns.
extension BarChart {
    private func box(_ tone: Tone, _ area: Area) -> HTML {
        .empty(
            "rect",
            [
                "class": tone.hasPattern ? nil : tone.className,
                "fill": tone.hasPattern ? "url(#\(id)-\(tone.rawValue))" : nil,
                "x": area.x, "y": area.y, "width": area.width, "height": area.height, "rx": area.radius,
            ])
    }

    /// SVG attributes of the same names.
    private struct Area {
        var x: String?
        var y: String?
        var width: String
        var height: String
        var radius: String?
    }

    private func pattern(_ tone: Tone) -> HTML? {
        let ground = HTML.empty("rect", ["class": tone.className, "width": "6", "height": "6"])
        let (turn, mark): (String?, HTML)
        switch tone {
        case .solid, .plain: return nil
        case .stripes: (turn, mark) = ("rotate(45)", .empty("path", ["class": "mark", "d": "M0 0h2v6h-2z"]))
        case .dots: (turn, mark) = (nil, .empty("circle", ["class": "mark", "cx": "3", "cy": "3", "r": "1.5"]))
        case .backStripes: (turn, mark) = ("rotate(-45)", .empty("path", ["class": "mark", "d": "M0 0h2v6h-2z"]))
        case .lines: (turn, mark) = (nil, .empty("path", ["class": "mark", "d": "M0 0h6v2h-6z"]))
        }
        return .tag(
            "pattern",
            [
                "id": "\(id)-\(tone.rawValue)", "width": "6", "height": "6", "patternUnits": "userSpaceOnUse",
                "patternTransform": turn,
            ], ground, mark)
    }
}

extension BarChart.Tone {
    var className: String { "tone\(rawValue)" }
    fileprivate var hasPattern: Bool { self != .solid && self != .plain }
}
