import SwiftUI

extension Screen {
    /// One line per visible or operable element.
    public func snapshot() -> String {
        host.render()
        var lines: [String] = []
        for element in host.elements { Self.write(element, 0, &lines) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func write(_ element: ScreenElement, _ depth: Int, _ lines: inout [String]) {
        guard !element.isHidden else { return }
        let line = element.line
        if let line { lines.append(String(repeating: "  ", count: depth) + line) }
        if element.isLeaf {
            for child in element.children where child.isPresentation { write(child, depth, &lines) }
        } else {
            for child in element.children { write(child, depth + (line == nil ? 0 : 1), &lines) }
        }
    }
}

extension ScreenElement {
    fileprivate var isLeaf: Bool { [.text, .image, .button, .link, .toggle, .progress].contains(kind) }

    fileprivate var line: String? {
        guard let text = bareLine else { return nil }
        var marks = ""
        if !isEnabled { marks += " disabled" }
        if let role { marks += " \(role.name)" }
        if spoken.traits.contains(.isSelected) { marks += " selected" }
        if spoken.traits.contains(.isHeader), details["isTitle"] == nil { marks += " header" }
        if let value = spoken.value { marks += " value \"\(value)\"" }
        if let hint = spoken.hint { marks += " hint \"\(hint)\"" }
        if field?.isFocused == true { marks += " <keyboard>" }
        if spoken.isFocused { marks += " <voiceover>" }
        if spoken.isHidden { marks += " unspoken" }
        return text + marks
    }

    private var bareLine: String? {
        switch kind {
        case .text:
            spoken.label.map { "\"\(text)\" spoken \"\($0)\"" }
                ?? (details["isTitle"] == nil ? "\"\(text)\"" : "# \(text)")
        case .button, .link: "[\(name)]"
        case .toggle: "[\(details["isOn"] == "true" ? "x" : " ")] \(name)"
        case .image: spoken.isHidden ? nil : "image \(spoken.label ?? details["symbol"] ?? details["asset"] ?? "")"
        case .progress: "progress \(name)"
        case .textField: "field \(name): \(field?.read() ?? "")"
        case .secureField: "secret \(name): \(String(repeating: "•", count: field?.read().count ?? 0))"
        case .sheet, .cover, .alert, .dialog, .list, .form, .section, .picker, .bar, .menu, .row: kind.rawValue
        default: nil
        }
    }
}
