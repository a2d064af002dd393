import Foundation

/// Never quotes the input.
package enum JSONProblem: Error, Equatable, Sendable {
    /// Not JSON, or over a limit of ``JSONReader``.
    case malformed(String)
    case wrongType(member: String, expected: String)
}

/// A strict JSON parser (RFC 8259).
///
/// Also rejects invalid UTF-8, unpaired surrogates, U+0000 (databases cannot store it), numbers outside a double's
/// range, over ``maximumDepth`` levels, names over ``ExternalName/maximumLength`` bytes, and trailing text. The last
/// duplicate wins, unless refused.
package struct JSONReader {
    package static let maximumDepth = 100

    private let bytes: [UInt8]
    private let refusesDuplicates: Bool
    private var position = 0

    private init(_ bytes: [UInt8], _ refusesDuplicates: Bool) {
        (self.bytes, self.refusesDuplicates) = (bytes, refusesDuplicates)
    }

    /// - Parameter refusesDuplicates: For signed content, which parsers must read alike.
    package static func read(_ bytes: [UInt8], refusesDuplicates: Bool = false) throws(JSONProblem) -> AuthJSON {
        var reader = JSONReader(bytes, refusesDuplicates)
        reader.skipBlanks()
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.position == bytes.count else { throw .malformed("text after the value") }
        return value
    }

    package static func read(_ text: String) throws(JSONProblem) -> AuthJSON { try read(Array(text.utf8)) }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position += 1
        }
    }

    private mutating func value(depth: Int) throws(JSONProblem) -> AuthJSON {
        guard depth <= Self.maximumDepth else { throw .malformed("nested too deeply") }
        switch current {
        case UInt8(ascii: "{"): return .object(try object(depth))
        case UInt8(ascii: "["): return .array(try array(depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return try number()
        case nil: throw .malformed("unexpected end")
        default: throw .malformed("unexpected character")
        }
    }

    private mutating func literal(_ text: StaticString, _ value: AuthJSON) throws(JSONProblem) -> AuthJSON {
        let end = position + text.utf8CodeUnitCount
        let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard end <= bytes.count, bytes[position..<end].elementsEqual(expected) else {
            throw .malformed("unexpected character")
        }
        position = end
        return value
    }

    private mutating func object(_ depth: Int) throws(JSONProblem) -> AuthJSONObject {
        var members = AuthJSONObject()
        position += 1
        skipBlanks()
        if current == UInt8(ascii: "}") {
            position += 1
            return members
        }
        while true {
            guard current == UInt8(ascii: "\"") else { throw .malformed("expected a member name") }
            guard let name = ExternalName(try string()) else { throw .malformed("a member name is too long") }
            skipBlanks()
            guard current == UInt8(ascii: ":") else { throw .malformed("expected a colon") }
            position += 1
            skipBlanks()
            let earlier = members.updateValue(try value(depth: depth + 1), forKey: name)
            if refusesDuplicates, earlier != nil { throw .malformed("a member stands twice") }
            if try endOfList(UInt8(ascii: "}")) { return members }
        }
    }

    private mutating func array(_ depth: Int) throws(JSONProblem) -> [AuthJSON] {
        var elements: [AuthJSON] = []
        position += 1
        skipBlanks()
        if current == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            elements.append(try value(depth: depth + 1))
            if try endOfList(UInt8(ascii: "]")) { return elements }
        }
    }

    /// Consumes a comma (false) or closing bracket (true).
    private mutating func endOfList(_ close: UInt8) throws(JSONProblem) -> Bool {
        skipBlanks()
        guard let byte = current, byte == close || byte == UInt8(ascii: ",") else {
            throw .malformed(current == nil ? "unexpected end" : "expected a comma")
        }
        position += 1
        if byte == close { return true }
        skipBlanks()
        return false
    }

    private mutating func number() throws(JSONProblem) -> AuthJSON {
        let start = position
        var isInteger = true
        if current == UInt8(ascii: "-") { position += 1 }
        let leadingZero = current == UInt8(ascii: "0")
        let whole = skipDigits()
        guard whole > 0, !(leadingZero && whole > 1) else { throw .malformed("not a number") }
        if current == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            guard skipDigits() > 0 else { throw .malformed("not a number") }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isInteger = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            guard skipDigits() > 0 else { throw .malformed("not a number") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw .malformed("number out of range") }
        return .double(value)
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while position < bytes.count, bytes[position] >= 0x30, bytes[position] <= 0x39 { position += 1 }
        return position - start
    }

    private mutating func string() throws(JSONProblem) -> String {
        position += 1
        let start = position
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        // Fast path: most have no escapes.
        if current == UInt8(ascii: "\"") {
            defer { position += 1 }
            return try text(bytes[start..<position])
        }
        var unescaped = Array(bytes[start..<position])
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(unescaped[...])
            case UInt8(ascii: "\\"): try escape(into: &unescaped)
            case 0..<0x20: throw .malformed("control character in a string")
            default: unescaped.append(byte)
            }
        }
        throw .malformed("unexpected end")
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(JSONProblem) -> String {
        // Decoding replaces invalid UTF-8. (`String(validating:as:)` needs iOS 18.)
        var text = String(decoding: bytes, as: UTF8.self)
        let isValid = bytes.withUnsafeBytes { given in
            text.withUTF8 { decoded in
                guard let sent = given.baseAddress, let read = decoded.baseAddress else { return given.isEmpty }
                return decoded.count == given.count && memcmp(read, sent, given.count) == 0
            }
        }
        guard isValid else { throw .malformed("invalid UTF-8") }
        return text
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONProblem) {
        guard let byte = current else { throw .malformed("unexpected end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): try text.append(contentsOf: UTF8.encode(scalar())!)
        default: throw .malformed("unknown escape")
        }
    }

    /// A `\uXXXX` escape or surrogate pair (RFC 8259 §7).
    private mutating func scalar() throws(JSONProblem) -> Unicode.Scalar {
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) {
            guard first != 0 else { throw .malformed("U+0000 in a string") }
            return scalar
        }
        guard (0xD800..<0xDC00).contains(first), current == UInt8(ascii: "\\") else {
            throw .malformed("lone surrogate")
        }
        position += 1
        guard current == UInt8(ascii: "u") else { throw .malformed("lone surrogate") }
        position += 1
        let second = try hexadecimal()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw .malformed("lone surrogate") }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONProblem) -> UInt32 {
        guard position + 4 <= bytes.count else { throw .malformed("unexpected end") }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue, bytes[position] < 0x80 else {
                throw .malformed("unknown escape")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
