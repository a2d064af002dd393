/// A request's JSON object, read as Supabase Auth does: null is absent, names match exactly or else case-insensitively.
package struct JSONMembers: Sendable {
    private let members: AuthJSONObject
    /// Other members by lower-case name. Of duplicates the first in sort order wins, so that equal requests get equal
    /// responses.
    private let inexact: [ExternalName: (name: String, value: AuthJSON)]

    package init(_ bytes: [UInt8]) throws(JSONProblem) {
        guard let members = try JSONReader.read(bytes).objectValue else {
            throw .malformed("expected an object")
        }
        self.init(members)
    }

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

    /// `name` is in lower case.
    package subscript(name: String) -> AuthJSON? {
        let value = members[name] ?? inexact[ExternalName(trusted: name)]?.value
        return value?.isNull == true ? nil : value
    }

    /// An exact match; null is present.
    package func mentions(_ name: String) -> Bool { members[name] != nil }
    package var names: some Collection<String> { members.keys }

    package func string(_ name: String) throws(JSONProblem) -> String? {
        try typed(name, "string", \.stringValue)
    }

    package func bool(_ name: String) throws(JSONProblem) -> Bool? {
        try typed(name, "bool", \.boolValue)
    }

    package func integer(_ name: String) throws(JSONProblem) -> Int64? {
        try typed(name, "integer", \.intValue)
    }

    package func object(_ name: String) throws(JSONProblem) -> AuthJSONObject? {
        try typed(name, "object", \.objectValue)
    }

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
