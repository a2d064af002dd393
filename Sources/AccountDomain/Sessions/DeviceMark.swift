import Crypto
package import GatehouseWire

/// Shows that a device has signed in to an account before: a random id signed by the server. It is not a credential; it
/// gives the device its own limit of wrong passwords (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
package struct DeviceMark: Sendable {
    /// 34 characters of Base64URL.
    package let text: Secret
    /// Unique per device.
    package let id: String

    private static let idBytes = 8
    private static let signatureBytes = 16

    /// - Parameters:
    ///   - account: Identifies the account. The mark is invalid for any other.
    ///   - id: 8 random bytes.
    package init(of account: [UInt8], id: [UInt8], _ secrets: ServerSecrets) {
        let (number, signature) = secrets.deviceSignature(account + id)
        self.init(number, id, signature)
    }

    /// - Returns: nil unless this server made the mark for this account.
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
