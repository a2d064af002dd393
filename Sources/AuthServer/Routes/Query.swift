import Hummingbird

/// The parameters of a request's query, read as a form (a plus sign is a blank), which Hummingbird's own are not.
struct Query {
    private(set) var parameters: [(name: String, value: String)] = []

    init(_ request: Request) {
        guard let query = request.uri.query, !query.isEmpty else { return }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? Self.decode(parts[1]) : ""
            parameters.append((Self.decode(parts[0]), value))
        }
    }

    /// The first of that name; nil when there is none or when it is empty.
    subscript(name: String) -> String? {
        let value = parameters.first { $0.name == name }?.value
        return value?.isEmpty == false ? value : nil
    }

    /// The query again with one parameter set, names in alphabetical order, as the protocol's links have it.
    func encoded(setting name: String, to value: String) -> String {
        let others = parameters.filter { $0.name != name }
        return (others + [(name, value)]).sorted { $0.name < $1.name }
            .map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&")
    }

    /// Text that is no UTF-8 once decoded keeps its replacement characters: it matches nothing then.
    private static func decode(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            if byte < 0x80, character.isLetter || character.isNumber || "-_.~".contains(character) {
                encoded.append(character)
            } else if byte == UInt8(ascii: " ") {
                encoded.append("+")
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}
