/// In shared statements: `$1` for a value, `{uuid}` for a ``ColumnType``, `{skippingLocked}` for a ``Clause``.
package enum Placeholders {
    private static let (dollar, brace, end) = (UInt8(ascii: "$"), UInt8(ascii: "{"), UInt8(ascii: "}"))
    private static let nullTests = [" IS NULL", " IS NOT NULL"].map { Array($0.utf8) }

    /// Replaces all placeholders in one pass. Other braces and dollar signs stay.
    ///
    /// - Parameter value: Gets the number, and whether `IS NULL` or `IS NOT NULL` follows.
    package static func replaced(
        in text: String, value: (_ number: String, _ isTestedForNull: Bool) -> String, type: (ColumnType) -> String,
        clause: (Clause) -> String
    ) -> String {
        var rest = Array(text.utf8)[...]
        var spelled: [UInt8] = []
        spelled.reserveCapacity(rest.count + 64)
        while let place = rest.firstIndex(where: { $0 == dollar || $0 == brace }) {
            spelled += rest[..<place]
            let isValue = rest[place] == dollar
            rest = rest[(place + 1)...]
            if isValue {
                let number = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                rest = rest[number.endIndex...]
                let isTested = nullTests.contains { rest.starts(with: $0) }
                spelled +=
                    number.isEmpty ? [dollar] : Array(value(String(decoding: number, as: UTF8.self), isTested).utf8)
            } else if let close = rest.firstIndex(of: end), let word = word(rest[..<close], type, clause) {
                spelled += word.utf8
                rest = rest[(close + 1)...]
            } else {
                spelled.append(brace)
            }
        }
        return String(decoding: spelled + rest, as: UTF8.self)
    }

    private static func word(
        _ name: ArraySlice<UInt8>, _ type: (ColumnType) -> String, _ clause: (Clause) -> String
    ) -> String? {
        let name = String(decoding: name, as: UTF8.self)
        return ColumnType(rawValue: name).map(type) ?? Clause(rawValue: name).map(clause)
    }
}
