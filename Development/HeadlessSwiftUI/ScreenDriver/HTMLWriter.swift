import SwiftUI

/// Semantic HTML for eyes, keyboards and screen readers. Reduces SwiftUI's layout to one question per axis: does the
/// element fill the offered space?
@MainActor struct HTMLWriter {
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

    /// A user operates the page: elements have ids, a script applies styles from attributes under a strict content
    /// security policy, and secret text is omitted.
    let isLive: Bool
    /// The topmost last.
    private var presented: [String] = []

    init(isLive: Bool = false) { self.isLive = isLive }

    /// The root and its presentations. Only the topmost layer is reachable.
    ///
    /// - Throws: ``ScreenError`` for a symbol that ``Symbols`` does not contain.
    mutating func layers(_ elements: [ScreenElement]) throws -> String {
        presented = []
        let root = try elements.map { try html($0, in: .column) }.joined()
        let layers = [root] + presented
        return layers.indices.map { index in
            let behind = index + 1 < layers.count ? " inert" : ""
            let dim = index == 0 ? "" : "<div class=\"dim\"></div>"
            return "\(dim)<div class=\"layer\"\(behind)>\(layers[index])</div>"
        }.joined()
    }

    private mutating func html(_ element: ScreenElement, in parent: Parent) throws -> String {
        if element.isHidden { return "" }
        switch element.kind {
        case .spacer: return tag("div", "spacer", element, parent, "")
        case .divider: return tag("div", "divider", element, parent, "")
        case .shape: return tag("div", "shape", element, parent, "")
        case .text:
            return tag("span", element.details["isTitle"] == nil ? "text" : "title", element, parent, lines(element))
        case .image:
            let classes = element.details["svg"] == nil ? "image" : "image picture"
            return tag("span", classes, element, parent, try drawing(element))
        case .button, .link: return try button(element, parent)
        case .toggle: return try toggle(element, parent)
        case .textField, .secureField: return field(element, parent)
        case .progress:
            return tag("div", "progress", element, parent, "<i class=\"spinner\"></i>" + (try children(element)))
        case .sheet, .cover, .alert, .dialog:
            try present(element)
            return ""
        default: return tag("div", element.kind.rawValue, element, parent, try children(element))
        }
    }

    private mutating func children(_ element: ScreenElement) throws -> String {
        let modal = element.kind == .overlay ? element.children.lastIndex(where: \.holdsModal) : nil
        // Elements behind a modal are unreachable.
        for child in element.children.prefix(modal ?? 0) { child.details["isCovered"] = "true" }
        return try element.children.map { try html($0, in: Parent(element.kind)) }.joined()
    }

    private mutating func present(_ element: ScreenElement) throws {
        let place = presented.count
        presented.append("")
        let size = element.details["detents"].map { $0 == "medium" ? " medium" : "" } ?? ""
        let inner = try children(element)
        presented[place] = tag("div", element.kind.rawValue + size, element, .layers, inner)
    }

    private mutating func button(_ element: ScreenElement, _ parent: Parent) throws -> String {
        var classes = "button \(element.details["style"] ?? "")"
        if element.kind == .link { classes += " chevron" }
        if element.role == .destructive { classes += " destructive" }
        if element.role == .cancel { classes += " cancel" }
        if !element.isEnabled { classes += " disabled" }
        if element.spoken.traits.contains(.isSelected) { classes += " selected" }
        let inner = element.children.isEmpty ? "<span>\(escaped(element.text))</span>" : try children(element)
        let back =
            element.details["back"] == nil
            ? "" : try Symbols.svg("chevron.backward").replacing("<svg ", with: "<svg aria-hidden=\"true\" ")
        if let address = element.details["href"], element.isEnabled {
            let attributes = " href=\"\(escaped(address))\" target=\"_blank\" rel=\"noopener\""
            return tag("a", classes, element, parent, back + inner, attributes)
        }
        return tag("button", classes, element, parent, back + inner, " type=\"button\"")
    }

    private mutating func toggle(_ element: ScreenElement, _ parent: Parent) throws -> String {
        let isOn = element.details["isOn"] == "true"
        let knob = "<i class=\"switch\(isOn ? " on" : "")\"></i>"
        let label = "<span class=\"text\">\(try children(element))</span>"
        let attributes = " type=\"button\" role=\"switch\" aria-checked=\"\(isOn)\""
        return tag("button", "toggle", element, parent, label + knob, attributes)
    }

    private func field(_ element: ScreenElement, _ parent: Parent) -> String {
        let text = element.field?.read() ?? ""
        let isSecret = element.kind == .secureField
        var classes = "field \(element.details["style"] ?? "")"
        if element.field?.isFocused == true { classes += " focused" }
        if element.details["isSearch"] != nil { classes += " search" }
        var attributes = " type=\"\(isSecret ? "password" : "text")\" dir=\"auto\""
        if isSecret, isLive {
            attributes += " data-filled=\"\(!text.isEmpty)\""
        } else {
            attributes += " value=\"\(isSecret ? String(repeating: "•", count: text.count) : escaped(text))\""
        }
        attributes += " placeholder=\"\(escaped(element.field?.prompt ?? ""))\""
        for name in ["autocomplete", "inputmode", "autocapitalize", "autocorrect", "enterkeyhint"] {
            if let value = element.details[name] { attributes += " \(name)=\"\(escaped(value))\"" }
        }
        if element.spoken.label == nil { attributes += " aria-label=\"\(escaped(element.name))\"" }
        return tag("input", classes, element, parent, nil, attributes)
    }

    private func lines(_ element: ScreenElement) -> String {
        escaped(element.text).replacing("\n", with: "<br>")
    }

    private func drawing(_ element: ScreenElement) throws -> String {
        if let svg = element.details["svg"] { return svg }
        if let symbol = element.details["symbol"] { return try Symbols.svg(symbol) }
        guard let asset = element.details["asset"], let bundle = element.details["bundle"] else { return "" }
        return try Symbols.asset(asset, in: bundle)
    }

    private func tag(
        _ name: String, _ classes: String, _ element: ScreenElement, _ parent: Parent, _ inner: String?,
        _ attributes: String = ""
    ) -> String {
        var attributes = attributes + spoken(element)
        if isLive, let id = element.id { attributes += " id=\"\(id)\"" }
        if isLive, element.details["isTapArea"] != nil { attributes += " data-taps" }
        if let place = element.details["place"] { attributes += " data-place=\"\(place)\"" }
        if element.kind == .bar, let title = element.details["title"] { attributes += " data-title=\"\(title)\"" }
        if let style = element.details["style"], element.kind == .list { attributes += " data-style=\"\(style)\"" }
        if element.details["isBehind"] != nil { attributes += " data-behind" }
        if element.details["isClearRow"] != nil { attributes += " data-clear" }
        if element.style.ignoresSafeArea { attributes += " data-bleeds" }
        if element.details["isHidden"] != nil { attributes += " hidden" }
        if element.details["isCovered"] != nil { attributes += " inert" }
        let style = element.isPresentation ? "" : HTMLStyle.text(element, parent)
        let start = "<\(name) class=\"\(classes)\" \(isLive ? "data-style-text" : "style")=\"\(style)\"\(attributes)>"
        return start + (inner.map { "\($0)</\(name)>" } ?? "")
    }
}

// Accessibility.
extension HTMLWriter {
    private func spoken(_ element: ScreenElement) -> String {
        let spoken = element.spoken
        var attributes = spoken.isHidden ? " aria-hidden=\"true\"" : ""
        let label = spoken.label.map { " aria-label=\"\(escaped($0))\"" } ?? ""
        switch element.kind {
        case .sheet, .cover, .alert, .dialog:
            let name = spoken.label ?? element.title ?? element.name
            // On a live page the phone's controls stay usable next to it: only `inert` disables the screen behind it.
            attributes += element.kind == .alert ? " role=\"alertdialog\"" : " role=\"dialog\""
            if !isLive { attributes += " aria-modal=\"true\"" }
            attributes += " aria-label=\"\(escaped(String(name.prefix(100))))\""
        case .button, .link, .toggle, .textField, .secureField:
            attributes += label + (element.isEnabled ? "" : " disabled")
            if let isPressed = element.isPressed { attributes += " aria-pressed=\"\(isPressed)\"" }
            if let hint = spoken.hint { attributes += " aria-description=\"\(escaped(hint))\"" }
        case .progress:
            let name = element.name.isEmpty ? element.details["working"] ?? "" : element.name
            attributes += " role=\"progressbar\" aria-label=\"\(escaped(name))\""
        case .image:
            if !spoken.isHidden { attributes += label.isEmpty ? " aria-hidden=\"true\"" : " role=\"img\"" + label }
        case .text where spoken.traits.contains(.isHeader):
            let level = spoken.headingLevel ?? (element.details["isTitle"] == nil ? 3 : 2)
            attributes += " role=\"heading\" aria-level=\"\(level)\"" + label
        case .picker: attributes += " role=\"group\"" + label
        default:
            if !label.isEmpty { attributes += " role=\"\(element.kind == .text ? "img" : "group")\"" + label }
        }
        return attributes
    }

    /// On scalars, like a browser: a quote ends an attribute even if a combining mark follows.
    func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}

extension ScreenElement {
    /// The bar's title, or the first heading.
    fileprivate var title: String? {
        if kind == .text, details["isTitle"] != nil || spoken.traits.contains(.isHeader) { return name }
        return children.lazy.filter { !$0.isPresentation && !$0.isHidden }.compactMap(\.title).first
    }

    fileprivate var holdsModal: Bool {
        spoken.traits.contains(.isModal) || children.contains { !$0.isPresentation && $0.holdsModal }
    }

    /// nil unless the button is selectable.
    fileprivate var isPressed: Bool? {
        guard kind == .button else { return nil }
        return spoken.traits.contains(.isSelected) ? true : details["isOption"] == nil ? nil : false
    }
}
