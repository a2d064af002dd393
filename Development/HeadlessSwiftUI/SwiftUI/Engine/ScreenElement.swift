/// Recreated by each rendering.
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
    package var role: ButtonRole?
    /// `symbol`, `place`, `inputmode` and others.
    package var details: [String: String] = [:]
    package var tag: AnyHashable?
    /// Stable while the view's node exists; see ``ViewNode/naming(_:)``.
    package var id: String?

    package var action: (@MainActor () -> Void)?
    /// For a swipe down or a tap outside; nil if neither closes the presentation.
    package var close: (@MainActor () -> Void)?
    /// For a pull; nil if there is nothing to reload.
    package var reload: (@MainActor () async -> Void)?
    package var field: Field?

    package init(_ kind: Kind, _ text: String = "", _ children: [ScreenElement] = []) {
        self.kind = kind
        self.text = text
        self.children = children
    }

    package struct Field {
        package var read: @MainActor () -> String
        package var write: @MainActor (String) -> Void
        /// Presses Return.
        package var submit: @MainActor () -> Void
        package var focus: @MainActor (Bool) -> Void
        package var isFocused = false
        package var prompt: String?
    }

    package struct Spoken {
        package var label: String?
        package var value: String?
        package var hint: String?
        package var identifier: String?
        package var traits: AccessibilityTraits = []
        package var isHidden = false
        /// The children form one element.
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

    /// VoiceOver's text: the label, else the text, else the children's.
    package var name: String {
        if let label = spoken.label { return label }
        if !text.isEmpty { return text }
        return children.filter(\.isReachable).map(\.name).filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// Compares the beginning first, which rules out most names.
    package func isNamed(_ name: String) -> Bool { name.hasPrefix(beginning) && self.name == name }

    private var beginning: String {
        if let label = spoken.label { return label }
        if !text.isEmpty { return text }
        return children.lazy.filter(\.isReachable).map(\.beginning).first { !$0.isEmpty } ?? ""
    }

    package var isReachable: Bool { !isPresentation && !spoken.isHidden && !isHidden }

    /// The target of a label, hint or identifier: the content of boxes that only set a size.
    var subject: ScreenElement {
        var subject = self
        while subject.kind == .box, let only = subject.children.first, subject.children.count == 1,
            !only.isPresentation
        {
            subject = only
        }
        return subject
    }

    /// - Parameter inRow: The parent arranges its children horizontally.
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
