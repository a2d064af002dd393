import GatehouseWire

/// Converts columns from exports' types. Null and empty text are absent.
struct LineColumns {
    private let members: AuthJSONObject

    init(_ members: AuthJSONObject) { self.members = members }

    private func value(_ name: String) -> AuthJSON? {
        guard let value = members[name], !value.isNull, value != .string("") else { return nil }
        return value
    }

    func text(_ name: String) throws(LineProblem) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.stringValue else { throw LineProblem("\(name) is not text") }
        return text
    }

    /// RFC 3339 or PostgreSQL's format, from the year 1 on, as both databases store. `infinity` becomes the end of
    /// 9999.
    func time(_ name: String) throws(LineProblem) -> Instant? {
        guard let text = try text(name) else { return nil }
        if text == "infinity" { return Instant(seconds: 253_402_300_799) }
        guard let time = Instant(text), time >= Instant(seconds: -62_135_596_800) else {
            throw LineProblem("\(name) is not a time such as 2026-01-31T12:00:00Z")
        }
        return time
    }

    /// A JSON number, or text with one.
    func number(_ name: String) throws(LineProblem) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.intValue ?? value.stringValue.flatMap(Int64.init) else {
            throw LineProblem("\(name) is not a whole number")
        }
        return number
    }

    /// PostgreSQL's hexadecimal `bytea`: `\x0aff`.
    func bytes(_ name: String) throws(LineProblem) -> [UInt8]? {
        guard let text = try text(name) else { return nil }
        let digits = text.utf8.dropFirst(2).compactMap(\.hexadecimalValue)
        guard text.hasPrefix("\\x"), digits.count == text.utf8.count - 2, digits.count.isMultiple(of: 2) else {
            throw LineProblem("\(name) is not bytes such as \\x0aff")
        }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    func has(_ name: String) -> Bool { members[name] != nil }

    /// A JSON boolean, or PostgreSQL's `t` and `f`. false if absent.
    func flag(_ name: String) throws(LineProblem) -> Bool {
        switch value(name) {
        case nil, .bool(false), .string("f"), .string("false"): return false
        case .bool(true), .string("t"), .string("true"): return true
        default: throw LineProblem("\(name) is neither true nor false")
        }
    }

    /// An object, or JSON text with one.
    func object(_ name: String) throws(LineProblem) -> AuthJSONObject? {
        guard let value = try parsed(name) else { return nil }
        guard let object = value.objectValue else { throw LineProblem("\(name) is not a JSON object") }
        return object
    }

    /// An array, or JSON text with one.
    func array(_ name: String) throws(LineProblem) -> [AuthJSON]? {
        guard let value = try parsed(name) else { return nil }
        guard let array = value.arrayValue else { throw LineProblem("\(name) is not a JSON array") }
        return array
    }

    /// Also accepts PostgreSQL's text form of `text[]`.
    func texts(_ name: String) throws(LineProblem) -> [AuthJSON]? {
        guard let elements = members[name]?.stringValue.flatMap(CopyText.array) else { return try array(name) }
        return elements.map { $0.map(AuthJSON.string) ?? .null }
    }

    private func parsed(_ name: String) throws(LineProblem) -> AuthJSON? {
        guard let value = value(name), let text = value.stringValue else { return value(name) }
        do throws(JSONProblem) {
            let parsed = try JSONReader.read(text)
            return parsed.isNull ? nil : parsed
        } catch {
            throw LineProblem("\(name) is not JSON")
        }
    }
}
