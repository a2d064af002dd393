import Synchronization

extension View {
    nonisolated public func accessibilityLabel(_ label: Text) -> some View {
        change(SpokenText(text: label, path: \.label))
    }

    nonisolated public func accessibilityLabel(_ labelKey: LocalizedStringKey) -> some View {
        accessibilityLabel(Text(labelKey))
    }

    @_disfavoredOverload
    nonisolated public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View {
        accessibilityLabel(Text(label))
    }

    nonisolated public func accessibilityValue(_ valueDescription: Text) -> some View {
        change(SpokenText(text: valueDescription, path: \.value))
    }

    nonisolated public func accessibilityValue(_ valueKey: LocalizedStringKey) -> some View {
        accessibilityValue(Text(valueKey))
    }

    @_disfavoredOverload
    nonisolated public func accessibilityValue<S: StringProtocol>(_ value: S) -> some View {
        accessibilityValue(Text(value))
    }

    nonisolated public func accessibilityHint(_ hint: Text) -> some View {
        change(SpokenText(text: hint, path: \.hint))
    }

    nonisolated public func accessibilityHint(_ hintKey: LocalizedStringKey) -> some View {
        accessibilityHint(Text(hintKey))
    }

    @_disfavoredOverload
    nonisolated public func accessibilityHint<S: StringProtocol>(_ hint: S) -> some View {
        accessibilityHint(Text(hint))
    }

    nonisolated public func accessibilityIdentifier(_ identifier: String) -> some View {
        eachSubject { $0.spoken.identifier = identifier }
    }

    nonisolated public func accessibilityHidden(_ hidden: Bool) -> some View {
        each { if hidden { $0.spoken.isHidden = true } }
    }

    nonisolated public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View {
        eachSubject { $0.spoken.traits.formUnion(traits) }
    }

    nonisolated public func accessibilityRemoveTraits(_ traits: AccessibilityTraits) -> some View {
        eachSubject { $0.spoken.traits.subtract(traits) }
    }

    nonisolated public func accessibilityElement(
        children: AccessibilityChildBehavior = .ignore
    ) -> some View {
        let name = children.name
        return eachSubject { element in
            switch name {
            case "combine": element.spoken.isCombined = true
            case "ignore":
                element.spoken.isCombined = true
                if element.spoken.label == nil { element.spoken.label = "" }
            default: break
            }
        }
    }

    nonisolated public func accessibilityHeading(_ level: AccessibilityHeadingLevel) -> some View {
        eachSubject { $0.spoken.headingLevel = Int(level.rawValue) }
    }

    nonisolated public func accessibilitySortPriority(_ sortPriority: Double) -> some View { self }
    nonisolated public func accessibilityShowsLargeContentViewer() -> some View { self }
}

private struct SpokenText: ViewChange {
    let text: Text
    let path: WritableKeyPath<ScreenElement.Spoken, String?>

    func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement] {
        for element in elements where !element.isPresentation {
            element.subject.spoken[keyPath: path] = context.text(text)
        }
        return elements
    }
}

public struct AccessibilityTraits: SetAlgebra, Sendable {
    private var names: Set<String> = []

    public init() {}
    private init(_ name: String) { names = [name] }

    public static let isButton = AccessibilityTraits("button")
    public static let isHeader = AccessibilityTraits("header")
    public static let isSelected = AccessibilityTraits("selected")
    public static let isLink = AccessibilityTraits("link")
    public static let isSearchField = AccessibilityTraits("searchField")
    public static let isImage = AccessibilityTraits("image")
    public static let isStaticText = AccessibilityTraits("staticText")
    public static let isModal = AccessibilityTraits("modal")
    public static let isToggle = AccessibilityTraits("toggle")
    public static let updatesFrequently = AccessibilityTraits("updatesFrequently")
    public static let causesPageTurn = AccessibilityTraits("causesPageTurn")

    public func contains(_ member: AccessibilityTraits) -> Bool { member.names.isSubset(of: names) }
    public func union(_ other: Self) -> Self { with { $0.formUnion(other) } }
    public func intersection(_ other: Self) -> Self { with { $0.formIntersection(other) } }
    public func symmetricDifference(_ other: Self) -> Self { with { $0.formSymmetricDifference(other) } }
    public mutating func formUnion(_ other: Self) { names.formUnion(other.names) }
    public mutating func formIntersection(_ other: Self) { names.formIntersection(other.names) }
    public mutating func formSymmetricDifference(_ other: Self) { names.formSymmetricDifference(other.names) }
    public mutating func insert(_ newMember: Self) -> (inserted: Bool, memberAfterInsert: Self) {
        defer { formUnion(newMember) }
        return (!contains(newMember), newMember)
    }
    public mutating func remove(_ member: Self) -> Self? {
        defer { names.subtract(member.names) }
        return contains(member) ? member : nil
    }
    public mutating func update(with newMember: Self) -> Self? {
        defer { formUnion(newMember) }
        return contains(newMember) ? newMember : nil
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var traits = self
        change(&traits)
        return traits
    }
}

public struct AccessibilityChildBehavior: Hashable {
    fileprivate let name: String

    public static var ignore: AccessibilityChildBehavior { AccessibilityChildBehavior(name: "ignore") }
    public static var contain: AccessibilityChildBehavior { AccessibilityChildBehavior(name: "contain") }
    public static var combine: AccessibilityChildBehavior { AccessibilityChildBehavior(name: "combine") }
}

@available(*, unavailable) extension AccessibilityChildBehavior: Sendable {}

public enum AccessibilityHeadingLevel: UInt, Sendable {
    case unspecified
    case h1
    case h2
    case h3
    case h4
    case h5
    case h6
}

public struct AccessibilityNotification {
    public struct Announcement {
        private let text: String

        public init(_ announcement: String) { text = announcement }
        public func post() { Announcing.listener?.announce(text) }
    }
}

/// The screen in whose action the code runs.
enum Announcing {
    @TaskLocal static var listener: Announcements?
}

/// VoiceOver's, in order.
package final class Announcements: Sendable {
    private let texts = Mutex<[String]>([])

    func announce(_ text: String) { texts.withLock { $0.append(text) } }
    package var all: [String] { texts.withLock { $0 } }
}
