nonisolated public protocol Shape: Sendable, View {
    func path(in rect: CGRect) -> Path
}

nonisolated public protocol InsettableShape: Shape {
    associatedtype InsetShape: InsettableShape
    func inset(by amount: CGFloat) -> Self.InsetShape
}

extension Shape {
    public var body: some View { fill() }

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

/// Nothing is measured here, so only an outline's corners are drawn.
public struct Path: Equatable, Sendable {
    /// A CSS length, such as `12px` or `50%`.
    fileprivate let corner: String

    public init() { corner = "0" }
    public init(_ rect: CGRect) { corner = "0" }
    public init(ellipseIn rect: CGRect) { corner = "50%" }
    public init(roundedRect rect: CGRect, cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous) {
        corner = "\(cornerRadius)px"
    }
}

public struct Circle {
    public init() {}
}

extension Circle: InsettableShape {
    public func path(in rect: CGRect) -> Path { Path(ellipseIn: rect) }
    public func inset(by amount: CGFloat) -> some InsettableShape { self }
}

public struct Rectangle {
    public init() {}
}

extension Rectangle: InsettableShape {
    public func path(in rect: CGRect) -> Path { Path(rect) }
    public func inset(by amount: CGFloat) -> some InsettableShape { self }
}

public struct Capsule {
    public init(style: RoundedCornerStyle = .continuous) {}
}

extension Capsule: InsettableShape {
    // Any radius beyond half the height draws half circles.
    public func path(in rect: CGRect) -> Path { Path(roundedRect: rect, cornerRadius: 9_999) }
    public func inset(by amount: CGFloat) -> some InsettableShape { self }
}

public struct RoundedRectangle {
    private let radius: CGFloat

    public init(cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous) { radius = cornerRadius }
}

extension RoundedRectangle: InsettableShape {
    public func path(in rect: CGRect) -> Path { Path(roundedRect: rect, cornerRadius: radius) }
    public func inset(by amount: CGFloat) -> some InsettableShape {
        RoundedRectangle(cornerRadius: max(0, radius - amount))
    }
}

@nonexhaustive public enum RoundedCornerStyle: Hashable, Sendable {
    case circular
    case continuous
}

public struct ButtonBorderShape: Equatable, Sendable {
    private let radius: CGFloat

    public static let automatic = ButtonBorderShape(radius: 8)
    public static let capsule = ButtonBorderShape(radius: 9_999)
    public static let circle = ButtonBorderShape(radius: 9_999)
    public static let roundedRectangle = ButtonBorderShape(radius: 8)
    public static func roundedRectangle(radius: CGFloat) -> ButtonBorderShape { ButtonBorderShape(radius: radius) }
}

extension ButtonBorderShape: InsettableShape {
    public func path(in rect: CGRect) -> Path { Path(roundedRect: rect, cornerRadius: radius) }
    public func inset(by amount: CGFloat) -> some InsettableShape { self }
}

public struct AnyShape {
    private let shape: any Shape

    public init<S: Shape>(_ shape: S) { self.shape = shape }
}

extension AnyShape: Shape {
    public func path(in rect: CGRect) -> Path { shape.path(in: rect) }
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

/// As CSS.
func corner(of shape: some Shape) -> String { shape.path(in: .zero).corner }

private struct ShapeView {
    let corner: String
    let fill: (any ShapeStyle)?
    let stroke: (style: any ShapeStyle, width: CGFloat)?
}

extension ShapeView: View, RenderedView {
    func render(in context: RenderContext) -> [ScreenElement] {
        let element = ScreenElement(.shape)
        let environment = context.environment
        element.style.cornerRadius = corner
        element.style.background = (fill ?? environment.foreground ?? Color.primary).css(environment)
        element.style.border = stroke.map { "\($0.width)px solid \($0.style.css(environment))" }
        return [element]
    }
}
