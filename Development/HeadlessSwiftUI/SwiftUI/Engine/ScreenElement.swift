/// An element on the screen, which the user sees, hears or touches. Recreated by each rendering.
@MainActor package final class ScreenElement {
    package enum Kind: String, Sendable {
        case text, image, button, link, menu, toggle, picker, textField, secureField, progress
        case spacer, divider, shape
        case vstack, hstack, zstack, overlay, box, scroll, list, form, section, header, sectionBody, footer, row
        case navigation, bar, page, tabs
        case sheet, cover, alert, dialog
    }

    package var kind: Kind
    package var text: String
    package var children: [ScreenElement]
    package var style = ElementStyle()
    package var spoken = Spoken()
    package var isEnabled = true
    package var isHidden = false
    /// The role of a button: `destructive`, `cancel`, or nil.
    package var role: ButtonRole?
    /// Details of certain kinds: `symbol`, `place`, `inputmode` and others.
    package var details: [String: String] = [:]
    /// The value of a picker's option.
    package var tag: AnyHashable?
    /// Stable across renderings, as long as the view's node exists; see ``ViewNode/naming(_:)``.
    package var id: String?

    /// The action of a tap.
    package var action: (@MainActor () -> Void)?
    /// Closes a presentation after a swipe down or a tap outside of it; nil if neither closes it.
    package var close: (@MainActor () -> Void)?
    /// Reloads a list after a pull; nil if there is nothing to reload.
    package var reload: (@MainActor () async -> Void)?
    package var field: Field?

    package init(_ kind: Kind, _ text: String = "", _ children: [ScreenElement] = []) {
        self.kind = kind
        self.text = text
        self.children = children
    }

    /// An element that accepts text.
    package struct Field {
        package var read: @MainActor () -> String
        package var write: @MainActor (String) -> Void
        /// Presses Return.
        package var submit: @MainActor () -> Void
        /// Moves the keyboard focus here, or away.
        package var focus: @MainActor (Bool) -> Void
        package var isFocused = false
        package var prompt: String?
    }

    /// The accessibility of an element, beyond what is drawn.
    package struct Spoken {
        package var label: String?
        package var value: String?
        package var hint: String?
        package var identifier: String?
        package var traits: AccessibilityTraits = []
        package var isHidden = false
        /// Whether the children form one element.
        package var isCombined = false
        package var isFocused = false
        package var focus: (@MainActor (Bool) -> Void)?
        package var headingLevel: Int?
    }
}

extension ScreenElement {
    package var isPresentation: Bool {
        switch kind {
        case .sheet, .cover, .alert, .dialog: true
        default: false
        }
    }

    /// The text that VoiceOver reads: the label, else the text, else that of the children.
    package var name: String {
        if let label = spoken.label { return label }
        if !text.isEmpty { return text }
        return children.filter(\.isReachable).map(\.name).filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// Whether this is the element's name. Most names begin with another text, so the rest is not needed.
    package func isNamed(_ name: String) -> Bool { name.hasPrefix(beginning) && self.name == name }

    private var beginning: String {
        if let label = spoken.label { return label }
        if !text.isEmpty { return text }
        return children.lazy.filter(\.isReachable).map(\.beginning).first { !$0.isEmpty } ?? ""
    }

    /// Whether a user can come to the element: by VoiceOver too.
    package var isReachable: Bool { !isPresentation && !spoken.isHidden && !isHidden }

    /// The element that a label, hint or identifier refers to: the content of boxes that only set a size.
    var subject: ScreenElement {
        var subject = self
        while subject.kind == .box, let only = subject.children.first, subject.children.count == 1,
            !only.isPresentation
        {
            subject = only
        }
        return subject
    }

    /// Whether the element fills the width or height that it is offered: the only question of the layout.
    ///
    /// - Parameter inRow: Whether the parent arranges its children horizontally.
    package func isGreedy(_ axis: Axis, inRow: Bool = false) -> Bool {
        let limits = axis == .horizontal ? style.width : style.height
        if limits.fixed != nil { return false }
        if limits.maximum == .infinity { return true }
        if limits.maximum != nil, kind == .box { return children.contains { $0.isGreedy(axis) } }
        switch kind {
        case .spacer: return (axis == .horizontal) == inRow
        case .textField, .secureField, .divider, .toggle: return axis == .horizontal
        case .list, .form, .navigation, .page, .shape, .tabs: return true
        case .scroll: return true
        case .text, .image, .progress: return false
        case .overlay, .box: return children.first?.isGreedy(axis) ?? false
        default:
            return children.contains { !$0.isPresentation && $0.isGreedy(axis, inRow: kind == .hstack) }
        }
    }
}
