import GatehouseWire

/// An app's URL scheme, such as `boxscore`, that OAuth redirects may be forwarded to.
package struct AppScheme: Hashable, Sendable {
    package let text: String

    /// - Returns: nil if the text is not a scheme (RFC 3986 §3.1), and for schemes of browsers and files: only the app
    ///   may receive an authorization code (RFC 8252 §7.1).
    package init?(_ text: String) {
        let utf8 = text.utf8
        guard let first = utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20),
            utf8.allSatisfy(Self.isAllowed), !Self.reserved.contains(text.lowercased())
        else { return nil }
        self.text = text
    }

    private static let reserved = [
        "http", "https", "ws", "wss", "ftp", "file", "data", "javascript", "vbscript", "blob", "about", "mailto", "tel",
        "sms", "intent", "view-source",
    ]

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// - Parameter target: The request target. Its query is copied byte for byte, because decoding and encoding could
    ///   change a code or a state.
    func callback(for target: String) -> String {
        let query = target.utf8.drop { $0 != UInt8(ascii: "?") }.prefix { $0 != UInt8(ascii: "#") }
        return "\(text)://auth/callback\(Substring(query))"
    }
}
