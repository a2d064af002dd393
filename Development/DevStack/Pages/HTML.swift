import GatehouseWire

/// Escapes every interpolated text except HTML.
struct HTML: ExpressibleByStringInterpolation {
    let text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    init(trusted text: StaticString) { self.text = "\(text)" }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate(set) var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { text += literal }

        /// For element content and quoted attributes.
        mutating func appendInterpolation(_ value: String) {
            for scalar in value.unicodeScalars {
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }

        mutating func appendInterpolation(_ html: HTML) { text += html.text }
        mutating func appendInterpolation(_ list: [HTML]) { for html in list { text += html.text } }
    }
}
