import CEmbedded
import GatehouseWire

/// The texts of the built-in emails, by key and language: `Texts/emails.json`.
///
/// `{app}`, `{email}`, `{sendingTo}`, `{newEmail}`, `{oldEmail}`, `{provider}`, `{factor}`, `{removalTime}` and `{lifetime}`
/// stand for values.
struct EmailTexts: Sendable {
    /// Read at the first email.
    static let builtIn = EmailTexts()

    let texts: [String: [MailLanguage: String]]

    private init() {
        let file = gatehouse_email_texts()
        let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
        var keys: JSONObject?
        do { keys = try JSONReader.read(bytes).objectValue } catch {
            preconditionFailure("The email texts of this package cannot be read: \(error)")
        }
        var texts: [String: [MailLanguage: String]] = [:]
        for (key, languages) in keys ?? [:] {
            for (tag, text) in languages.objectValue ?? [:] {
                if let language = MailLanguage(rawValue: tag) { texts[key, default: [:]][language] = text.stringValue }
            }
        }
        self.texts = texts
    }

    /// - Returns: nil if there is no such text: not every kind has a button, or a second paragraph.
    func text(_ key: String, in language: MailLanguage) -> String? { texts[key]?[language] }
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
