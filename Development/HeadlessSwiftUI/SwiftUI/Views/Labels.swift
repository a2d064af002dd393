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

extension Label where Title == LabelStyleConfiguration.Title, Icon == LabelStyleConfiguration.Icon {
    nonisolated public init(_ configuration: LabelStyleConfiguration) {
        (title, icon) = (configuration.title, configuration.icon)
    }
}

extension Label: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let style = context.environment.labelStyle
        guard let parts = style as? any SystemLabelStyle else {
            let configuration = LabelStyleConfiguration(title: .init(view: title), icon: .init(view: icon))
            return context.elements(of: configuration, in: style)
        }
        let texts = context.child(.slot("title")).elements(of: title)
        let icons = context.child(.slot("icon")).elements(of: icon)
        for icon in icons { icon.spoken.isHidden = true }
        let row = ScreenElement(.hstack)
        row.style.spacing = 8
        row.children = (parts.showsIcon ? icons : []) + (parts.showsTitle ? texts : [])
        if !parts.showsTitle { row.spoken.label = texts.map(\.name).joined(separator: ", ") }
        return [row]
    }
}

extension RenderContext {
    fileprivate func elements(of label: LabelStyleConfiguration, in style: some LabelStyle) -> [ScreenElement] {
        var inner = child(.slot("style"))
        // Labels in the style's body have the system's look.
        inner.environment.labelStyle = TitleAndIconLabelStyle()
        var linked = style
        inner.link(&linked)
        return inner.elements(of: linked.makeBody(configuration: label))
    }
}

@MainActor @preconcurrency public protocol LabelStyle {
    associatedtype Body: View
    typealias Configuration = LabelStyleConfiguration
    @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Self.Configuration) -> Self.Body
}

public struct LabelStyleConfiguration {
    public struct Title {
        let view: any View
    }

    public struct Icon {
        let view: any View
    }

    public var title: LabelStyleConfiguration.Title
    public var icon: LabelStyleConfiguration.Icon
}

extension LabelStyleConfiguration.Title: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] { context.elements(of: view) }
}

extension LabelStyleConfiguration.Icon: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] { context.elements(of: view) }
}

/// Rendered by the engine.
protocol SystemLabelStyle: LabelStyle {
    nonisolated var showsIcon: Bool { get }
    nonisolated var showsTitle: Bool { get }
}

public struct TitleAndIconLabelStyle {
    public init() {}
}

extension TitleAndIconLabelStyle: SystemLabelStyle {
    var showsIcon: Bool { true }
    var showsTitle: Bool { true }
    public func makeBody(configuration: Configuration) -> some View { Label(configuration).labelStyle(self) }
}

public struct TitleOnlyLabelStyle {
    public init() {}
}

extension TitleOnlyLabelStyle: SystemLabelStyle {
    var showsIcon: Bool { false }
    var showsTitle: Bool { true }
    public func makeBody(configuration: Configuration) -> some View { Label(configuration).labelStyle(self) }
}

public struct IconOnlyLabelStyle {
    public init() {}
}

extension IconOnlyLabelStyle: SystemLabelStyle {
    var showsIcon: Bool { true }
    var showsTitle: Bool { false }
    public func makeBody(configuration: Configuration) -> some View { Label(configuration).labelStyle(self) }
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
    nonisolated public func labelStyle<S: LabelStyle>(_ style: S) -> some View { setting(\.labelStyle, style) }
}
