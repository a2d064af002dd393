/// The members of a JSON object (RFC 8259 §4), without order.
///
/// Names are compared byte by byte: `é` as one scalar and `é` as two are two names, as in other readers.
public struct JSONObject: Hashable, Sendable {
    private var members: [ExternalName: AnyJSON] = [:]

    /// No members.
    public init() {}

    /// - Parameter members: Of names that differ in their bytes and are equal for `String`, the dictionary holds one.
    public init(_ members: [String: AnyJSON]) {
        self.members.reserveCapacity(members.count)
        for (name, value) in members { self.members[ExternalName(trusted: name)] = value }
    }

    /// The member of this name; nil when there is none. Setting nil removes it.
    public subscript(name: String) -> AnyJSON? {
        get { members[ExternalName(trusted: name)] }
        set { members[ExternalName(trusted: name)] = newValue }
    }

    package subscript(name: ExternalName) -> AnyJSON? { members[name] }

    /// How many members there are.
    public var count: Int { members.count }
    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }
    /// The names, without order.
    public var keys: some Collection<String> { members.keys.lazy.map(\.text) }
    /// The values, without order.
    public var values: some Collection<AnyJSON> { members.values }

    /// - Returns: The value that the name had before.
    @discardableResult
    package mutating func updateValue(_ value: AnyJSON, forKey name: ExternalName) -> AnyJSON? {
        members.updateValue(value, forKey: name)
    }

    /// - Returns: The value that the name had; nil when there was none.
    @discardableResult
    public mutating func removeValue(forKey name: String) -> AnyJSON? {
        members.removeValue(forKey: ExternalName(trusted: name))
    }

    /// Adds members.
    ///
    /// - Parameter combine: Which of two values of one name counts: this one's, or the other's.
    public mutating func merge(
        _ other: some Sequence<Element>, uniquingKeysWith combine: (AnyJSON, AnyJSON) throws -> AnyJSON
    ) rethrows {
        for (name, value) in other { self[name] = try self[name].map { try combine($0, value) } ?? value }
    }

    /// These members and others.
    ///
    /// - Parameter combine: Which of two values of one name counts: this one's, or the other's.
    public func merging(
        _ other: some Sequence<Element>, uniquingKeysWith combine: (AnyJSON, AnyJSON) throws -> AnyJSON
    ) rethrows -> JSONObject {
        var both = self
        try both.merge(other, uniquingKeysWith: combine)
        return both
    }

    /// The members for which the predicate holds.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> JSONObject {
        var kept = JSONObject()
        kept.members = try members.filter { try isIncluded(($0.key.text, $0.value)) }
        return kept
    }

    /// Merges the top level, as the Auth API does with metadata: a null deletes the key.
    package mutating func merge(deletingNulls changes: JSONObject) {
        for (name, value) in changes.members { members[name] = value.isNull ? nil : value }
    }

    /// In the order of the names' bytes.
    var sorted: [(key: ExternalName, value: AnyJSON)] { members.sorted { $0.key < $1.key } }
}

extension JSONObject: Sequence {
    /// A member and its name.
    public typealias Element = (key: String, value: AnyJSON)

    /// Steps through the members.
    public struct Iterator: IteratorProtocol {
        fileprivate var members: [ExternalName: AnyJSON].Iterator

        /// The next member; nil after the last.
        public mutating func next() -> Element? { members.next().map { ($0.key.text, $0.value) } }
    }

    /// The members, without order.
    public func makeIterator() -> Iterator { Iterator(members: members.makeIterator()) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Of two members with one name the last counts.
    public init(dictionaryLiteral elements: (String, AnyJSON)...) {
        for (name, value) in elements { self[name] = value }
    }
}
