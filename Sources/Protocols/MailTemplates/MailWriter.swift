import Mustache

/// Lines end with LF.
package struct RenderedMail: Equatable, Sendable {
    /// At most 900 bytes, without control characters.
    package let subject: String
    package let text: String
    package let html: String

    package init(subject: String, text: String, html: String) {
        (self.subject, self.text, self.html) = (subject, text, html)
    }
}

/// Built-in emails in ten languages, or an operator's. The work is linear in template and values, which are bounded.
package struct MailWriter: Sendable {
    private let replaced: [TemplatePlace: OperatorTemplate]

    /// - Throws: ``MailTemplateProblems`` with every fault of every template, and its line.
    package init(_ overrides: MailOverrides = MailOverrides()) throws(MailTemplateProblems) {
        let reader = OverrideReader(overrides)
        guard reader.problems.isEmpty else { throw MailTemplateProblems(problems: reader.problems) }
        replaced = reader.templates
    }

    /// - Throws: ``MailRenderingError`` for a missing value or a URL that is too long.
    package func render(
        _ kind: MailTemplateKind, language: MailLanguage, values: MailValues
    ) throws(MailRenderingError) -> RenderedMail {
        try values.check(for: kind)
        let scope = MailScope(values: values, language: language)
        let (builtIn, layout) = (BuiltInMail(kind, language, values), MailLayout.builtIn)
        let (html, text) = (template(kind, language, .html), template(kind, language, .text))
        let shownHTML = html?.render(scope) ?? layout.html(builtIn)
        let subject = template(kind, language, .subject)?.render(scope) ?? builtIn.wording.subject
        return RenderedMail(
            subject: MailText(subject: subject).description,
            text: text?.render(scope) ?? (html == nil ? layout.text(builtIn) : PlainText.text(of: shownHTML)),
            html: shownHTML)
    }

    private func template(
        _ kind: MailTemplateKind, _ language: MailLanguage, _ format: OperatorTemplate.Format
    ) -> OperatorTemplate? {
        replaced[TemplatePlace(kind.templateName, language, format)]
            ?? replaced[TemplatePlace(kind.templateName, nil, format)]
    }
}
