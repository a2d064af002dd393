import GatehouseWire

extension KeySet {
    /// Reads a JWKS document (RFC 7517 §5) from elsewhere: for public keys only.
    ///
    /// What cannot serve is skipped, as the RFC asks: symmetric keys, keys without `kid` unless it is the only one, and
    /// keys we cannot read. Of two with one `kid` the first counts. A private part that was published by mistake is
    /// dropped.
    ///
    /// - Throws: ``KeyProblem/unreadable`` when the document is longer than `maximumBytes` or no key list.
    package init(published document: [UInt8], maximumBytes: Int = 262_144) throws(KeyProblem) {
        guard document.count <= maximumBytes else { throw .unreadable }
        let list: AnyJSON
        do { list = try JSONReader.read(document) } catch { throw .unreadable }
        guard let elements = list["keys"]?.arrayValue else { throw .unreadable }
        // Lost: why the only key cannot be read; then there is none.
        if elements.count == 1, let only = try? JSONWebKey(elements[0]).publicHalf {
            self.init(onlyKey: only)
            return
        }
        var (keys, ids): ([JSONWebKey], Set<ExternalName>) = ([], [])
        for element in elements {
            // Lost: why this one key cannot be read. The others serve.
            guard let key = try? JSONWebKey(element).publicHalf, let id = key.id.flatMap(ExternalName.init) else {
                continue
            }
            if ids.insert(id).inserted { keys.append(key) }
        }
        try self.init(keys)
    }

    /// The JWKS document of this set: the public keys in order, no symmetric ones, `{"keys":[]}` when none is left.
    package var publicDocument: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("keys")
        writer.beginArray()
        for key in keys { key.writePublic(to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}
