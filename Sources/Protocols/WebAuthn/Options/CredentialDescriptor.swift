package import GatehouseWire

/// For `excludeCredentials` and `allowCredentials` (§5.8.3).
package struct CredentialDescriptor: Sendable {
    package let id: [UInt8]
    /// Empty omits the member.
    package let transports: [String]

    package init(id: [UInt8], transports: [String] = []) { (self.id, self.transports) = (id, transports) }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", "public-key")
        writer.member("id", Base64URL.text(id))
        if !transports.isEmpty { writer.list("transports", transports) { writer, name in writer.value(name) } }
        writer.endObject()
    }
}
