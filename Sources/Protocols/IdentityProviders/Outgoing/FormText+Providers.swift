import Foundation
import GatehouseWire

extension FormText {
    static func encode(_ fields: [(name: String, value: Secret)]) -> Secret {
        Secret(fields.map { escape($0.name) + "=" + escape($0.value.reveal()) }.joined(separator: "&"))
    }

    /// Sorted: equal parameters yield equal text.
    static func query(_ parameters: [ExternalName: String]) -> String {
        parameters.sorted { $0.key < $1.key }.map { escape($0.key.text) + "=" + escape($0.value) }.joined(
            separator: "&")
    }

    /// RFC 6749 §2.3.1: both are form-encoded first.
    static func basic(client: String, secret: Secret) -> Secret {
        let pair = escape(client) + ":" + escape(secret.reveal())
        return Secret("Basic " + Data(pair.utf8).base64EncodedString())
    }
}
