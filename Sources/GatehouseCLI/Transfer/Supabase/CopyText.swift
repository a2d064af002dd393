import GatehouseWire

/// The text format of PostgreSQL's `COPY`, as a plain `pg_dump` has it.
package enum CopyText {
    /// - Parameter line: Such as `COPY auth.users (id, email) FROM stdin;`.
    /// - Returns: nil for another line.
    package static func heading(_ line: String) -> (table: String, columns: [String])? {
        guard line.hasPrefix("COPY "), line.hasSuffix(") FROM stdin;"), let open = line.firstIndex(of: "(") else {
            return nil
        }
        let table = line[line.index(line.startIndex, offsetBy: 5)..<open]
        let columns = line[line.index(after: open)...].dropLast(13).split(separator: ",")
        return (unquoted(table), columns.map(unquoted))
    }

    private static func unquoted(_ name: Substring) -> String {
        String(name.filter { $0 != "\"" && $0 != " " })
    }

    /// The values of one line; null for `\N`.
    package static func values(_ line: [UInt8]) -> [String?] {
        line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map { field in
            field.elementsEqual("\\N".utf8) ? nil : String(decoding: unescaped(field), as: UTF8.self)
        }
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13,
        UInt8(ascii: "t"): 9, UInt8(ascii: "v"): 11,
    ]

    private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
        guard field.contains(UInt8(ascii: "\\")) else { return Array(field) }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in field {
            if isEscaped {
                bytes.append(escapes[byte] ?? byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// A row as a JSON object of texts and nulls.
    static func object(_ columns: [String], _ values: [String?]) -> AnyJSON {
        .object(Dictionary(zip(columns, values.map { $0.map(AnyJSON.string) ?? .null })) { $1 })
    }

    /// One line for text, without the line feed.
    package static func line(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\r", with: "\\r")
            .replacing("\t", with: "\\t")
    }
}
