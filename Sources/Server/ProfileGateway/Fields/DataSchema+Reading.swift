import GatehouseWire

/// Names the keyword by its JSON Pointer.
package struct InvalidDataSchema: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ path: String, _ problem: String) { description = (path.isEmpty ? "the schema" : path) + " " + problem }
}

extension DataSchema {
    private static let checked = [
        "type", "enum", "const", "properties", "required", "additionalProperties", "minProperties", "maxProperties",
        "items", "minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
        "exclusiveMaximum",
    ]
    /// Keywords without an effect on validation.
    private static let annotations = [
        "$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated",
    ]
    private static let version = "https://json-schema.org/draft/2020-12/schema"

    /// Checks `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`, and the limits
    /// `minProperties`, `maxProperties`, `minItems`, `maxItems`, `minLength`, `maxLength`, `minimum`, `maximum`,
    /// `exclusiveMinimum` and `exclusiveMaximum`. `pattern` is not supported: its time depends on the user's text.
    ///
    /// - Throws: ``InvalidDataSchema`` for any other keyword except annotations, an invalid value, or a schema that no
    ///   object satisfies; `JSONProblem` for invalid JSON.
    package init(file: [UInt8]) throws {
        guard let members = try JSONReader.read(file).objectValue else {
            throw InvalidDataSchema("", "must be an object")
        }
        self = try Self.schema(members, "")
        if let kinds, !kinds.contains(.object) { throw InvalidDataSchema("/type", "must allow object") }
    }

    private static func schema(_ members: AuthJSONObject, _ path: String) throws(InvalidDataSchema) -> DataSchema {
        for name in members.keys.sorted(by: <) where !checked.contains(name) && !annotations.contains(name) {
            throw InvalidDataSchema(
                "\(path)/\(name.cut(to: 50))",
                "is not a supported keyword; supported are "
                    + checked.joined(separator: ", "))
        }
        if let version = members["$schema"], version != .string(Self.version) {
            throw InvalidDataSchema("\(path)/$schema", "must be \(Self.version)")
        }
        let keywords = Keywords(members: members, path: path)
        var schema = DataSchema()
        schema.kinds = try keywords.kinds()
        schema.values = try keywords.values()
        schema.required = try keywords.texts("required") ?? []
        schema.properties = try keywords.properties()
        schema.additionalProperties = try rule(members["additionalProperties"], "\(path)/additionalProperties")
        schema.items = try rule(members["items"], "\(path)/items")
        schema.members = try keywords.counts("minProperties", "maxProperties")
        schema.elements = try keywords.counts("minItems", "maxItems")
        schema.length = try keywords.counts("minLength", "maxLength")
        schema.number = Bounds(least: try keywords.number("minimum"), most: try keywords.number("maximum"))
        schema.above = try keywords.number("exclusiveMinimum")
        schema.below = try keywords.number("exclusiveMaximum")
        return schema
    }

    fileprivate static func rule(_ json: AuthJSON?, _ path: String) throws(InvalidDataSchema) -> Rule {
        switch json {
        case nil, .bool(true): return .anything
        case .bool(false): return .nothing
        case .object(let members): return .matching(try schema(members, path))
        default: throw InvalidDataSchema(path, "must be a schema")
        }
    }
}

private struct Keywords {
    let members: AuthJSONObject
    let path: String

    func kinds() throws(InvalidDataSchema) -> [DataSchema.Kind]? {
        guard let json = members["type"] else { return nil }
        var kinds: [DataSchema.Kind] = []
        for name in json.arrayValue ?? [json] {
            guard let kind = DataSchema.Kind.allCases.first(where: { .string($0.rawValue) == name }) else {
                let known = DataSchema.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw InvalidDataSchema("\(path)/type", "must be one or more of \(known)")
            }
            kinds.append(kind)
        }
        return kinds
    }

    func values() throws(InvalidDataSchema) -> Set<AuthJSON>? {
        let constant = members["const"].map { [$0.withWholeNumbers] as Set<AuthJSON> }
        guard let json = members["enum"] else { return constant }
        guard let list = json.arrayValue, !list.isEmpty else {
            throw InvalidDataSchema("\(path)/enum", "must be a list of values")
        }
        let values = Set<AuthJSON>(list.map(\.withWholeNumbers))
        return constant.map { values.intersection($0) } ?? values
    }

    func properties() throws(InvalidDataSchema) -> [ExternalName: DataSchema.Rule] {
        guard let json = members["properties"] else { return [:] }
        guard let object = json.objectValue else {
            throw InvalidDataSchema("\(path)/properties", "must be an object")
        }
        var properties: [ExternalName: DataSchema.Rule] = [:]
        for (name, schema) in object {
            let place = "\(path)/properties/\(name.cut(to: 50))"
            properties[ExternalName(trusted: name)] = try DataSchema.rule(schema, place)
        }
        return properties
    }

    func texts(_ name: String) throws(InvalidDataSchema) -> [String]? {
        guard let json = members[name] else { return nil }
        guard let list = json.arrayValue, list.allSatisfy({ $0.stringValue != nil }) else {
            throw InvalidDataSchema("\(path)/\(name)", "must be a list of texts")
        }
        return list.compactMap(\.stringValue)
    }

    func counts(_ least: String, _ most: String) throws(InvalidDataSchema) -> Bounds<Int> {
        Bounds(least: try count(least), most: try count(most))
    }

    private func count(_ name: String) throws(InvalidDataSchema) -> Int? {
        guard let json = members[name] else { return nil }
        guard let count = json.intValue, count >= 0 else {
            throw InvalidDataSchema("\(path)/\(name)", "must be a whole number from 0")
        }
        return Int(count)
    }

    func number(_ name: String) throws(InvalidDataSchema) -> Double? {
        switch members[name] {
        case nil: return nil
        case .integer(let value): return Double(value)
        case .double(let value): return value
        default: throw InvalidDataSchema("\(path)/\(name)", "must be a number")
        }
    }
}
