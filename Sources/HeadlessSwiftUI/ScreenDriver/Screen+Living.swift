public import Foundation
import SwiftUI

/// A screen as somebody's browser shows it, and by which names it knows what is on it.
public struct LivePage: Hashable, Sendable {
    /// Elements have ids, and their styles stand in `data-style-text`. What was typed into a secure field is not in it.
    public var html: String
    /// The id of the field that the keyboard types into.
    public var focused: String?
    /// The id of what VoiceOver's focus was moved to.
    public var spokenFocus: String?
    /// The topmost presentation's id: the root's is empty.
    public var top: String
    /// Whether there is a list that a pull reloads.
    public var canReload: Bool

    /// Nothing.
    public init() { (html, focused, spokenFocus, top, canReload) = ("", nil, nil, "", false) }
}

/// What a person does with one element.
public enum LiveAct: Hashable, Sendable {
    case tap
    /// The field's whole text.
    case write(String)
    /// Return.
    case submit
    /// The keyboard comes to the field, or leaves it.
    case focus(Bool)
}

// For a person in front of a browser, who names things by id.
extension Screen {
    /// Called when there may be something new to see.
    public var onChange: (@MainActor () -> Void)? {
        get { host.onRender }
        set { host.onRender = newValue }
    }

    /// - Throws: ``ScreenError`` for a symbol that ``Symbols`` does not draw.
    public func livePage() throws -> LivePage {
        host.render()
        Self.name(host.elements)
        var writer = HTMLWriter(isLive: true)
        let html = try writer.layers(host.elements)
        var page = LivePage()
        page.html = html
        page.focused = all { $0.field?.isFocused == true }.first?.id
        page.spokenFocus = all { $0.spoken.isFocused }.first?.id
        page.top = Self.presentations(host.elements).last?.id ?? ""
        page.canReload = !all { $0.reload != nil }.isEmpty
        return page
    }

    /// The id of a control that can be found by its name or identifier.
    ///
    /// - Throws: ``ScreenError`` when there is not exactly one.
    public func id(of control: String) throws -> String {
        host.render()
        Self.name(host.elements)
        return try self.control(control).id ?? ""
    }

    /// - Parameter id: Of an element of the newest ``livePage()``.
    /// - Returns: Whether it could be done: the element is there, within reach and not disabled.
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

    /// Swipes the topmost presentation away; one that only buttons close is cancelled, where it can be.
    ///
    /// - Returns: Whether it let itself be closed.
    public func dismiss() async -> Bool {
        if await swipeDown() { return true }
        guard let question = Self.presentations(host.elements).last, [.alert, .dialog].contains(question.kind),
            let cancel = question.children.first(where: { $0.role == .cancel && $0.isEnabled })?.action
        else { return false }
        await perform(cancel)
        return true
    }

    private func perform(_ action: @MainActor () -> Void) async {
        host.perform(action)
        await settle()
    }

    /// Gives every element an id of its own. Those that the engine made without a place are called after what they
    /// hold, or after where they stand.
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
