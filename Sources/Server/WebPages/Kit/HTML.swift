/// Escapes texts and attribute values on the way in; names are literals.
struct HTML: Sendable, CustomStringConvertible {
    private(set) var description: String

    init(_ text: String = "") { description = Markup(text).description }
    private init(source: String) { description = source }

    typealias Attributes = KeyValuePairs<StaticString, String?>

    /// Omits an attribute without a value.
    static func tag(_ name: StaticString, _ attributes: Attributes = [:], _ content: HTML...) -> HTML {
        tag(name, attributes, all: content)
    }

    static func tag(_ name: StaticString, _ attributes: Attributes = [:], all content: [HTML]) -> HTML {
        HTML(source: "<\(name)\(source(attributes))>\(content.map(\.description).joined())</\(name)>")
    }

    /// Without content, such as `input` or SVG's `rect`.
    static func empty(_ name: StaticString, _ attributes: Attributes) -> HTML {
        HTML(source: "<\(name)\(source(attributes))/>")
    }

    private static func source(_ attributes: Attributes) -> String {
        attributes.map { name, value in value.map { " \(name)=\"\(Markup($0))\"" } ?? "" }.joined()
    }

    static func + (left: HTML, right: HTML) -> HTML { HTML(source: left.description + right.description) }
    static func += (left: inout HTML, right: HTML) { left.description += right.description }
}

extension HTML: ExpressibleByStringInterpolation {
    init(stringLiteral text: String) { self.init(text) }
}

extension [HTML] {
    func joined(_ separator: HTML = "") -> HTML {
        dropFirst().reduce(first ?? "") { $0 + separator + $1 }
    }
}
