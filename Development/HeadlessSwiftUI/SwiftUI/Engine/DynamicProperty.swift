@_spi(Reflection) import Swift

public protocol DynamicProperty {
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

/// Its storage outlives the view value.
protocol LinkedProperty: DynamicProperty {
    /// - Parameter name: Unique within its view.
    @MainActor mutating func link(to context: RenderContext, as name: String)
}

extension RenderContext {
    /// Before the view's `body` is evaluated.
    func link<Value>(_ value: inout Value) {
        let properties = DynamicFields.of(Value.self)
        guard !properties.isEmpty else { return }
        withUnsafeMutablePointer(to: &value) { pointer in
            let start = UnsafeMutableRawPointer(pointer)
            for property in properties { property.type.link(at: start + property.offset, to: self, as: property.name) }
        }
    }
}

extension DynamicProperty {
    @MainActor fileprivate static func link(
        at address: UnsafeMutableRawPointer, to context: RenderContext, as name: String
    ) {
        let field = address.assumingMemoryBound(to: Self.self)
        if var linked = field.pointee as? any LinkedProperty {
            linked.link(to: context, as: name)
            if let linked = linked as? Self { field.pointee = linked }
        } else {
            // A custom dynamic property: link its fields first.
            context.child(.slot(name)).link(&field.pointee)
        }
        field.pointee.update()
    }
}

private struct DynamicFields {
    let name: String
    let offset: Int
    let type: any DynamicProperty.Type

    /// Reflection takes longer than the rest of a property's connection.
    @MainActor private static var known: [ObjectIdentifier: [DynamicFields]] = [:]

    @MainActor static func of(_ type: Any.Type) -> [DynamicFields] {
        if let fields = known[ObjectIdentifier(type)] { return fields }
        let fields = read(type)
        known[ObjectIdentifier(type)] = fields
        return fields
    }

    private static func read(_ type: Any.Type) -> [DynamicFields] {
        var fields: [DynamicFields] = []
        _ = _forEachField(of: type) { name, offset, type, _ in
            if let type = type as? any DynamicProperty.Type {
                fields.append(DynamicFields(name: String(cString: name), offset: offset, type: type))
            }
            return true
        }
        return fields
    }
}
