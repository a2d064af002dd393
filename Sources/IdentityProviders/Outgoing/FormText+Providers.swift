import GatehouseWire

// Form encoding for providers.
extension FormText {
    static func encode(_ fields: [(name: String, value: Secret)]) -> Secret {
        Secret(fields.map { escape($0.name) + "=" + escape($0.value.reveal()) }.joined(separator: "&"))
    }

    /// Sorted by name, so that equal parameters yield equal text.
    static func query(_ parameters: [ExternalName: String]) -> String {
        parameters.sorted { $0.key < $1.key }.map { escape($0.key.text) + "=" + escape($0.value) }.joined(
            separator: "&")
    }

    /// The `Authorization` value for a client id and secret (RFC 6749 §2.3.1: both are form-encoded first).
    static func basic(client: String, secret: Secret) -> Secret {
        let pair = Array((escape(client) + ":" + escape(secret.reveal())).utf8)
        let unpadded = Base64URL.text(pair).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return Secret("Basic " + String(unpadded) + String(repeating: "=", count: (3 - pair.count % 3) % 3))
    }
}
