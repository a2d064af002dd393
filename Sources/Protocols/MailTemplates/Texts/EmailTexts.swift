import CEmbedded
import GatehouseWire

extension TextCatalogue {
    /// `Emails.xcstrings`: built-in emails, text messages and the page that a link opens. Loaded on first use.
    ///
    /// Placeholders: `{app}`, `{email}`, `{sendingTo}`, `{newEmail}`, `{oldEmail}`, `{provider}`, `{client}`,
    /// `{factor}`, `{removalTime}` and `{lifetime}`; in text messages `{app}` and `{code}`. The button and a second paragraph are optional.
    package static let mailed: TextCatalogue = {
        let file = gatehouse_email_texts()
        do { return try TextCatalogue(Array(UnsafeBufferPointer(start: file.bytes, count: file.count))) } catch {
            preconditionFailure("The email texts of this package cannot be read: \(error)")
        }
    }()
}

extension String {
    /// Replaces each `{name}` once; placeholders in values remain.
    package func filled(_ value: (String) -> String) -> String {
        var filled = ""
        var rest = self[...]
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            filled += rest[..<start]
            filled += value(String(rest[rest.index(after: start)..<end]))
            rest = rest[rest.index(after: end)...]
        }
        return filled + rest
    }
}
