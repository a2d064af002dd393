public struct Image: Equatable, Sendable {
    private let name: String
    private let isSymbol: Bool
    private var bundle: Bundle?
    private var isSpoken = true
    private var label: Text?

    public init(systemName: String) { (name, isSymbol) = (systemName, true) }
    public init(_ name: String, bundle: Bundle? = nil) {
        (self.name, isSymbol, self.bundle) = (name, false, bundle)
    }
    public init(_ name: String, bundle: Bundle? = nil, label: Text) {
        (self.name, isSymbol, self.bundle, self.label) = (name, false, bundle, label)
    }
    public init(decorative name: String, bundle: Bundle? = nil) {
        (self.name, isSymbol, self.bundle, isSpoken) = (name, false, bundle, false)
    }

    public func resizable(capInsets: EdgeInsets = EdgeInsets(), resizingMode: ResizingMode = .stretch) -> Image { self }
    public func renderingMode(_ renderingMode: TemplateRenderingMode?) -> Image { self }

    public enum ResizingMode: Hashable, Sendable {
        case tile
        case stretch
    }

    public enum TemplateRenderingMode: Hashable, Sendable {
        case template
        case original
    }

    public enum Scale: Hashable, Sendable {
        case small
        case medium
        case large
    }
}

extension Image: View, RenderedView {
    public var body: Never { bodiless(Self.self) }
    package func render(in context: RenderContext) -> [ScreenElement] {
        let element = ScreenElement(.image)
        element.details[isSymbol ? "symbol" : "asset"] = name
        // The location of the asset catalogue, for drawing the image.
        if !isSymbol { element.details["bundle"] = (bundle ?? .main).resourcePath }
        element.style = context.textStyle
        element.spoken.isHidden = !isSpoken
        element.spoken.label = label.map(context.text)
        return [element]
    }
}

public struct Label<Title: View, Icon: View> {
    private let title: Title
    private let icon: Icon

    nonisolated public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {
        (self.title, self.icon) = (title(), icon())
    }
}

extension Label where Title == Text, Icon == Image {
    nonisolated public init(_ titleKey: LocalizedStringKey, systemImage name: String) {
        (title, icon) = (Text(titleKey), Image(systemName: name))
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S, systemImage name: String) {
        (self.title, icon) = (Text(title), Image(systemName: name))
    }
}

extension Label: View, RenderedView {
    public var body: Never { bodiless(Self.self) }
    package func render(in context: RenderContext) -> [ScreenElement] {
        let texts = context.child(.slot("title")).elements(of: title)
        let icons = context.child(.slot("icon")).elements(of: icon)
        for icon in icons { icon.spoken.isHidden = true }
        let row = ScreenElement(.hstack)
        row.style.spacing = 8
        switch context.environment.labelStyle {
        case .titleAndIcon: row.children = icons + texts
        case .titleOnly: row.children = texts
        case .iconOnly:
            row.children = icons
            row.spoken.label = texts.map(\.name).joined(separator: ", ")
        }
        return [row]
    }
}

enum LabelRendering: Sendable {
    case titleAndIcon
    case titleOnly
    case iconOnly
}

public protocol LabelStyle {}

protocol LabelRenderingStyle: LabelStyle {
    var rendering: LabelRendering { get }
}

public struct TitleAndIconLabelStyle: LabelRenderingStyle {
    public init() {}
    var rendering: LabelRendering { .titleAndIcon }
}

public struct TitleOnlyLabelStyle: LabelRenderingStyle {
    public init() {}
    var rendering: LabelRendering { .titleOnly }
}

public struct IconOnlyLabelStyle: LabelRenderingStyle {
    public init() {}
    var rendering: LabelRendering { .iconOnly }
}

extension LabelStyle where Self == TitleAndIconLabelStyle {
    public static var titleAndIcon: TitleAndIconLabelStyle { TitleAndIconLabelStyle() }
}

extension LabelStyle where Self == TitleOnlyLabelStyle {
    public static var titleOnly: TitleOnlyLabelStyle { TitleOnlyLabelStyle() }
}

extension LabelStyle where Self == IconOnlyLabelStyle {
    public static var iconOnly: IconOnlyLabelStyle { IconOnlyLabelStyle() }
}

extension View {
    nonisolated public func labelStyle<S: LabelStyle>(_ style: S) -> some View {
        setting(\.labelStyle, (style as? any LabelRenderingStyle)?.rendering ?? .titleAndIcon)
    }

    nonisolated public func imageScale(_ scale: Image.Scale) -> some View { self }
}

public struct ProgressView<Label: View> {
    private let label: Label
    private let fraction: Double?
}

extension ProgressView where Label == EmptyView {
    nonisolated public init() { (label, fraction) = (EmptyView(), nil) }

    nonisolated public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0) {
        (label, fraction) = (EmptyView(), value.map { Double($0 / total) })
    }
}

extension ProgressView {
    nonisolated public init(@ViewBuilder label: () -> Label) { (self.label, fraction) = (label(), nil) }
}

extension ProgressView where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey) { (label, fraction) = (Text(titleKey), nil) }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S) { (label, fraction) = (Text(title), nil) }
}

extension ProgressView: View, RenderedView {
    public var body: Never { bodiless(Self.self) }
    package func render(in context: RenderContext) -> [ScreenElement] {
        let element = ScreenElement(.progress, "", context.elements(of: label))
        element.details["fraction"] = fraction.map { "\($0)" }
        element.details["working"] = SystemTexts.working.text(in: context.environment.locale)
        element.style = context.textStyle
        return [element]
    }
}
