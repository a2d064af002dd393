import GatehouseWire

/// Such as `boxscore`: OAuth redirects may be forwarded to it.
package struct AppScheme: Hashable, Sendable {
    package let text: String

    /// - Returns: nil for an invalid scheme (RFC 3986 §3.1), and for browsers' and files': only the app may receive an
    ///   authorization code (RFC 8252 §7.1).
    package init?(_ text: String) {
        let utf8 = text.utf8
        guard utf8.first?.isLetter == true, utf8.allSatisfy({ $0.isAlphanumeric || "+-.".utf8.contains($0) }),
            !Self.reserved.contains(text.lowercased())
        else { return nil }
        self.text = text
    }

    private static let reserved = [
        "http", "https", "ws", "wss", "ftp", "file", "data", "javascript", "vbscript", "blob", "about", "mailto", "tel",
        "sms", "intent", "view-source",
    ]

    /// - Parameter target: Its query is copied byte for byte: decoding and encoding could change a code.
    func callback(for target: String) -> String {
        let query = target.utf8.drop { $0 != UInt8(ascii: "?") }.prefix { $0 != UInt8(ascii: "#") }
        return "\(text)://auth/callback\(Substring(query))"
    }
}
