import GatehouseWire

/// A web origin or an app:
///
/// - `https://host[:port]`, or `http://` with `localhost` or a subdomain of it. Ignores case and a default port. Apps
///   on Apple's platforms send `https://` and the RP ID.
/// - `android:apk-key-hash:` and the SHA-256 of an Android app's signing certificate in base64url, compared byte by
///   byte.
/// - `ios:bundle-id:` and a bundle identifier, which some frameworks send, compared byte by byte.
package struct CeremonyOrigin: Hashable, Sendable {
    /// A web origin is in lower case without a default port.
    package let text: String
    /// Lower case; nil for an app.
    package let host: String?

    static let maximumLength = 512
    private static let android = "android:apk-key-hash:"
    private static let iOS = "ios:bundle-id:"

    /// Refuses a trailing slash, a path, user information and a host beyond ASCII.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count) else { return nil }
        if text.hasPrefix(Self.android) {
            guard Base64URL.decode(Array(text.utf8.dropFirst(Self.android.utf8.count))[...])?.count == 32 else {
                return nil
            }
            self.init(text: text, host: nil)
        } else if text.hasPrefix(Self.iOS) {
            let bundle = text.utf8.dropFirst(Self.iOS.utf8.count)
            guard !bundle.isEmpty, bundle.allSatisfy({ $0.isAlphanumeric || ".-".utf8.contains($0) }) else {
                return nil
            }
            self.init(text: text, host: nil)
        } else {
            self.init(web: Array(text.utf8))
        }
    }

    private init?(web bytes: [UInt8]) {
        let lower = bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let isSecure = lower.starts(with: "https://".utf8)
        guard isSecure || lower.starts(with: "http://".utf8) else { return nil }
        let authority = lower.dropFirst(isSecure ? 8 : 7)
        let host = authority.prefix { $0 != UInt8(ascii: ":") }
        guard !host.isEmpty, host.allSatisfy({ $0.isLowerAlphanumeric || ".-_".utf8.contains($0) }) else { return nil }
        let hostText = String(decoding: host, as: UTF8.self)
        guard isSecure || hostText == "localhost" || hostText.hasSuffix(".localhost") else { return nil }
        guard let port = Self.port(authority.dropFirst(host.count), default: isSecure ? 443 : 80) else { return nil }
        self.init(text: (isSecure ? "https://" : "http://") + hostText + port, host: hostText)
    }

    private init(text: String, host: String?) { (self.text, self.host) = (text, host) }

    /// - Returns: With its colon; empty for the default port. nil if `rest` is neither empty nor a port.
    private static func port(_ rest: ArraySlice<UInt8>, default usual: Int) -> String? {
        guard !rest.isEmpty else { return "" }
        let digits = rest.dropFirst()
        guard (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"), digits.allSatisfy(\.isDigit),
            let port = Int(String(decoding: digits, as: UTF8.self)), port <= 65_535
        else { return nil }
        return port == usual ? "" : ":\(port)"
    }

    package static func == (left: CeremonyOrigin, right: CeremonyOrigin) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}
