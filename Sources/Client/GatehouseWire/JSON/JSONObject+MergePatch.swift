extension AuthJSONObject {
    /// Applies a JSON Merge Patch ([RFC 7396](https://www.rfc-editor.org/rfc/rfc7396)): null removes a member, objects
    /// merge, other values replace.
    ///
    /// ```swift
    /// var data: AuthJSONObject = ["mood": "calm", "goals": ["steps": 8_000]]
    /// data.apply(mergePatch: ["mood": .null, "goals": ["sleep": 8]])
    /// // {"goals":{"sleep":8,"steps":8000}}
    /// ```
    public mutating func apply(mergePatch patch: AuthJSONObject) {
        for (name, value) in patch {
            switch value {
            case .null: self[name] = nil
            case .object(let changes):
                var member = removeValue(forKey: name)?.objectValue ?? [:]
                member.apply(mergePatch: changes)
                self[name] = .object(member)
            case .bool, .integer, .double, .string, .array: self[name] = value
            }
        }
    }
}
