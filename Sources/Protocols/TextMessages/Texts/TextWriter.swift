package import GatehouseWire
package import MailTemplates

/// Writes the text with a code.
package struct TextWriter: Sendable {
    /// Of the app's name; in code points.
    private static let longestName = 40

    private let app: String
    private let domain: String?
    private let template: TextTemplate?

    /// - Parameters:
    ///   - domain: The website, or the app's associated domain, for which phones suggest the code
    ///     (https://wicg.github.io/sms-one-time-codes).
    ///   - template: Replaces the built-in texts in every language.
    package init(app: String, domain: String?, template: TextTemplate? = nil) {
        self.app = app.cut(to: Self.longestName)
        (self.domain, self.template) = (domain, template)
    }

    package func text(_ code: Secret, in language: MailLanguage) -> Secret {
        let text = template?.filled(code) ?? builtIn(code, language)
        guard let domain, !Self.endsWithDomain(text) else { return text }
        return Secret("\(text.reveal())\n@\(domain) #\(code.reveal())")
    }

    private func builtIn(_ code: Secret, _ language: MailLanguage) -> Secret {
        let text = TextCatalogue.mailed.text("textMessage.code", in: language) ?? "{code}"
        return Secret(text.filled { $0 == "code" ? code.reveal() : app })
    }

    /// Whether the operator's text has the last line.
    private static func endsWithDomain(_ text: Secret) -> Bool {
        text.reveal().split(ascii: "\n").last?.hasPrefix("@") ?? false
    }
}
