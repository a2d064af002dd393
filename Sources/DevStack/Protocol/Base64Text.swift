import GatehouseWire

/// Base64 with padding (RFC 4648 §4), as in headers.
enum Base64Text {
    static func encode(_ bytes: [UInt8]) -> String {
        let text = Base64URL.text(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
    }

    /// - Returns: nil unless the text is the canonical encoding of a value.
    static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let bare = text.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        guard !text.contains("-"), !text.contains("_"), let bytes = Base64URL.decode(String(bare)) else { return nil }
        return encode(bytes) == text ? bytes : nil
    }
}
