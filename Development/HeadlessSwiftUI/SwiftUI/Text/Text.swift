public struct Text: Equatable, Sendable {
    private enum Source: Equatable, Sendable {
        case verbatim(String)
        case key(LocalizedStringKey.Parts, table: String?, bundle: Bundle?)
        case value(Written)
        indirect case sum(Text, Text)
    }

    private struct Written: Equatable, Sendable {
        let description: String
        let write: @Sendable (Locale) -> String
        static func == (first: Self, second: Self) -> Bool { first.description == second.description }
    }

    private let source: Source
    private var traits = Traits()

    public init(verbatim content: String) { source = .verbatim(content) }
    @_disfavoredOverload public init<S: StringProtocol>(_ content: S) { source = .verbatim(String(content)) }
    public init(
        _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
    ) {
        source = .key(key.parts, table: tableName, bundle: bundle)
    }

    public init<F: FormatStyle>(
        _ input: F.FormatInput, format: F
    ) where F: Sendable, F.FormatInput: Equatable & Sendable, F.FormatOutput == String {
        source = .value(Written(description: "\(input)") { format.locale($0).format(input) })
    }

    private init(_ source: Source) { self.source = source }

    func resolve(in context: TextContext) -> String {
        switch source {
        case .verbatim(let text): text
        case .key(let key, let table, let bundle): key.resolve(bundle, table, in: context)
        case .value(let value): value.write(context.locale)
        case .sum(let first, let second): first.resolve(in: context) + second.resolve(in: context)
        }
    }
}

extension Text: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let element = ScreenElement(.text, context.text(self))
        element.style = context.textStyle
        traits.apply(to: &element.style, context.environment)
        return [element]
    }
}

extension RenderContext {
    func text(_ text: Text) -> String {
        text.resolve(in: TextContext(locale: environment.locale, catalogs: host.catalogs))
    }
}

extension Text {
    fileprivate struct Traits: Equatable, Sendable {
        var font: Font?
        var weight: Font.Weight?
        var isItalic = false
        var color: Color?

        func apply(to style: inout ElementStyle, _ environment: EnvironmentValues) {
            if let font { style.font = font.resolve(environment) }
            if let weight { style.font?.weight = weight.css }
            if isItalic { style.font?.isItalic = true }
            if let color { style.color = color.css(environment) }
        }
    }

    private func with(_ change: (inout Traits) -> Void) -> Text {
        var text = self
        change(&text.traits)
        return text
    }

    public func font(_ font: Font?) -> Text { with { $0.font = font } }
    public func fontWeight(_ weight: Font.Weight?) -> Text { with { $0.weight = weight } }
    public func bold() -> Text { with { $0.weight = .bold } }
    public func bold(_ isActive: Bool) -> Text { with { $0.weight = isActive ? .bold : .regular } }
    public func italic() -> Text { with { $0.isItalic = true } }
    public func foregroundColor(_ color: Color?) -> Text { with { $0.color = color } }
    public func foregroundStyle<S: ShapeStyle>(_ style: S) -> Text {
        with { $0.color = (style as? any ColorStyle)?.color }
    }
    public static func + (first: Text, second: Text) -> Text { Text(.sum(first, second)) }
}
