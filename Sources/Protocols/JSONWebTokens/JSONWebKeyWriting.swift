package import GatehouseWire

extension JSONWebKey {
    /// Writes nothing for a symmetric key. `key_ops` is always `["verify"]`: readers of the document may only verify.
    package func writePublic(to writer: inout JSONWriter) {
        guard !algorithm.isSymmetric else { return }
        writer.beginObject()
        writeCommonMembers(operations: ["verify"], to: &writer)
        writer.endObject()
    }

    /// For storage; ``init(text:)`` reads it.
    package var privateJWK: Secret {
        var writer = JSONWriter()
        writer.beginObject()
        writeCommonMembers(operations: maySign ? ["sign", "verify"] : ["verify"], to: &writer)
        for (name, value) in parts.privateMembers { writer.member(name, value.reveal()) }
        writer.endObject()
        return Secret(writer.text)
    }

    private func writeCommonMembers(operations: [String], to writer: inout JSONWriter) {
        writer.member("kty", algorithm.keyType)
        if let id { writer.member("kid", id) }
        writer.member("alg", algorithm.rawValue)
        writer.member("use", "sig")
        writer.name("key_ops")
        writer.beginArray()
        for operation in operations { writer.value(operation) }
        writer.endArray()
        for (name, value) in parts.publicMembers { writer.member(name, value) }
    }
}
