import SwiftUI

/// Writes elements as HTML. SwiftUI's layout is reduced to one question for each axis: does this element take all it
/// is offered?
@MainActor struct HTMLWriter {
    /// What lines an element up with its siblings.
    enum Parent {
        case row, column, layers

        init(_ kind: ScreenElement.Kind) {
            self =
                switch kind {
                case .hstack, .row: .row
                case .zstack: .layers
                default: .column
                }
        }
    }

    mutating func html(_ element: ScreenElement, in parent: Parent) throws -> String {
        if element.isHidden { return "" }
        switch element.kind {
        case .spacer: return tag("div", "spacer", element, parent, "")
        case .divider: return tag("div", "divider", element, parent, "")
        case .shape: return tag("div", "shape", element, parent, "")
        case .text:
            return tag("span", element.details["isTitle"] == nil ? "text" : "title", element, parent, lines(element))
        case .image: return tag("span", "image", element, parent, try drawing(element))
        case .button, .link: return try button(element, parent)
        case .toggle: return try toggle(element, parent)
        case .textField, .secureField: return field(element, parent)
        case .progress:
            return tag("div", "progress", element, parent, "<i class=\"spinner\"></i>" + (try children(element)))
        case .sheet, .cover, .alert, .dialog: return try presentation(element)
        default: return tag("div", element.kind.rawValue, element, parent, try children(element))
        }
    }

    private mutating func children(_ element: ScreenElement) throws -> String {
        try element.children.map { try html($0, in: Parent(element.kind)) }.joined()
    }

    private mutating func presentation(_ element: ScreenElement) throws -> String {
        let size = element.details["detents"].map { $0 == "medium" ? " medium" : "" } ?? ""
        return "<div class=\"dim\"></div><div role=\"dialog\" class=\"\(element.kind.rawValue)\(size)\">"
            + (try children(element)) + "</div>"
    }

    private mutating func button(_ element: ScreenElement, _ parent: Parent) throws -> String {
        var classes = "button \(element.details["style"] ?? "")"
        if element.kind == .link { classes += " chevron" }
        if element.role == .destructive { classes += " destructive" }
        if element.role == .cancel { classes += " cancel" }
        if !element.isEnabled { classes += " disabled" }
        if element.spoken.traits.contains(.isSelected) { classes += " selected" }
        let inner = element.children.isEmpty ? "<span>\(escaped(element.text))</span>" : try children(element)
        let back = element.details["back"] == nil ? "" : try Symbols.svg("chevron.backward")
        return tag("div", classes, element, parent, back + inner, " role=\"button\"")
    }

    private mutating func toggle(_ element: ScreenElement, _ parent: Parent) throws -> String {
        let knob = "<i class=\"switch\(element.details["isOn"] == "true" ? " on" : "")\"></i>"
        let label = "<span class=\"text\">\(try children(element))</span>"
        return tag("div", "toggle", element, parent, label + knob, " role=\"switch\"")
    }

    private func field(_ element: ScreenElement, _ parent: Parent) -> String {
        let value = escaped(element.field?.read() ?? "")
        let type = element.kind == .secureField ? "password" : "text"
        var classes = "field \(element.details["style"] ?? "")"
        if element.field?.isFocused == true { classes += " focused" }
        if element.details["isSearch"] != nil { classes += " search" }
        let attributes = [
            "type=\"\(type)\"", "value=\"\(value)\"", "placeholder=\"\(escaped(element.field?.prompt ?? ""))\"",
            "aria-label=\"\(escaped(element.name))\"", element.isEnabled ? "" : "disabled", "dir=\"auto\"",
        ].filter { !$0.isEmpty }.joined(separator: " ")
        return "<input class=\"\(classes)\" \(attributes) style=\"\(style(element, parent))\">"
    }

    private func lines(_ element: ScreenElement) -> String {
        escaped(element.text).replacing("\n", with: "<br>")
    }

    private func drawing(_ element: ScreenElement) throws -> String {
        if let symbol = element.details["symbol"] { return try Symbols.svg(symbol) }
        guard let asset = element.details["asset"], let bundle = element.details["bundle"] else { return "" }
        return try Symbols.asset(asset, in: bundle)
    }

    private func tag(
        _ name: String, _ classes: String, _ element: ScreenElement, _ parent: Parent, _ inner: String,
        _ attributes: String = ""
    ) -> String {
        var attributes = attributes
        if let label = element.spoken.label { attributes += " aria-label=\"\(escaped(label))\"" }
        if element.spoken.isHidden { attributes += " aria-hidden=\"true\"" }
        if let place = element.details["place"] { attributes += " data-place=\"\(place)\"" }
        if element.kind == .bar, let title = element.details["title"] { attributes += " data-title=\"\(title)\"" }
        if let style = element.details["style"], element.kind == .list { attributes += " data-style=\"\(style)\"" }
        if element.details["isBehind"] != nil { attributes += " data-behind" }
        if element.details["isHidden"] != nil { attributes += " hidden" }
        return "<\(name) class=\"\(classes)\" style=\"\(style(element, parent))\"\(attributes)>\(inner)</\(name)>"
    }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}

// Styles.
extension HTMLWriter {
    private func style(_ element: ScreenElement, _ parent: Parent) -> String {
        (flex(element, parent) + look(element.style) + box(element)).joined(separator: ";")
    }

    private func flex(_ element: ScreenElement, _ parent: Parent) -> [String] {
        let isRow = parent == .row
        let isWide = element.isGreedy(.horizontal, inRow: isRow)
        let isHigh = element.isGreedy(.vertical, inRow: isRow)
        if parent == .layers { return (isWide ? ["width:100%"] : []) + (isHigh ? ["height:100%"] : []) }
        let (main, cross) = isRow ? (isWide, isHigh) : (isHigh, isWide)
        let shrinks = isRow && [.text, .vstack, .box, .link, .button].contains(element.kind)
        return [main ? "flex:1 1 0" : shrinks ? "flex:0 1 auto" : "flex:none"] + (cross ? ["align-self:stretch"] : [])
    }

    private func look(_ style: ElementStyle) -> [String] {
        var css: [String] = []
        if let font = style.font {
            css.append("font-size:\(font.size)px;font-weight:\(font.weight)")
            if font.isItalic { css.append("font-style:italic") }
            if font.isMonospaced { css.append("font-family:monospace") }
        }
        if let color = style.color { css.append("color:\(color)") }
        if let alignment = style.textAlignment {
            css.append("text-align:\(alignment == .center ? "center" : alignment == .leading ? "start" : "end")")
        }
        if let limit = style.lineLimit {
            css.append("display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:\(limit);overflow:hidden")
        }
        if let background = style.background { css.append("background:\(background)") }
        if let border = style.border { css.append("border:\(border)") }
        if let corner = style.cornerRadius { css.append("border-radius:\(corner)") }
        if style.isClipped { css.append("overflow:hidden") }
        if style.opacity != 1 { css.append("opacity:\(style.opacity)") }
        return css
    }

    private func box(_ element: ScreenElement) -> [String] {
        let style = element.style
        var css: [String] = []
        for (name, limits) in [("width", style.width), ("height", style.height)] {
            if let fixed = limits.fixed { css.append("\(name):\(fixed)px") }
            if let minimum = limits.minimum { css.append("min-\(name):\(minimum)px") }
            if let maximum = limits.maximum, maximum != .infinity { css.append("max-\(name):\(maximum)px") }
        }
        let padding = style.padding
        if padding != EdgeInsets() {
            css.append("padding-block:\(padding.top)px \(padding.bottom)px")
            css.append("padding-inline:\(padding.leading)px \(padding.trailing)px")
        }
        if let spacing = style.spacing { css.append("gap:\(spacing)px") }
        if let alignment = style.alignment { css += aligned(element.kind, alignment) }
        return css
    }

    private func aligned(_ kind: ScreenElement.Kind, _ alignment: Alignment) -> [String] {
        switch kind {
        case .hstack: ["align-items:\(alignment.vertical.css)"]
        case .zstack: ["align-items:\(alignment.vertical.css);justify-items:\(alignment.horizontal.css)"]
        case .vstack: ["align-items:\(alignment.horizontal.css)"]
        default: ["align-items:\(alignment.horizontal.css);justify-content:\(alignment.vertical.css)"]
        }
    }
}
