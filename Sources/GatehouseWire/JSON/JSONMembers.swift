/// The members of a request's JSON object, read as the Auth API reads them: a null counts as absent, names
/// match without regard to case when no exact one is there, unknown members are ignored.
package struct JSONMembers: Sendable {
    private let members: [String: AnyJSON]

    /// - Throws: ``JSONProblem`` when the bytes are not one JSON object.
    package init(_ bytes: [UInt8]) throws(JSONProblem) {
        guard let members = try JSONReader.read(bytes).objectValue else {
            throw .malformed("expected an object")
        }
        self.members = members
    }

    package init(_ members: [String: AnyJSON]) { self.members = members }

    package subscript(name: String) -> AnyJSON? {
        // Of several inexact names the first in order, so that equal requests have equal answers.
        let value = members[name] ?? members.lazy.filter { $0.key.lowercased() == name }.min { $0.key < $1.key }?.value
        return value == .null ? nil : value
    }

    /// Whether the member was sent at all, a null included.
    package func mentions(_ name: String) -> Bool { members[name] != nil }
    package var names: some Collection<String> { members.keys }

    package func string(_ name: String) throws(JSONProblem) -> String? {
        try typed(name, "string", \.stringValue)
    }

    package func bool(_ name: String) throws(JSONProblem) -> Bool? {
        try typed(name, "bool", \.boolValue)
    }

    package func object(_ name: String) throws(JSONProblem) -> [String: AnyJSON]? {
        try typed(name, "object", \.objectValue)
    }

    /// Text that goes straight into ``Secret``.
    package func secret(_ name: String) throws(JSONProblem) -> Secret? {
        try string(name).map(Secret.init)
    }

    private func typed<Value>(
        _ name: String, _ expected: String, _ read: (AnyJSON) -> Value?
    ) throws(JSONProblem) -> Value? {
        guard let value = self[name] else { return nil }
        guard let typed = read(value) else { throw .wrongType(member: name, expected: expected) }
        return typed
    }
}
