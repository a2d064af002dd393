public protocol Shape: Sendable, View {}

public protocol InsettableShape: Shape {}

extension Shape {
    nonisolated public func fill<S: ShapeStyle>(_ content: S) -> some View {
        ShapeView(corner: corner(of: self), fill: content, stroke: nil)
    }

    nonisolated public func fill() -> some View { ShapeView(corner: corner(of: self), fill: nil, stroke: nil) }

    nonisolated public func stroke<S: ShapeStyle>(_ content: S, lineWidth: CGFloat = 1) -> some View {
        ShapeView(corner: corner(of: self), fill: Color.clear, stroke: (content, lineWidth))
    }
}

extension InsettableShape {
    nonisolated public func strokeBorder<S: ShapeStyle>(_ content: S, lineWidth: CGFloat = 1) -> some View {
        stroke(content, lineWidth: lineWidth)
    }
}

public struct Circle: InsettableShape {
    nonisolated public init() {}
    public var body: some View { fill() }
}

public struct Rectangle: InsettableShape {
    nonisolated public init() {}
    public var body: some View { fill() }
}

public struct Capsule: InsettableShape {
    nonisolated public init(style: RoundedCornerStyle = .continuous) {}
    public var body: some View { fill() }
}

public struct RoundedRectangle: InsettableShape {
    nonisolated public let cornerRadius: CGFloat

    nonisolated public init(cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous) {
        self.cornerRadius = cornerRadius
    }

    public var body: some View { fill() }
}

public enum RoundedCornerStyle: Hashable, Sendable {
    case circular
    case continuous
}

extension Shape where Self == Circle {
    nonisolated public static var circle: Circle { Circle() }
}

extension Shape where Self == Rectangle {
    nonisolated public static var rect: Rectangle { Rectangle() }
}

extension Shape where Self == Capsule {
    nonisolated public static var capsule: Capsule { Capsule() }
}

extension Shape where Self == RoundedRectangle {
    nonisolated public static func rect(
        cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous
    ) -> RoundedRectangle {
        RoundedRectangle(cornerRadius: cornerRadius, style: style)
    }
}

/// The corner radius of a shape, as CSS.
func corner(of shape: some Shape) -> String {
    switch shape {
    case is Circle: "50%"
    case is Capsule: "9999px"
    case let shape as RoundedRectangle: "\(shape.cornerRadius)px"
    default: "0"
    }
}

private struct ShapeView {
    let corner: String
    let fill: (any ShapeStyle)?
    let stroke: (style: any ShapeStyle, width: CGFloat)?
}

extension ShapeView: View, RenderedView {
    var body: Never { bodiless(Self.self) }
    func render(in context: RenderContext) -> [ScreenElement] {
        let element = ScreenElement(.shape)
        let environment = context.environment
        element.style.cornerRadius = corner
        element.style.background = (fill ?? environment.foreground ?? Color.primary).css(environment)
        element.style.border = stroke.map { "\($0.width)px solid \($0.style.css(environment))" }
        return [element]
    }
}
