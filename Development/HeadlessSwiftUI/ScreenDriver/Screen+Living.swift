import Foundation
import SwiftUI

public struct LivePage: Hashable, Sendable {
    /// With element ids, and styles in `data-style-text`. Omits secure fields' text.
    public var html: String
    /// An id.
    public var focused: String?
    /// The id of the element with VoiceOver's focus.
    public var spokenFocus: String?
    /// The topmost presentation's id; empty for the root.
    public var top: String
    /// A list can be pulled.
    public var canReload: Bool

    public init() { (html, focused, spokenFocus, top, canReload) = ("", nil, nil, "", false) }
}

public enum LiveAct: Hashable, Sendable {
    case tap
    case write(String)
    /// Presses Return.
    case submit
    /// Moves the keyboard focus to the field, or away.
    case focus(Bool)
}

extension Screen {
    public var onChange: (@MainActor () -> Void)? {
        get { host.onRender }
        set { host.onRender = newValue }
    }

    /// - Throws: ``ScreenError`` for a symbol that ``Symbols`` does not contain.
    public func livePage() throws -> LivePage {
        host.render()
        Self.name(host.elements)
        var writer = HTMLWriter(isLive: true)
        let html = try writer.layers(host.elements)
        var page = LivePage()
        page.html = html
        page.focused = all { $0.field?.isFocused == true }.first?.id
        page.spokenFocus = all { $0.spoken.isFocused }.first?.id
        page.top = host.presentations.last?.id ?? ""
        page.canReload = !all { $0.reload != nil }.isEmpty
        return page
    }

    /// - Throws: ``ScreenError`` unless there is exactly one.
    public func id(of control: String) throws -> String {
        host.render()
        Self.name(host.elements)
        return try self.control(control).id ?? ""
    }

    /// - Parameter id: From the latest ``livePage()``.
    /// - Returns: Whether the element exists, is reachable and enabled.
    public func act(_ act: LiveAct, on id: String) async -> Bool {
        host.render()
        Self.name(host.elements)
        guard let element = all({ $0.id == id }).first, element.isEnabled else { return false }
        switch (act, element.action, element.field) {
        case (.tap, let action?, _): await perform(action)
        case (.write(let text), _, let field?): await perform { field.write(text) }
        case (.submit, _, let field?): await perform { field.submit() }
        case (.focus(let isFocused), _, let field?): await perform { field.focus(isFocused) }
        default: return false
        }
        return true
    }

    /// Cancels a presentation that only buttons close, if possible.
    ///
    /// - Returns: Whether the presentation closed.
    public func dismiss() async -> Bool {
        if await swipeDown() { return true }
        guard let question = host.presentations.last, [.alert, .dialog].contains(question.kind),
            let cancel = question.children.first(where: { $0.role == .cancel && $0.isEnabled })?.action
        else { return false }
        await perform(cancel)
        return true
    }

    private func perform(_ action: @MainActor () -> Void) async {
        host.perform(action)
        await settle()
    }

    /// Gives every element a unique id: without a node, from its content or position.
    private static func name(_ elements: [ScreenElement]) {
        var counts: [String: Int] = [:]
        func visit(_ element: ScreenElement, _ parent: String) {
            let wraps = element.kind == .row || element.details["isOption"] != nil
            let inner = wraps ? element.children.first?.id : nil
            let base = element.id ?? "\(inner ?? parent).\(element.kind.rawValue)"
            let count = counts[base, default: 0]
            counts[base] = count + 1
            let id = count == 0 ? base : "\(base)-\(count)"
            element.id = id
            for child in element.children { visit(child, id) }
        }
        for element in elements { visit(element, "root") }
    }
}
