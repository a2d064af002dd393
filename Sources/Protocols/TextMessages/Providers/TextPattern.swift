import GatehouseWire

/// A text with names of values in braces, such as `+{to}`. Braces around anything else stay.
struct TextPattern: Sendable {
    private enum Part: Sendable {
        case literal(String)
        case value(String)
    }

    private let parts: [Part]

    init(_ source: String) {
        var (parts, rest) = ([Part](), source.utf8[...])
        var literal: [UInt8] = []
        while let byte = rest.first {
            rest = rest.dropFirst()
            let name = rest.prefix { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
            guard byte == UInt8(ascii: "{"), !name.isEmpty, rest.dropFirst(name.count).first == UInt8(ascii: "}") else {
                literal.append(byte)
                continue
            }
            parts += [.literal(String(decoding: literal, as: UTF8.self)), .value(String(Substring(name)))]
            literal = []
            rest = rest.dropFirst(name.count + 1)
        }
        self.parts = parts + [.literal(String(decoding: literal, as: UTF8.self))]
    }

    /// - Returns: nil if a value is missing.
    func filled(_ values: [String: Secret]) -> Secret? {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .value(let name):
                guard let value = values[name] else { return nil }
                text += value.reveal()
            }
        }
        return Secret(text)
    }
}

/// The fields of a form in the order of their names.
struct TextForm: Sendable {
    private let fields: [(name: String, value: TextPattern)]

    /// - Returns: nil for anything but an object of texts.
    init?(_ json: AuthJSON) {
        guard let members = json.objectValue else { return nil }
        var fields: [(name: String, value: TextPattern)] = []
        for name in members.keys.sorted() {
            guard let text = members[name]?.stringValue else { return nil }
            fields.append((name, TextPattern(text)))
        }
        self.fields = fields
    }

    /// - Returns: nil if a value is missing.
    func filled(_ values: [String: Secret]) -> [(name: String, value: Secret)]? {
        let filled = fields.map { field in field.value.filled(values).map { (name: field.name, value: $0) } }
        return filled.contains { $0 == nil } ? nil : filled.compactMap(\.self)
    }
}
