public struct Image: Equatable, Sendable {
    private let name: String
    private let isSymbol: Bool
    private var bundle: Bundle?
    private var isSpoken = true
    private var label: Text?
    private var svg: String?

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

    /// For screens without their own bitmap.
    package init(svg: String, label: Text) {
        (name, isSymbol) = ("", false)
        (self.svg, self.label) = (svg, label)
    }

    public func resizable(capInsets: EdgeInsets = EdgeInsets(), resizingMode: ResizingMode = .stretch) -> Image { self }
    public func renderingMode(_ renderingMode: TemplateRenderingMode?) -> Image { self }

    @nonexhaustive public enum ResizingMode: Hashable, Sendable {
        case tile
        case stretch
    }

    @nonexhaustive public enum TemplateRenderingMode: Hashable, Sendable {
        case template
        case original
    }

    @nonexhaustive public enum Scale: Hashable, Sendable {
        case small
        case medium
        case large
    }
}

extension Image: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let element = ScreenElement(.image)
        element.details[isSymbol ? "symbol" : "asset"] = name
        element.details["svg"] = svg
        if !isSymbol { element.details["bundle"] = (bundle ?? .main).resourcePath }
        element.style = context.textStyle
        element.spoken.isHidden = !isSpoken
        element.spoken.label = label.map(context.text)
        return [element]
    }
}

extension View {
    nonisolated public func imageScale(_ scale: Image.Scale) -> some View { self }
}
