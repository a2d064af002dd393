import GatehouseWire

extension KeySet {
    /// Parses another party's JWKS document (RFC 7517 §5) and keeps the public parts.
    ///
    /// Skips unusable keys: symmetric, unreadable, and without `kid` unless it is the only key. The first of two keys
    /// with the same `kid` wins.
    ///
    /// - Throws: ``KeyProblem/unreadable`` if the document is longer than `maximumBytes` or not a list of keys.
    package init(published document: [UInt8], maximumBytes: Int = 262_144) throws(KeyProblem) {
        guard document.count <= maximumBytes else { throw .unreadable }
        let list: AuthJSON
        do { list = try JSONReader.read(document) } catch { throw .unreadable }
        guard let elements = list["keys"]?.arrayValue else { throw .unreadable }
        // Ignored: with an unreadable only key, the set is empty.
        if elements.count == 1, let only = try? JSONWebKey(elements[0]).publicHalf {
            self.init(onlyKey: only)
            return
        }
        var (keys, ids): ([JSONWebKey], Set<ExternalName>) = ([], [])
        for element in elements {
            // Ignored: the other keys remain usable.
            guard let key = try? JSONWebKey(element).publicHalf, let id = key.id.flatMap(ExternalName.init) else {
                continue
            }
            if ids.insert(id).inserted { keys.append(key) }
        }
        try self.init(keys)
    }

    /// JWKS, in order; `{"keys":[]}` without any.
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
