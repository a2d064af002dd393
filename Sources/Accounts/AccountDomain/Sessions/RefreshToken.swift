package import Crypto
package import GatehouseWire

/// A session id and a counter under a MAC. Nothing of it is stored, so a stolen table yields no token, and the current
/// token can be reproduced.
///
/// Base64URL without padding of: ``Kind`` · server secret's number (1 byte) · session id (16) · counter (unsigned
/// LEB128, 1–9) · first 16 bytes of HMAC-SHA-256 of the preceding bytes · first 4 bytes of their SHA-256, against
/// typing errors. 39 to 47 bytes, 52 to 63 characters.
package struct RefreshToken: Sendable {
    package let session: SessionID
    package let counter: Int64
    package let secretNumber: UInt8
    private let signed: [UInt8]
    private let code: [UInt8]

    /// The first byte. A release that knows only apps' tokens refuses the others.
    package enum Kind: UInt8, Sendable {
        case app = 1
        /// Of an OAuth client.
        case client = 2
    }

    /// Does not authenticate: see ``genuineKey(_:)``.
    package init?(_ text: Secret, kind: Kind = .app) {
        let text = text.reveal()
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count >= 39,
            bytes[0] == kind.rawValue
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

    /// The session's key; nil unless this server issued the token under a secret that it still has. Constant time.
    package func genuineKey(_ secrets: ServerSecrets) -> RefreshTokenKey? {
        guard let key = secrets.refreshTokenKey(for: session, secretNumber: secretNumber) else { return nil }
        let isGenuine = zip(key.code(of: signed), code).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
        return isGenuine ? key : nil
    }

    package static func issue(counter: Int64, _ key: RefreshTokenKey, kind: Kind = .app) -> Secret {
        Secret(sealed([kind.rawValue, key.secretNumber] + key.session, counter: counter, key.code))
    }

    /// Imported Supabase tokens share this format.
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
            // One encoding per number: no continuation bit or redundant zero at the end.
            guard (byte & 0x80 == 0) == isLast, !(isLast && byte == 0 && position > 0) else { return nil }
            value |= Int64(byte & 0x7F) << (7 * position)
        }
        return value
    }
}

extension RefreshToken: Unprinted {
    /// Omits the MAC, which would complete the token.
    package var description: String { "refresh token \(counter) of session \(session.text)" }
}

package struct RefreshTokenKey: Sendable {
    let secretNumber: UInt8
    let session: [UInt8]
    let code: HMAC<SHA256>

    func code(of bytes: [UInt8]) -> some Sequence<UInt8> {
        var code = code
        code.update(data: bytes)
        return code.finalize().prefix(16)
    }
}

extension RefreshTokenKey: CustomReflectable {
    /// Hides the MAC, whose state is equivalent to the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
