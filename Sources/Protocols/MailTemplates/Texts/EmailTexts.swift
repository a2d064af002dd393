import CEmbedded
import GatehouseWire

extension TextCatalogue {
    /// The texts of the built-in emails (`Emails.xcstrings`) and of the page of a mailed link. Read at the first of them.
    ///
    /// `{app}`, `{email}`, `{sendingTo}`, `{newEmail}`, `{oldEmail}`, `{provider}`, `{factor}`, `{removalTime}` and
    /// `{lifetime}` are replaced by values. Not every kind of email has a button, or a second paragraph.
    package static let mailed: TextCatalogue = {
        let file = gatehouse_email_texts()
        do { return try TextCatalogue(Array(UnsafeBufferPointer(start: file.bytes, count: file.count))) } catch {
            preconditionFailure("The email texts of this package cannot be read: \(error)")
        }
    }()
}

extension String {
    /// Replaces each `{name}` once. A value that contains another placeholder is not replaced again.
    func filled(_ value: (String) -> String) -> String {
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
