import GatehouseWire

/// PostgreSQL's `COPY` text format, as in a plain `pg_dump`.
package enum CopyText {
    /// - Parameter line: For example `COPY auth.users (id, email) FROM stdin;`. A table without columns has no list.
    package static func heading(_ line: String) -> (table: String, columns: [String])? {
        guard line.hasPrefix("COPY "), line.hasSuffix(" FROM stdin;") else { return nil }
        let target = line.dropFirst(5).dropLast(12)
        guard let open = target.firstIndex(of: "("), target.hasSuffix(")") else { return (unquoted(target), []) }
        let columns = target[target.index(after: open)...].dropLast().split(separator: ",")
        return (unquoted(target[..<open]), columns.map(unquoted))
    }

    private static func unquoted(_ name: Substring) -> String {
        String(name.filter { $0 != "\"" && $0 != " " })
    }

    /// nil for `\N`.
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

    /// `{a,"b c",NULL}`. nil for any other text, and for nested arrays.
    package static func array(_ text: String) -> [String?]? {
        guard text.unicodeScalars.first == "{", text.unicodeScalars.last == "}" else { return nil }
        var rest = text.unicodeScalars.dropFirst().dropLast()
        var elements: [String?] = []
        while !rest.isEmpty || !elements.isEmpty {
            guard let element = element(&rest) else { return nil }
            elements.append(element)
            if rest.isEmpty { break }
            guard rest.removeFirst() == "," else { return nil }
        }
        return elements
    }

    /// - Returns: `.some(nil)` for NULL, nil for malformed text.
    private static func element(_ rest: inout Substring.UnicodeScalarView) -> String?? {
        let isQuoted = rest.first == "\""
        if isQuoted { rest.removeFirst() }
        var (element, hasEscape) = (String.UnicodeScalarView(), false)
        while let scalar = rest.first, isQuoted || scalar != "," {
            rest.removeFirst()
            if isQuoted, scalar == "\"" { return String(element) }
            if scalar == "\\" {
                guard let escaped = rest.popFirst() else { return nil }
                element.append(escaped)
                hasEscape = true
            } else if !isQuoted, "{}\"".unicodeScalars.contains(scalar) {
                return nil
            } else {
                element.append(scalar)
            }
        }
        if isQuoted || element.isEmpty { return nil }
        let text = String(element)
        return !hasEscape && text.uppercased() == "NULL" ? .some(nil) : text
    }

    /// An object of strings and nulls.
    static func object(_ columns: [String], _ values: [String?]) -> AuthJSON {
        .object(AuthJSONObject(Dictionary(zip(columns, values.map { $0.map(AuthJSON.string) ?? .null })) { $1 }))
    }

    /// One line, without the line feed.
    package static func line(_ text: String) -> String {
        let escaped = text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "\\"): Array(#"\\"#.utf8)
            case UInt8(ascii: "\n"): Array(#"\n"#.utf8)
            case UInt8(ascii: "\r"): Array(#"\r"#.utf8)
            case UInt8(ascii: "\t"): Array(#"\t"#.utf8)
            default: [byte]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
