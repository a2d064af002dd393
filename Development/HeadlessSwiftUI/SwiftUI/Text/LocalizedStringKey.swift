public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    let parts: Parts

    public init(_ value: String) { parts = Parts(key: value) }
    public init(stringLiteral value: String) { parts = Parts(key: value) }
    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    struct Parts: Equatable, Sendable {
        var key = ""
        var arguments: [Argument] = []
    }

    struct Argument: Equatable, Sendable {
        let text: Text
        /// Selects the plural form.
        let count: Int?
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts = Parts()

        public init(literalCapacity: Int, interpolationCount: Int) { parts.key.reserveCapacity(literalCapacity) }

        public mutating func appendLiteral(_ literal: String) {
            parts.key += literal
        }

        public mutating func appendInterpolation(_ string: String) { append("%@", Text(verbatim: string)) }

        public mutating func appendInterpolation<Subject: ReferenceConvertible>(
            _ subject: Subject, formatter: Formatter? = nil
        ) {
            let text = formatter?.string(for: subject) ?? "\(subject)"
            append("%@", Text(verbatim: text))
        }

        public mutating func appendInterpolation<T: _FormatSpecifiable>(_ value: T) {
            append(value._specifier, Text(verbatim: "\(value)"), count: value as? Int)
        }

        public mutating func appendInterpolation<F: FormatStyle>(
            _ input: F.FormatInput, format: F
        ) where F: Sendable, F.FormatInput: Equatable & Sendable, F.FormatOutput == String {
            append("%@", Text(input, format: format))
        }

        public mutating func appendInterpolation(_ text: Text) { append("%@", text) }

        private mutating func append(_ placeholder: String, _ text: Text, count: Int? = nil) {
            parts.key += placeholder
            parts.arguments.append(Argument(text: text, count: count))
        }
    }
}

public protocol _FormatSpecifiable: Equatable {
    var _specifier: String { get }
}

extension Int: _FormatSpecifiable {
    public var _specifier: String { "%lld" }
}

extension UInt: _FormatSpecifiable {
    public var _specifier: String { "%llu" }
}

extension Double: _FormatSpecifiable {
    public var _specifier: String { "%lf" }
}

extension LocalizedStringKey.Parts {
    /// From the bundle's catalogue, otherwise the key itself.
    func resolve(_ bundle: Bundle?, _ table: String?, in context: TextContext) -> String {
        let count = arguments.lazy.compactMap(\.count).first
        let catalog = context.catalogs.catalog(of: bundle ?? Phone.app, table: table ?? "Localizable")
        let format = catalog?.text(for: key, count: count, in: context.locale) ?? key
        return Placeholders.fill(format, with: arguments.map { $0.text.resolve(in: context) })
    }
}

struct TextContext {
    let locale: Locale
    let catalogs: StringCatalogs
}
