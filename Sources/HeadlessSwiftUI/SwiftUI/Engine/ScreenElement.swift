/// One thing on the screen: what a person sees, hears or touches. Made anew by each rendering.
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
    /// Of a button: `destructive`, `cancel`, or nil.
    package var role: ButtonRole?
    /// Details that one kind has: `symbol`, `place`, `inputmode` and the like.
    package var details: [String: String] = [:]
    /// What a picker's option stands for.
    package var tag: AnyHashable?
    /// The same from one rendering to the next, as long as the view's place is there. See ``ViewNode/naming(_:)``.
    package var id: String?

    /// What a tap does.
    package var action: (@MainActor () -> Void)?
    /// What a swipe down, or a tap beside it, does to a presentation; nil when neither closes it.
    package var close: (@MainActor () -> Void)?
    /// What a pull does to a list; nil when there is nothing to reload.
    package var reload: (@MainActor () async -> Void)?
    package var field: Field?

    package init(_ kind: Kind, _ text: String = "", _ children: [ScreenElement] = []) {
        self.kind = kind
        self.text = text
        self.children = children
    }

    /// What can be typed into.
    package struct Field {
        package var read: @MainActor () -> String
        package var write: @MainActor (String) -> Void
        /// Return.
        package var submit: @MainActor () -> Void
        /// Moves the keyboard here, or takes it away.
        package var focus: @MainActor (Bool) -> Void
        package var isFocused = false
        package var prompt: String?
    }

    /// What VoiceOver knows beside what is drawn.
    package struct Spoken {
        package var label: String?
        package var value: String?
        package var hint: String?
        package var identifier: String?
        package var traits: AccessibilityTraits = []
        package var isHidden = false
        /// Children are one element.
        package var isCombined = false
        package var isFocused = false
        package var focus: (@MainActor (Bool) -> Void)?
        package var headingLevel: Int?
    }
}

extension ScreenElement {
    package var isPresentation: Bool { [.sheet, .cover, .alert, .dialog].contains(kind) }

    /// What VoiceOver reads: the label, else the text, else what the parts say.
    package var name: String {
        if let label = spoken.label { return label }
        if !text.isEmpty { return text }
        return children.filter { !$0.isPresentation && !$0.spoken.isHidden && !$0.isHidden }
            .map(\.name).filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// The one that a label, a hint or an identifier is about: what a box, which only has a size, holds.
    var subject: ScreenElement {
        var subject = self
        while subject.kind == .box, let only = subject.children.first, subject.children.count == 1,
            !only.isPresentation
        {
            subject = only
        }
        return subject
    }

    /// Whether it takes all the width, or height, that it is offered: the one question of the layout.
    ///
    /// - Parameter inRow: Whether the parent lines its children up from side to side.
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
