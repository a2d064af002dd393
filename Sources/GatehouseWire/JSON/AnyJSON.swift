/// Any JSON value (RFC 8259), such as the metadata of a user.
public enum AnyJSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([AnyJSON])
    case object([String: AnyJSON])
}

extension AnyJSON {
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    public var objectValue: [String: AnyJSON]? { if case .object(let value) = self { value } else { nil } }
    public var arrayValue: [AnyJSON]? { if case .array(let value) = self { value } else { nil } }
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var intValue: Int64? { if case .integer(let value) = self { value } else { nil } }
    public var isNull: Bool { self == .null }

    /// The member of an object; nil for anything else.
    public subscript(key: String) -> AnyJSON? { objectValue?[key] }
}

extension [String: AnyJSON] {
    /// Merges the top level, as the Auth API does with metadata: a null deletes the key.
    package mutating func merge(deletingNulls changes: [String: AnyJSON]) {
        for (key, value) in changes { self[key] = value.isNull ? nil : value }
    }
}

extension AnyJSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(arrayLiteral elements: AnyJSON...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, AnyJSON)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
