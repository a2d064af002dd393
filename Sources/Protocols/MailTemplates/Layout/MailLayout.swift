import Mustache

/// Shared by all built-in emails.
struct MailLayout: Sendable {
    /// Lazy: parsing takes a sixteenth of the start.
    static let builtIn = MailLayout()

    private let htmlTemplate = template(PackageResources.mail_html)
    private let textTemplate = template(PackageResources.mail_txt)

    private static func template(_ bytes: [UInt8]) -> MustacheTemplate {
        do {
            return try MustacheTemplate(string: String(decoding: bytes, as: UTF8.self))
        } catch {
            preconditionFailure("A layout of this package cannot be parsed: \(error)")
        }
    }

    func html(_ mail: BuiltInMail) -> String { htmlTemplate.render(mail.shown) }
    func text(_ mail: BuiltInMail) -> String { textTemplate.render(mail.shown) }
}

struct BuiltInMail {
    let wording: Wording
    private let language: MailLanguage
    private let words: MailWords
    private let isNotice: Bool
    private let appName: String
    private let url: MailText?
    private let code: MailText?
    private let siteURL: MailText?

    init(_ kind: MailTemplateKind, _ language: MailLanguage, _ values: MailValues) {
        let people = MailNames(values, language)
        self.language = language
        (wording, words) = language.words(kind, people)
        isNotice = kind.isNotice
        appName = people.plainApp
        let link: MailVariable? =
            [.confirmationURL, .appsURL, .reportURL].first { kind.variables.contains($0) }
        url = link.flatMap { values.text($0, in: language) }
        code = kind.variables.contains(.token) ? values.text(.token, in: language) : nil
        let isWeb = values.siteURL.hasPrefix("https://") || values.siteURL.hasPrefix("http://")
        siteURL = isWeb ? values.text(.siteURL, in: language) : nil
    }

    var shown: [String: Any] {
        var shown: [String: Any] = [
            "lang": language.rawValue, "dir": language.isRightToLeft ? "rtl" : "ltr",
            "start": language.isRightToLeft ? "right" : "left",
            "app": Self.text(appName), "title": Self.text(wording.title),
            "paragraphs": wording.paragraphs.map(Self.text),
            "hasFacts": !wording.facts.isEmpty,
            "facts": wording.facts.map { ["name": Self.text($0.name), "value": Self.text($0.value)] },
            "isNotice": isNotice, "warning": Self.text(wording.warning), "footer": Self.text(words.footer),
        ]
        if let url, let button = wording.button {
            shown["link"] = [
                "url": url, "button": Self.text(button), "linkHint": Self.text(words.linkHint),
            ]
        }
        if let code {
            shown["code"] =
                shown["link"] == nil ? ["digits": code] : ["digits": code, "hint": Self.text(words.codeHint)]
        }
        if (url ?? code) != nil, let lifetime = words.lifetime { shown["lifetime"] = Self.text(lifetime) }
        shown["site"] = siteURL
        return shown
    }

    /// The values inside are bounded and clean. The marks that isolate them must stay.
    private static func text(_ text: String) -> MailText { MailText(composed: text) }
}
