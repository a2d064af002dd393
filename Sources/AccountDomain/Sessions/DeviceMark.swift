import Crypto
package import GatehouseWire

/// Shows that a device has signed in to an account before: a number of its own under a signature of the server. It is
/// no credential: it only gives its device a count of wrong passwords of its own (OWASP,
/// "Slow Down Online Guessing Attacks with Device Cookies").
package struct DeviceMark: Sendable {
    /// 34 characters of Base64URL.
    package let text: Secret
    /// Another for each device.
    package let id: String

    private static let idBytes = 8
    private static let signatureBytes = 16

    /// - Parameters:
    ///   - account: What the account is known by; the mark is worth nothing for another.
    ///   - id: 8 random bytes.
    package init(of account: [UInt8], id: [UInt8], _ secrets: ServerSecrets) {
        let (number, signature) = secrets.deviceSignature(account + id)
        self.init(number, id, signature)
    }

    /// - Returns: nil unless this server made it for this account.
    package init?(_ text: Secret, of account: [UInt8], _ secrets: ServerSecrets) {
        guard let bytes = text.base64URLBytes, bytes.count == 1 + Self.idBytes + Self.signatureBytes else { return nil }
        let id = Array(bytes[1...Self.idBytes])
        guard let signature = secrets.deviceSignature(account + id, number: bytes[0]) else { return nil }
        self.init(bytes[0], id, signature)
        guard self.text.matches(text) else { return nil }
    }

    private init(_ number: UInt8, _ id: [UInt8], _ signature: [UInt8]) {
        text = Secret(Base64URL.text([number] + id + signature.prefix(Self.signatureBytes)))
        self.id = Base64URL.text(id)
    }
}

extension Secret {
    fileprivate var base64URLBytes: [UInt8]? { Base64URL.decode(reveal()) }
}
