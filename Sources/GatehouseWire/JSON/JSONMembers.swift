/// The members of a request's JSON object, read as the Auth API reads them: a null counts as absent, names
/// match without regard to case when no exact one is there, unknown members are ignored.
package struct JSONMembers: Sendable {
    private let members: JSONObject
    /// By the lower case of the name, those that have another spelling: of several the first in order, so that equal
    /// requests have equal answers.
    private let inexact: [ExternalName: (name: String, value: AnyJSON)]

    /// - Throws: ``JSONProblem`` when the bytes are not one JSON object.
    package init(_ bytes: [UInt8]) throws(JSONProblem) {
        guard let members = try JSONReader.read(bytes).objectValue else {
            throw .malformed("expected an object")
        }
        self.init(members)
    }

    package init(_ members: JSONObject) {
        self.members = members
        var inexact: [ExternalName: (name: String, value: AnyJSON)] = [:]
        for name in members.keys where name.utf8.contains(where: { (0x41...0x5A).contains($0) || $0 >= 0x80 }) {
            let key = ExternalName(trusted: name.lowercased())
            if let other = inexact[key], other.name < name { continue }
            inexact[key] = members[name].map { (name, $0) }
        }
        self.inexact = inexact
    }

    package subscript(name: String) -> AnyJSON? {
        let value = members[name] ?? inexact[ExternalName(trusted: name)]?.value
        return value?.isNull == true ? nil : value
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

    package func object(_ name: String) throws(JSONProblem) -> JSONObject? {
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
