import Crypto
package import GatehouseWire

/// Shows that a device has signed in to an account before: a number of its own under a signature of the server. It is
/// no credential: it only gives its device a count of wrong passwords of its own (OWASP,
/// "Slow Down Online Guessing Attacks with Device Cookies"). It ends with the password: who knew the last one is a
/// stranger, and guesses as one.
package struct DeviceMark: Sendable {
    /// 44 characters of Base64URL.
    package let text: Secret
    /// Unique per device.
    package let id: String
    /// Another for each account and password of it.
    package let password: String
    private let number: UInt8

    private static let idBytes = 8
    private static let passwordBytes = 8
    private static let signatureBytes = 16

    /// - Parameters:
    ///   - account: Identifies the account. The mark is invalid for any other.
    ///   - id: 8 random bytes.
    /// - Returns: nil for a user without a password.
    package init?(of account: [UInt8], _ user: User, id: [UInt8], _ secrets: ServerSecrets) {
        let number = secrets.currentNumber
        guard let password = Self.password(of: user, number, secrets) else { return nil }
        self.init(number, id, password, of: account, secrets)
    }

    /// - Returns: nil unless this server made it for this account; ask ``isCurrent(of:_:)`` too.
    package init?(_ text: Secret, of account: [UInt8], _ secrets: ServerSecrets) {
        guard let bytes = text.base64URLBytes,
            bytes.count == 1 + Self.idBytes + Self.passwordBytes + Self.signatureBytes
        else { return nil }
        let (id, rest) = (bytes[1...].prefix(Self.idBytes), bytes[1...].dropFirst(Self.idBytes))
        self.init(bytes[0], Array(id), Array(rest.prefix(Self.passwordBytes)), of: account, secrets)
        guard self.text.matches(text) else { return nil }
    }

    /// Whether the user has the password still that the mark was made for. A better hash of the same one
    /// (``User/passwordHash``) counts as another: what was made just before it is good for nothing.
    package func isCurrent(of user: User, _ secrets: ServerSecrets) -> Bool {
        Self.password(of: user, number, secrets).map { Base64URL.text($0) == password } ?? false
    }

    private init?(
        _ number: UInt8, _ id: [UInt8], _ password: [UInt8], of account: [UInt8], _ secrets: ServerSecrets
    ) {
        guard let signature = secrets.deviceSignature(account + id + password, number: number) else { return nil }
        text = Secret(Base64URL.text([number] + id + password + signature.prefix(Self.signatureBytes)))
        self.id = Base64URL.text(id)
        self.password = Base64URL.text(password)
        self.number = number
    }

    /// Says nothing of the hash to whoever has not the secret.
    private static func password(of user: User, _ number: UInt8, _ secrets: ServerSecrets) -> [UInt8]? {
        user.passwordHash
            .flatMap { secrets.devicePassword(user.id.bytes + TokenDigest.of($0), number: number) }
            .map { Array($0.prefix(passwordBytes)) }
    }
}

extension Secret {
    fileprivate var base64URLBytes: [UInt8]? { Base64URL.decode(reveal()) }
}
