/// A JSON value (RFC 8259), such as a user's metadata.
///
/// ```swift
/// let data: AuthJSONObject = ["first_name": "Ada", "languages": ["en", "ja"], "newsletter": true]
/// let name = session.user.userMetadata["first_name"]?.stringValue
/// ```
public enum AuthJSON: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A 64-bit number without fraction and exponent.
    case integer(Int64)
    /// A number with a fraction or an exponent.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([AuthJSON])
    /// An object.
    case object(AuthJSONObject)
}

extension AuthJSON {
    /// 0 for scalars.
    package var depth: Int {
        switch self {
        case .array(let elements): 1 + (elements.lazy.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.lazy.map(\.value.depth).max() ?? 0)
        default: 0
        }
    }

    /// The string; nil for any other value.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The members of the object; nil for any other value.
    public var objectValue: AuthJSONObject? { if case .object(let value) = self { value } else { nil } }
    /// The elements of the array; nil for any other value.
    public var arrayValue: [AuthJSON]? { if case .array(let value) = self { value } else { nil } }
    /// The boolean; nil for any other value.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The integer; nil for any other value, including ``double(_:)``.
    public var intValue: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// Whether the value is null.
    public var isNull: Bool { if case .null = self { true } else { false } }

    /// The member of an object; nil for any other value.
    public subscript(key: String) -> AuthJSON? { objectValue?[key] }
}

extension AuthJSON {
    /// Compares strings byte by byte.
    public static func == (left: AuthJSON, right: AuthJSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): value.hashBytes(into: &hasher)
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }
}

extension AuthJSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(arrayLiteral elements: AuthJSON...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, AuthJSON)...) {
        var members = AuthJSONObject()
        for (name, value) in elements { members[name] = value }
        self = .object(members)
    }
}

/// A JSON object's unordered members (RFC 8259 §4). Names are compared by bytes: `é` as one scalar and as two differ.
public struct AuthJSONObject: Hashable, Sendable {
    private var members: [ExternalName: AuthJSON] = [:]

    /// An empty object.
    public init() {}

    /// Creates an object. Names equal for `String` have already collapsed.
    public init(_ members: [String: AuthJSON]) {
        self.members.reserveCapacity(members.count)
        for (name, value) in members { self.members[ExternalName(trusted: name)] = value }
    }

    /// The member; setting nil removes it.
    public subscript(name: String) -> AuthJSON? {
        get { members[ExternalName(trusted: name)] }
        set { members[ExternalName(trusted: name)] = newValue }
    }

    package subscript(name: ExternalName) -> AuthJSON? { members[name] }

    /// The number of members.
    public var count: Int { members.count }
    /// Whether the object has no members.
    public var isEmpty: Bool { members.isEmpty }
    /// The names in no particular order.
    public var keys: some Collection<String> { members.keys.lazy.map(\.text) }
    /// The values in no particular order.
    public var values: some Collection<AuthJSON> { members.values }

    /// Sets a member, and returns the previous value.
    @discardableResult
    package mutating func updateValue(_ value: AuthJSON, forKey name: ExternalName) -> AuthJSON? {
        members.updateValue(value, forKey: name)
    }

    /// Removes a member, and returns its value.
    @discardableResult
    public mutating func removeValue(forKey name: String) -> AuthJSON? {
        members.removeValue(forKey: ExternalName(trusted: name))
    }

    /// Merges another object's members into this one.
    ///
    /// - Parameter combine: Chooses between two values, this object's first. If it throws, earlier members stay merged.
    public mutating func merge(
        _ other: some Sequence<Element>, uniquingKeysWith combine: (AuthJSON, AuthJSON) throws -> AuthJSON
    ) rethrows {
        for (name, value) in other { self[name] = try self[name].map { try combine($0, value) } ?? value }
    }

    /// Returns this object merged with another's members; see ``merge(_:uniquingKeysWith:)``.
    public func merging(
        _ other: some Sequence<Element>, uniquingKeysWith combine: (AuthJSON, AuthJSON) throws -> AuthJSON
    ) rethrows -> AuthJSONObject {
        var both = self
        try both.merge(other, uniquingKeysWith: combine)
        return both
    }

    /// The members that satisfy the predicate.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> AuthJSONObject {
        var kept = AuthJSONObject()
        kept.members = try members.filter { try isIncluded(($0.key.text, $0.value)) }
        return kept
    }

    /// As Supabase Auth merges metadata: null deletes the key.
    package mutating func merge(deletingNulls changes: AuthJSONObject) {
        for (name, value) in changes.members { members[name] = value.isNull ? nil : value }
    }

    var sorted: [(key: ExternalName, value: AuthJSON)] { members.sorted { $0.key < $1.key } }
}

extension AuthJSONObject: Sequence {
    /// A name and value.
    public typealias Element = (key: String, value: AuthJSON)

    /// An iterator over the members.
    public struct Iterator: IteratorProtocol {
        fileprivate var members: [ExternalName: AuthJSON].Iterator

        /// The next member.
        public mutating func next() -> Element? { members.next().map { ($0.key.text, $0.value) } }
    }

    /// Iterates in no particular order.
    public func makeIterator() -> Iterator { Iterator(members: members.makeIterator()) }
}

extension AuthJSONObject: ExpressibleByDictionaryLiteral {
    /// The last of duplicate names wins.
    public init(dictionaryLiteral elements: (String, AuthJSON)...) {
        for (name, value) in elements { self[name] = value }
    }
}
