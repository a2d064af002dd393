import GatehouseWire

/// The parameters of a query or of a form (WHATWG URL §5.1), read strictly.
struct FormFields {
    /// A hundred is far more than any request needs.
    private static let maximumCount = 100

    private let pairs: [(name: String, value: String)]

    /// - Returns: nil for broken escapes, for what is no UTF-8, and for too many.
    init?(_ text: some StringProtocol) {
        var pairs: [(name: String, value: String)] = []
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard pairs.count < Self.maximumCount, let name = Self.decode(halves[0]),
                let value = halves.count > 1 ? Self.decode(halves[1]) : ""
            else { return nil }
            pairs.append((name, value))
        }
        self.pairs = pairs
    }

    init(_ pairs: [(name: String, value: String)]) { self.pairs = pairs }

    /// Nil also when it is empty: a parameter without a value counts as not sent (RFC 6749 §3.1).
    subscript(name: String) -> String? {
        let value = pairs.first { $0.name == name }?.value
        return value?.isEmpty == false ? value : nil
    }

    /// The words of a parameter that is a list with blanks between.
    func words(_ name: String) -> [String] { (self[name] ?? "").split(separator: " ").map(String.init) }

    /// The first name that came twice, which no request may do (RFC 6749 §3.1).
    var repeatedName: String? {
        var seen: Set<String> = []
        return pairs.first { !seen.insert($0.name).inserted }?.name
    }

    /// ASCII without quotation marks.
    var encoded: String {
        pairs.map { Self.encode($0.name) + "=" + Self.encode($0.value) }.joined(separator: "&")
    }

    static func decode(_ text: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
                guard digits.count == 2 else { return nil }
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
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
