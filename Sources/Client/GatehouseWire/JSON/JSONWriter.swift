/// Adds commas and escapes; the caller balances brackets and writes a name before each member.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.member("id", id)
/// writer.list("providers", ["apple", "google"]) { $0.value($1) }
/// writer.endObject()
/// ```
package struct JSONWriter {
    /// In UTF-8.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// In bytes.
    package init(capacity: Int = 1_024) { bytes.reserveCapacity(capacity) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The name must need no escapes.
    package mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func name(text name: String) {
        separate()
        append(quoted: name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func value(_ value: String) {
        separate()
        append(quoted: value)
    }

    package mutating func value(_ value: Int64) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    package mutating func value(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    package mutating func value(_ value: Instant) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        value.appendRFC3339(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// For text that is already JSON.
    package mutating func value(json: String) {
        separate()
        bytes.append(contentsOf: json.utf8)
    }

    /// Sorts members, so that equal values yield equal bytes.
    package mutating func value(_ value: AuthJSON) {
        switch value {
        case .null: null()
        case .bool(let value): self.value(value)
        case .integer(let value): self.value(value)
        // JSON has no infinity.
        case .double(let value): value.isFinite ? self.value(json: "\(value)") : null()
        case .string(let value): self.value(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for (name, member) in members.sorted {
                self.name(text: name.text)
                self.value(member)
            }
            endObject()
        }
    }

    package mutating func member(_ name: StaticString, _ value: String) {
        self.name(name)
        self.value(value)
    }

    package mutating func member(_ name: StaticString, _ value: Int64) {
        self.name(name)
        self.value(value)
    }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        self.value(value)
    }

    package mutating func member(_ name: StaticString, _ value: Instant) {
        self.name(name)
        self.value(value)
    }

    /// For text that is already JSON.
    package mutating func member(_ name: StaticString, json: String) {
        self.name(name)
        self.value(json: json)
    }

    package mutating func member(_ name: StaticString, _ value: AuthJSON) {
        self.name(name)
        self.value(value)
    }

    package mutating func member(_ name: StaticString, ifPresent value: Instant?) {
        if let value { member(name, value) }
    }

    package mutating func member(_ name: StaticString, ifPresent value: String?) {
        if let value { member(name, value) }
    }

    package mutating func member(_ name: StaticString, orNull value: String?) {
        self.name(name)
        if let value { self.value(value) } else { null() }
    }

    package mutating func list<Element>(
        _ name: StaticString, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
    ) {
        self.name(name)
        array { writer in
            for element in elements { write(&writer, element) }
        }
    }

    mutating func array(_ write: (inout JSONWriter) -> Void) {
        beginArray()
        write(&self)
        endArray()
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func append(quoted text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { source in
            if Self.needsEscapes(UnsafeRawBufferPointer(source)) {
                for byte in source { append(escaping: byte) }
            } else {
                bytes.append(contentsOf: source)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Eight bytes at a time: a token has about a thousand.
    private static func needsEscapes(_ text: UnsafeRawBufferPointer) -> Bool {
        let (each, whole) = (UInt64(0x0101_0101_0101_0101), text.count & ~7)
        var found: UInt64 = 0
        for start in stride(from: 0, to: whole, by: 8) {
            let eight = text.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            let (quotes, slashes) = (eight ^ (each &* 0x22), eight ^ (each &* 0x5C))
            // A borrow sets the upper bit of a byte below 0x20, or of 0; `~` drops bytes that had it. A borrow into the
            // next byte comes from a match.
            found |= (eight &- each &* 0x20) & ~eight | (quotes &- each) & ~quotes | (slashes &- each) & ~slashes
        }
        return found & 0x8080_8080_8080_8080 != 0
            || text[whole...].contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
    }

    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
        case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
        case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
        case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
        case 0..<0x20:
            bytes.append(contentsOf: #"\u00"#.utf8)
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            bytes.append(contentsOf: String(byte & 0x0F, radix: 16).utf8)
        default: bytes.append(byte)
        }
    }
}

extension AuthJSON {
    /// Sorts members by name.
    package var text: String {
        var writer = JSONWriter(capacity: 128)
        writer.value(self)
        return writer.text
    }
}
