import Crypto
package import GatehouseWire

/// TOTP (RFC 6238) with SHA-1, six digits and 30 seconds, which every authenticator app supports.
package struct TimeCode: Sendable {
    package static let secretBytes = 20
    /// Seconds.
    package static let period: Int64 = 30
    private static let digits = 6

    private let key: SymmetricKey

    package init(secret: [UInt8]) { key = SymmetricKey(data: secret) }

    package static func step(at now: Instant) -> Int64 { now.seconds / period }

    /// RFC 4226 §5.3.
    package func code(of step: Int64) -> String {
        let message = withUnsafeBytes(of: UInt64(bitPattern: step).bigEndian, Array.init)
        let hash = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
        let offset = Int(hash[19] & 0x0F)
        let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: Self.digits - text.utf8.count) + text
    }

    /// Accepts the current step and its neighbors, so clocks may differ by half a minute.
    ///
    /// - Parameter last: The factor's last accepted step. It and earlier steps are refused, so codes are single-use
    ///   (RFC 6238 §5.2). A step in every node's future came from a wrong clock and is ignored.
    /// - Returns: nil for a wrong or used code, in the same time.
    package func step(ofCode code: Secret, after last: Int64?, at now: Instant) -> Int64? {
        let present = Self.step(at: now)
        var found: Int64?
        for step in [present, present - 1, present + 1] where Secret(self.code(of: step)).matches(code) {
            found = found ?? step
        }
        guard let found, found > last ?? -1 || isAhead(last, of: present) else { return nil }
        return found
    }

    private func isAhead(_ last: Int64?, of present: Int64) -> Bool {
        guard let last else { return false }
        return last > present + 1 + NodeClocks.difference.components.seconds / Self.period
    }
}

extension TimeCode {
    /// An `otpauth` URL (Google Authenticator's format).
    ///
    /// - Parameters:
    ///   - issuer: As ``label(_:)`` returns it.
    ///   - secret: Base32.
    package static func address(issuer: String, account: String, secret: Secret) -> Secret {
        let (prefix, query) = (escaped(issuer, keeping: "$&+=@"), escaped(issuer, keeping: "@"))
        let parameters = "algorithm=SHA1&digits=6&issuer=\(query)&period=30&secret=\(secret.reveal())"
        return Secret("otpauth://totp/\(prefix):\(escaped(label(account), keeping: "$&+=@"))?\(parameters)")
    }

    /// Removes colons, which separate issuer and account: `Box: Score` becomes `Box Score`.
    package static func label(_ name: String) -> String {
        guard name.contains(ascii: ":") else { return name }
        return name.split(ascii: ":").flatMap { $0.split(ascii: " ") }.joined(separator: " ")
    }

    private static func escaped(_ text: String, keeping kept: StaticString) -> String {
        let kept = "\(kept)".utf8
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isPlain = byte.isAlphanumeric || "-_.~".utf8.contains(byte) || kept.contains(byte)
            if isPlain {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), (byte >> 4).upperHexadecimal, (byte & 0x0F).upperHexadecimal]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var upperHexadecimal: UInt8 { self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "A") + self - 10 }
}
