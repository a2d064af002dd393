package import Crypto
package import GatehouseWire

/// A refresh token: a session and a counter under a message authentication code. The database keeps no part of
/// it, so a stolen table yields none, and the current one can be given again.
///
/// base64url without padding of: version `1` · number of the server secret (1 byte) · session id (16) ·
/// counter (unsigned LEB128, 1–9) · first 16 bytes of HMAC-SHA-256 over all before · first 4 bytes of SHA-256
/// over all before, a cheap filter for typing errors. 39 to 47 bytes, 52 to 63 characters.
package struct RefreshToken: Sendable {
    package let session: SessionID
    package let counter: Int64
    package let secretNumber: UInt8
    private let signed: [UInt8]
    private let code: [UInt8]

    private static let version: UInt8 = 1

    /// - Returns: nil when the text has not the form of a token of this server. Whether it is genuine is
    ///   another question: ``genuineKey(_:)``.
    package init?(_ text: Secret) {
        let text = text.reveal()
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count >= 39,
            bytes[0] == Self.version
        else { return nil }
        let checksum = bytes.suffix(4)
        let body = bytes.dropLast(4)
        guard SHA256.hash(data: body).prefix(4).elementsEqual(checksum) else { return nil }
        let signed = body.dropLast(16)
        guard let counter = Self.counter(signed[18...]) else { return nil }
        session = SessionID(bytes: Array(signed[2..<18]))
        secretNumber = signed[1]
        self.counter = counter
        self.signed = Array(signed)
        code = Array(body.suffix(16))
    }

    /// The key of the session, if this server made the token: the code is right under a secret that is still known.
    /// Takes the same time for every wrong code.
    package func genuineKey(_ secrets: ServerSecrets) -> RefreshTokenKey? {
        guard let key = secrets.refreshTokenKey(for: session, secretNumber: secretNumber) else { return nil }
        let isGenuine = zip(key.code(of: signed), code).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
        return isGenuine ? key : nil
    }

    /// The token of a counter.
    package static func issue(counter: Int64, _ key: RefreshTokenKey) -> Secret {
        Secret(sealed([version, key.secretNumber] + key.session, counter: counter, key.code))
    }

    /// A counter and what stands before it, under a code: the form that the original's tokens have as well.
    package static func sealed(_ head: [UInt8], counter: Int64, _ key: HMAC<SHA256>) -> String {
        var (bytes, code) = (head, key)
        var rest = UInt64(counter)
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        code.update(data: bytes)
        bytes.append(contentsOf: code.finalize().prefix(16))
        bytes.append(contentsOf: SHA256.hash(data: bytes).prefix(4))
        return Base64URL.text(bytes)
    }

    private static func counter(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard (1...9).contains(bytes.count) else { return nil }
        var value: Int64 = 0
        for (position, byte) in bytes.enumerated() {
            let isLast = position == bytes.count - 1
            // One spelling per number: the last byte has no continuation bit and is not a superfluous zero.
            guard (byte & 0x80 == 0) == isLast, !(isLast && byte == 0 && position > 0) else { return nil }
            value |= Int64(byte & 0x7F) << (7 * position)
        }
        return value
    }
}

extension RefreshToken: CustomStringConvertible, CustomReflectable {
    /// Without the code, which together with the rest is the token.
    package var description: String { "refresh token \(counter) of session \(session.text)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What makes and checks the refresh tokens of one session under one server secret.
package struct RefreshTokenKey: Sendable {
    let secretNumber: UInt8
    /// The bytes of its id.
    let session: [UInt8]
    /// Has taken in the key.
    let code: HMAC<SHA256>

    func code(of bytes: [UInt8]) -> some Sequence<UInt8> {
        var code = code
        code.update(data: bytes)
        return code.finalize().prefix(16)
    }
}

extension RefreshTokenKey: CustomReflectable {
    /// Without the code, whose state is as good as the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
