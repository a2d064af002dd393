import GatehouseWire
package import WebAuthn

/// The server's identity in ceremonies, and the apps that share it.
package struct AppIdentity: Sendable {
    package let party: RelyingParty
    package let apps: AppIdentifiers

    package init(party: RelyingParty, apps: AppIdentifiers = AppIdentifiers()) {
        (self.party, self.apps) = (party, apps)
    }
}

package struct AppIdentifiers: Sendable {
    /// With their team: `A1B2C3D4E5.org.example.app`.
    package let apple: [String]
    package let android: [Android]

    package init(apple: [String] = [], android: [Android] = []) { (self.apple, self.android) = (apple, android) }

    /// An Android app with one of its signing certificates.
    package struct Android: Sendable {
        package let package: String
        /// SHA-256, 32 bytes.
        package let certificate: [UInt8]

        /// Parses `org.example.app=AB:CD:…`.
        package init?(_ text: String) {
            let parts = text.utf8.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            guard parts.count == 2, AppIdentifiers.isName(parts[0]) else { return nil }
            let digits = parts[1].filter { $0 != UInt8(ascii: ":") }
            let values = digits.compactMap(\.hexadecimalValue)
            guard digits.count == 64, values.count == 64 else { return nil }
            package = String(decoding: parts[0], as: UTF8.self)
            certificate = (0..<32).map { values[2 * $0] << 4 | values[2 * $0 + 1] }
        }

        /// As the app sends it in ceremonies.
        package var origin: String { "android:apk-key-hash:" + Base64URL.text(certificate) }

        /// Upper-case hexadecimal bytes with colons, as in `assetlinks.json`.
        package var fingerprint: String {
            certificate.map { byte in
                [byte >> 4, byte & 15].map { String($0, radix: 16, uppercase: true) }.joined()
            }.joined(separator: ":")
        }
    }

    /// A team's ten letters and digits, a dot, a bundle identifier.
    package static func isApple(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count > 11, bytes[10] == UInt8(ascii: ".") else { return false }
        return bytes.prefix(10).allSatisfy { $0.isAlphanumeric } && isName(bytes.dropFirst(11))
    }

    private static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.count <= 255 && bytes.allSatisfy { $0.isAlphanumeric || ".-_".utf8.contains($0) }
    }
}
