package enum SQLValue: Hashable, Sendable {
    case null
    case int(Int64)
    case text(String)
    case bytes([UInt8])
    /// Microseconds since 1970. A driver may use a separate type.
    case instant(Int64)
}

/// A statement with bound values. External text can only become a value, never part of the statement.
///
/// Values are numbered `$1`, `$2`, … in order of appearance.
package struct SQL: ExpressibleByStringInterpolation, Sendable {
    package private(set) var text: String
    package private(set) var values: [SQLValue]

    package init(stringLiteral value: String) {
        text = value
        values = []
    }

    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
        values = stringInterpolation.values
    }

    /// Rebinds a statement that many requests run, whose text is then composed only once.
    ///
    /// - Parameter values: As many as the statement has.
    package func binding(_ values: SQLValue...) -> SQL {
        precondition(values.count == self.values.count, "the statement has other values")
        var bound = self
        bound.values = values
        return bound
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        var text = ""
        var values: [SQLValue] = []

        private static let placeholders = (0...32).map { "$\($0)" }

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 3)
            values.reserveCapacity(interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ value: SQLValue) {
            values.append(value)
            text += values.count < Self.placeholders.count ? Self.placeholders[values.count] : "$\(values.count)"
        }

        package mutating func appendInterpolation(_ value: Int64) { appendInterpolation(.int(value)) }
        package mutating func appendInterpolation(_ value: Int) { appendInterpolation(.int(Int64(value))) }
        package mutating func appendInterpolation(_ value: Bool) { appendInterpolation(.int(value ? 1 : 0)) }
        package mutating func appendInterpolation(_ value: String) { appendInterpolation(.text(value)) }
        package mutating func appendInterpolation(_ value: [UInt8]) { appendInterpolation(.bytes(value)) }
        package mutating func appendInterpolation(_ value: String?) {
            appendInterpolation(value.map(SQLValue.text) ?? .null)
        }

        /// Static, so that it cannot come from a caller.
        package mutating func appendInterpolation(columns: StaticString) { text += "\(columns)" }

        /// Renumbers the other statement's values.
        package mutating func appendInterpolation(_ part: SQL) {
            // On bytes: splitting into Characters is many times slower, for every statement.
            var pieces = part.text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
            text += Substring(pieces.removeFirst())
            for piece in pieces {
                let number = piece.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                if let index = Int(Substring(number)), part.values.indices.contains(index - 1) {
                    appendInterpolation(part.values[index - 1])
                    text += Substring(piece[number.endIndex...])
                } else {
                    text += "$"
                    text += Substring(piece)
                }
            }
        }

        package mutating func appendInterpolation(_ clause: Clause) { text += "{\(clause.rawValue)}" }
        package mutating func appendInterpolation(_ word: ColumnType) { text += "{\(word.rawValue)}" }
    }
}
