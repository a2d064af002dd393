import GatehouseWire

/// A subset of JSON Schema ([2020-12](https://json-schema.org/draft/2020-12/json-schema-validation)); ``init(file:)``
/// lists its keywords.
package struct DataSchema: Sendable {
    enum Kind: String, CaseIterable {
        case null, boolean, object, array, number, integer, string
    }

    /// A schema may be `true` or `false`.
    indirect enum Rule {
        case anything, nothing
        case matching(DataSchema)
    }

    /// nil for every type.
    var kinds: [Kind]?
    /// `enum` or `const`, whole numbers as integers; nil for every value.
    var values: Set<AuthJSON>?
    var properties: [ExternalName: Rule] = [:]
    var additionalProperties = Rule.anything
    var required: [String] = []
    var items = Rule.anything
    /// In members, elements and code points.
    var members = Bounds<Int>()
    var elements = Bounds<Int>()
    var length = Bounds<Int>()
    /// Compared as floating-point numbers.
    var number = Bounds<Double>()
    var above: Double?
    var below: Double?
}

/// Inclusive; nil for no limit.
struct Bounds<Value: Comparable & Sendable>: Sendable {
    var least: Value?
    var most: Value?

    /// - Returns: The violated requirement, such as `at most 5`; nil within the limits.
    func demand(on value: Value, _ show: (Value) -> String = { "\($0)" }) -> String? {
        if let least, value < least { return "at least \(show(least))" }
        if let most, value > most { return "at most \(show(most))" }
        return nil
    }
}

struct DataPath: Equatable, Sendable {
    /// For people: `data.entries[3].mood`.
    private(set) var text = "data"
    /// RFC 6901: `/data/entries/3/mood`.
    private(set) var pointer = "/data"

    /// - Parameter name: People see its first 50 characters.
    func member(_ name: String) -> DataPath {
        var path = self
        path.text += "." + name.cut(to: 50)
        path.pointer += Self.pointer(to: name)
        return path
    }

    static func pointer(to name: String) -> String {
        var pointer = "/"
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": pointer += "~0"
            case "/": pointer += "~1"
            default: pointer.unicodeScalars.append(scalar)
            }
        }
        return pointer
    }

    func element(_ index: Int) -> DataPath {
        var path = self
        path.text += "[\(index)]"
        path.pointer += "/\(index)"
        return path
    }
}

struct DataViolation: Error, Equatable {
    let path: DataPath
    /// For the client: path and requirement.
    let message: String

    init(_ path: DataPath, _ requirement: String) {
        self.path = path
        message = "\(path.text) \(requirement)."
    }
}

extension DataSchema {
    /// Takes time proportional to the value's size.
    ///
    /// - Throws: ``DataViolation`` for the first violation, in order of the members' names.
    func check(_ value: AuthJSON, at path: DataPath) throws(DataViolation) {
        if let kinds, !kinds.contains(where: value.isOf) {
            throw DataViolation(path, "must be of type " + kinds.map(\.rawValue).joined(separator: " or "))
        }
        if let values, !values.contains(value.withWholeNumbers) {
            throw DataViolation(path, "must be one of the values that the schema lists")
        }
        switch value {
        case .object(let object): try check(object, at: path)
        case .array(let list): try check(list, at: path)
        case .string(let text):
            if let demand = length.demand(on: text.unicodeScalars.count) {
                throw DataViolation(path, "must have \(demand) characters")
            }
        case .integer(let integer): try check(Double(integer), at: path)
        case .double(let double): try check(double, at: path)
        case .null, .bool: break
        }
    }

    private func check(_ object: AuthJSONObject, at path: DataPath) throws(DataViolation) {
        for name in required where object[name] == nil { throw DataViolation(path.member(name), "is required") }
        if let demand = members.demand(on: object.count) { throw DataViolation(path, "must have \(demand) members") }
        for name in object.keys.sorted(by: <) {
            guard let value = object[name] else { continue }
            let rule = properties[ExternalName(trusted: name)] ?? additionalProperties
            try Self.check(value, rule, at: path.member(name))
        }
    }

    private func check(_ list: [AuthJSON], at path: DataPath) throws(DataViolation) {
        if let demand = elements.demand(on: list.count) { throw DataViolation(path, "must have \(demand) elements") }
        if case .anything = items { return }
        for (index, value) in list.enumerated() { try Self.check(value, items, at: path.element(index)) }
    }

    private func check(_ value: Double, at path: DataPath) throws(DataViolation) {
        if let demand = number.demand(on: value, Self.shown) { throw DataViolation(path, "must be \(demand)") }
        if let above, value <= above { throw DataViolation(path, "must be above \(Self.shown(above))") }
        if let below, value >= below { throw DataViolation(path, "must be below \(Self.shown(below))") }
    }

    private static func shown(_ number: Double) -> String { AuthJSON.double(number).withWholeNumbers.text }

    private static func check(_ value: AuthJSON, _ rule: Rule, at path: DataPath) throws(DataViolation) {
        switch rule {
        case .anything: break
        case .nothing: throw DataViolation(path, "is not allowed")
        case .matching(let schema): try schema.check(value, at: path)
        }
    }
}

extension AuthJSON {
    /// `1.0` is also an integer.
    fileprivate func isOf(_ kind: DataSchema.Kind) -> Bool {
        switch (self, kind) {
        case (.null, .null), (.bool, .boolean), (.object, .object), (.array, .array), (.string, .string): true
        case (.integer, .number), (.integer, .integer), (.double, .number): true
        case (.double(let value), .integer): value.rounded() == value
        default: false
        }
    }

    /// JSON Schema compares numbers by value, so `1.0` becomes an integer.
    var withWholeNumbers: AuthJSON {
        switch self {
        case .double(let value): Int64(exactly: value).map(AuthJSON.integer) ?? self
        case .array(let elements): .array(elements.map(\.withWholeNumbers))
        case .object(let members): .object(AuthJSONObject(members, \.withWholeNumbers))
        case .null, .bool, .integer, .string: self
        }
    }
}

extension AuthJSONObject {
    fileprivate init(_ members: AuthJSONObject, _ change: (AuthJSON) -> AuthJSON) {
        self.init()
        for (name, value) in members { self[name] = change(value) }
    }
}
