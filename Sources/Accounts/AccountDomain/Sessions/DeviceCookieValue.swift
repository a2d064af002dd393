import Crypto
package import GatehouseWire

/// Shows that a device has signed in to an account before: a random id signed by the server. Not a credential; it gives
/// the device its own limit of wrong passwords (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). A
/// changed password invalidates it.
package struct DeviceCookieValue: Sendable {
    /// 44 characters of Base64URL.
    package let text: Secret
    package let id: String
    /// Differs for each account and password.
    package let password: String
    private let number: UInt8

    private static let idBytes = 8
    private static let passwordBytes = 8
    private static let signatureBytes = 16

    /// - Parameter id: 8 random bytes.
    /// - Returns: nil for a user without a password.
    package init?(of account: [UInt8], _ user: User, id: [UInt8], _ secrets: ServerSecrets) {
        let number = secrets.currentNumber
        guard let password = Self.password(of: user, number, secrets) else { return nil }
        self.init(number, id, password, of: account, secrets)
    }

    /// - Returns: nil unless this server issued the mark for this account. Check ``isCurrent(of:_:)`` too.
    package init?(_ text: Secret, of account: [UInt8], _ secrets: ServerSecrets) {
        guard let bytes = text.base64URLBytes,
            bytes.count == 1 + Self.idBytes + Self.passwordBytes + Self.signatureBytes
        else { return nil }
        let (id, rest) = (bytes[1...].prefix(Self.idBytes), bytes[1...].dropFirst(Self.idBytes))
        self.init(bytes[0], Array(id), Array(rest.prefix(Self.passwordBytes)), of: account, secrets)
        guard self.text.matches(text) else { return nil }
    }

    /// False after a change of the password, or of its hash alone.
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

    /// Reveals nothing about the hash without the secret.
    private static func password(of user: User, _ number: UInt8, _ secrets: ServerSecrets) -> [UInt8]? {
        user.passwordHash
            .flatMap { secrets.devicePassword(user.id.bytes + TokenDigest.of($0), number: number) }
            .map { Array($0.prefix(passwordBytes)) }
    }
}

extension Secret {
    fileprivate var base64URLBytes: [UInt8]? { Base64URL.decode(reveal()) }
}
