/// The members of a JSON object in a request, read as Supabase Auth does: null counts as absent, names without an exact
/// match are matched case-insensitively, and unknown members are ignored.
package struct JSONMembers: Sendable {
    private let members: AuthJSONObject
    /// Members whose names are not in lower case, keyed by their lower-case name. Of duplicates the first in sort order
    /// counts, so that equal requests have equal responses.
    private let inexact: [ExternalName: (name: String, value: AuthJSON)]

    /// Parses a request body.
    ///
    /// - Throws: ``JSONProblem/malformed(_:)`` if the bytes are not a JSON object.
    package init(_ bytes: [UInt8]) throws(JSONProblem) {
        guard let members = try JSONReader.read(bytes).objectValue else {
            throw .malformed("expected an object")
        }
        self.init(members)
    }

    /// Reads the members of an object that is already parsed.
    package init(_ members: AuthJSONObject) {
        self.members = members
        var inexact: [ExternalName: (name: String, value: AuthJSON)] = [:]
        for name in members.keys where name.utf8.contains(where: { (0x41...0x5A).contains($0) || $0 >= 0x80 }) {
            let key = ExternalName(trusted: name.lowercased())
            if let other = inexact[key], other.name < name { continue }
            inexact[key] = members[name].map { (name, $0) }
        }
        self.inexact = inexact
    }

    /// The value of a member of any type; nil if absent or null.
    ///
    /// - Parameter name: In lower case.
    package subscript(name: String) -> AuthJSON? {
        let value = members[name] ?? inexact[ExternalName(trusted: name)]?.value
        return value?.isNull == true ? nil : value
    }

    /// Whether the member is present with this exact name, even as null.
    package func mentions(_ name: String) -> Bool { members[name] != nil }
    /// The names as sent, in no particular order.
    package var names: some Collection<String> { members.keys }

    /// A string; nil if absent or null.
    ///
    /// - Throws: ``JSONProblem/wrongType(member:expected:)`` for any other type.
    package func string(_ name: String) throws(JSONProblem) -> String? {
        try typed(name, "string", \.stringValue)
    }

    /// A boolean; nil if absent or null.
    ///
    /// - Throws: As ``string(_:)``.
    package func bool(_ name: String) throws(JSONProblem) -> Bool? {
        try typed(name, "bool", \.boolValue)
    }

    /// An object; nil if absent or null.
    ///
    /// - Throws: As ``string(_:)``.
    package func object(_ name: String) throws(JSONProblem) -> AuthJSONObject? {
        try typed(name, "object", \.objectValue)
    }

    /// A string, wrapped immediately; nil if absent or null.
    ///
    /// - Throws: As ``string(_:)``.
    package func secret(_ name: String) throws(JSONProblem) -> Secret? {
        try string(name).map(Secret.init)
    }

    private func typed<Value>(
        _ name: String, _ expected: String, _ read: (AuthJSON) -> Value?
    ) throws(JSONProblem) -> Value? {
        guard let value = self[name] else { return nil }
        guard let typed = read(value) else { throw .wrongType(member: name, expected: expected) }
        return typed
    }
}
