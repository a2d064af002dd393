import GatehouseWire
import Mustache

struct MailScope: MustacheParent {
    let values: MailValues
    let language: MailLanguage

    /// The transform of sections. Mustache does not look into its Bool; otherwise a metadata member `ConfirmationURL`
    /// would hide a section's link.
    static let exists = "exists"

    func child(named name: String) -> Any? {
        switch MailVariable(rawValue: name) {
        case nil: nil
        case .data: MetadataScope(members: values.data)
        case .some(let variable): values.text(variable, in: language)
        }
    }
}

/// Lists and null are shown as nothing.
struct MetadataScope: MustacheParent {
    let members: AuthJSONObject

    func child(named name: String) -> Any? {
        switch members[name] {
        case .object(let members): MetadataScope(members: members)
        case .string(let text) where !text.isEmpty: Self.text(text)
        case .integer(let number): Self.text("\(number)")
        case .double(let number): Self.text("\(number)")
        case .bool(let value): Self.text("\(value)")
        case .string, .array, .null, nil: nil
        }
    }

    private static func text(_ text: String) -> MailText { MailText(text, limit: MailVariable.data.limit) }
}

extension MetadataScope: CustomStringConvertible {
    /// An object is shown as nothing.
    var description: String { "" }
}

extension MetadataScope: MustacheTransformable {
    func transform(_ name: String) -> Any? { name == MailScope.exists ? true : nil }
}

extension MailText: MustacheTransformable {
    /// - Returns: nil for an unknown name: shown as nothing.
    func transform(_ name: String) -> Any? {
        name == MailScope.exists ? true : MailEscape(rawValue: name).map(escaped)
    }
}
