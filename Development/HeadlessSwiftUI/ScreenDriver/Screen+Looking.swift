import SwiftUI

// Queries of the screen's visible and spoken content. Those that throw need exactly one match.
extension Screen {
    /// Shows or speaks exactly this text.
    public func shows(_ text: String) -> Bool {
        has { $0.kind == .text && $0.text == text || $0.isNamed(text) }
    }

    /// From top to bottom.
    public var texts: [String] { all { $0.kind == .text }.map(\.text) }

    /// Including links.
    public var buttons: [String] { all(\.isButton).map(\.name) }

    public var fields: [String] { all { $0.field != nil }.map(\.name) }

    /// By name or identifier.
    public func has(button name: String) -> Bool { has { $0.isButton && $0.isCalled(name) } }
    /// By name or identifier.
    public func has(field name: String) -> Bool { has { $0.field != nil && $0.isCalled(name) } }

    public func isEnabled(_ name: String) throws -> Bool { try control(name).isEnabled }

    public func value(of field: String) throws -> String { try self.field(field).field?.read() ?? "" }

    public func isOn(_ name: String) throws -> Bool {
        let control = try control(name)
        return control.details["isOn"] == "true" || control.spoken.traits.contains(.isSelected)
    }

    /// `autocomplete`, `inputmode`, `autocapitalize`, `autocorrect` or `enterkeyhint`, as in HTML.
    public func attribute(_ name: String, of field: String) throws -> String? { try self.field(field).details[name] }

    public func hint(of name: String) throws -> String? { try control(name).spoken.hint }

    public var progress: [String] { all { $0.kind == .progress }.map(\.name) }

    public var focused: String? { all { $0.field?.isFocused == true }.first?.name }

    /// VoiceOver's.
    public var spokenFocus: String? { all { $0.spoken.isFocused }.first?.name }

    public var title: String? { all { $0.details["isTitle"] == "true" }.first?.text }

    /// The topmost last: `sheet`, `alert`, `dialog`, `cover`.
    public var presentations: [String] {
        host.render()
        return host.presentations.map(\.kind.rawValue)
    }

    /// Spoken or not.
    public var symbols: [String] { drawn("symbol") }

    /// From asset catalogues, spoken or not.
    public var pictures: [String] { drawn("asset") }

    private func drawn(_ kind: String) -> [String] {
        func names(_ element: ScreenElement) -> [String] {
            (element.details[kind].map { [$0] } ?? []) + element.children.flatMap(names)
        }
        return top.flatMap(names)
    }

    public func look(of name: String) throws -> Look {
        var look = Look()
        // A button's text often has the button's name.
        look.read(
            has(button: name)
                ? try button(name) : try one("the text \"\(name)\"") { $0.kind == .text && $0.isCalled(name) })
        return look
    }
}

extension Screen {
    var top: [ScreenElement] {
        host.render()
        return host.presentations.last?.children ?? host.elements
    }

    func all(_ fits: (ScreenElement) -> Bool) -> [ScreenElement] {
        var found: [ScreenElement] = []
        func visit(_ elements: [ScreenElement]) {
            for element in elements where element.isReachable {
                if fits(element) { found.append(element) }
                visit(element.children)
            }
        }
        visit(top)
        return found
    }

    func has(_ fits: (ScreenElement) -> Bool) -> Bool {
        func isAmong(_ elements: [ScreenElement]) -> Bool {
            elements.contains { $0.isReachable && (fits($0) || isAmong($0.children)) }
        }
        return isAmong(top)
    }

    func one(_ what: String, _ fits: (ScreenElement) -> Bool) throws -> ScreenElement {
        let found = all(fits)
        guard let only = found.first, found.count == 1 else {
            throw ScreenError(description: "\(found.count) elements are \(what), on\n\(snapshot())")
        }
        return only
    }

    func control(_ name: String) throws -> ScreenElement {
        try one("the control \"\(name)\"") { ($0.isButton || $0.field != nil) && $0.isCalled(name) }
    }

    func button(_ name: String) throws -> ScreenElement {
        try one("the button \"\(name)\"") { $0.isButton && $0.isCalled(name) }
    }

    func field(_ name: String) throws -> ScreenElement {
        try one("the field \"\(name)\"") { $0.field != nil && $0.isCalled(name) }
    }
}

extension ScreenElement {
    var isButton: Bool { [.button, .link, .toggle].contains(kind) }
    func isCalled(_ name: String) -> Bool { isNamed(name) || spoken.identifier == name }
}
