import Crypto
package import GatehouseWire

/// Signs webhooks ([Standard Webhooks](https://www.standardwebhooks.com)).
package struct WebhookSecret: Sendable {
    private let key: [UInt8]

    private static let sizes = 24...64
    private static let prefix = "v1,whsec_"

    /// - Parameter text: `v1,whsec_` and the Base64 of 24 to 64 bytes, as in Supabase Auth.
    package init?(_ text: Secret) {
        let text = text.reveal()
        guard text.hasPrefix(Self.prefix), let key = Base64Text.decode(text.dropFirst(Self.prefix.count)),
            Self.sizes.contains(key.count)
        else { return nil }
        self.key = key
    }

    /// Separated by `|`. All of them sign, so that a receiver can change to a new one.
    ///
    /// - Returns: nil if one is malformed, or for empty text.
    package static func list(_ text: Secret) -> [WebhookSecret]? {
        let parts = text.reveal().split(separator: "|", omittingEmptySubsequences: false)
        let secrets = parts.map { WebhookSecret(Secret($0.filter { $0 != " " })) }
        return secrets.contains { $0 == nil } ? nil : secrets.compactMap(\.self)
    }

    fileprivate func signature(of bytes: [UInt8]) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key))
        return "v1," + Base64Text.encode(Array(code))
    }
}

extension WebhookSecret: Unprinted {
    package var description: String { "<webhook secret>" }
}

package struct WebhookMessage: Sendable {
    /// The same in all attempts, so that receivers recognize repetitions.
    package let id: String
    package let body: [UInt8]

    package init(id: String, body: [UInt8]) { (self.id, self.body) = (id, body) }

    /// The event `gatehouse.test`, which concerns no account.
    package static func test(of webhook: String, id: String, at now: Instant) -> WebhookMessage {
        let event: AuthJSON = [
            "type": "gatehouse.test", "timestamp": .string("\(now)"), "data": ["webhook": .string(webhook)],
        ]
        return WebhookMessage(id: id, body: Array(event.text.utf8))
    }

    /// `webhook-id`, `webhook-timestamp` in seconds since 1970, and one signature per secret.
    package func headers(at now: Instant, secrets: [WebhookSecret]) -> [String: String] {
        let time = "\(now.seconds)"
        let signed = Array("\(id).\(time).".utf8) + body
        return [
            "content-type": "application/json", "webhook-id": id, "webhook-timestamp": time,
            "webhook-signature": secrets.map { $0.signature(of: signed) }.joined(separator: " "),
        ]
    }
}

/// With padding (RFC 4648 §4).
enum Base64Text {
    static func encode(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).map { byte in
            byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
        }
        return String(decoding: text, as: UTF8.self) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }

    /// Padding is optional.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes = Array(text.utf8)
        guard !bytes.contains(UInt8(ascii: "-")), !bytes.contains(UInt8(ascii: "_")) else { return nil }
        while bytes.last == UInt8(ascii: "="), bytes.count % 4 != 1 { bytes.removeLast() }
        let translated = bytes.map { byte in
            byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
        }
        return Base64URL.decode(String(decoding: translated, as: UTF8.self))
    }
}
