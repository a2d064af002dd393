import GatehouseWire

/// `application/x-www-form-urlencoded`, for bodies and queries: a blank is a plus sign, what RFC 3986 §2.3 calls
/// unreserved stays, everything else is escaped.
enum FormText {
    static func encode(_ fields: [(name: String, value: Secret)]) -> Secret {
        Secret(fields.map { escape($0.name) + "=" + escape($0.value.reveal()) }.joined(separator: "&"))
    }

    /// In the order of the names, so that equal parameters give equal text.
    static func query(_ parameters: [String: String]) -> String {
        parameters.sorted { $0.key < $1.key }.map { escape($0.key) + "=" + escape($0.value) }.joined(separator: "&")
    }

    static func escape(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "~"):
                bytes.append(byte)
            case UInt8(ascii: " "): bytes.append(UInt8(ascii: "+"))
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes.append(contentsOf: [digit(byte >> 4), digit(byte & 0x0F)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// The value of `Authorization` for a client and its secret (RFC 6749 §2.3.1: both are form-encoded first).
    static func basic(client: String, secret: Secret) -> Secret {
        let pair = Array((escape(client) + ":" + escape(secret.reveal())).utf8)
        let unpadded = Base64URL.text(pair).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return Secret("Basic " + String(unpadded) + String(repeating: "=", count: (3 - pair.count % 3) % 3))
    }
}
