import Foundation
import GatehouseWire
import Testing

@testable import MailTemplates

@Suite("Built-in mails")
struct BuiltInMailTests {
    private let templates: MailWriter

    init() throws { templates = try MailWriter() }

    @Test("Each has a subject of one line, a text and HTML, with every value that it needs (D11)", arguments: Case.all)
    func complete(_ mail: Case) throws {
        let values = MailValues.sample(mail.kind)
        let rendered = try templates.sample(mail.kind, mail.language)
        for part in [rendered.subject, rendered.text, rendered.html] {
            #expect(!part.isEmpty)
            #expect(!part.contains("{{") && !part.contains("}}") && !part.contains("Optional"))
        }
        #expect(!rendered.subject.contains { $0.isNewline } && rendered.subject.count <= 78)
        #expect(rendered.subject.contains("Example") && rendered.text.contains(values.sendingTo))
        for variable in mail.kind.required {
            let value = try #require(values.text(variable, in: mail.language)).description
            #expect(rendered.text.contains(value))
            #expect(rendered.html.contains(MailText(composed: value).escaped(.html).description))
        }
        #expect(rendered.html.utf8.count < 12_000 && rendered.text.utf8.count < 4_000)
    }

    @Test("HTML names its language and direction, and loads nothing", arguments: Case.all)
    func selfContained(_ mail: Case) throws {
        let html = try templates.sample(mail.kind, mail.language).html
        let direction = mail.language == .arabic ? "rtl" : "ltr"
        #expect(html.contains("<html lang=\"\(mail.language.rawValue)\" dir=\"\(direction)\">"))
        #expect(html.contains("prefers-color-scheme: dark"))
        let tags = structure(of: html)
        for loading in ["<img", "<script", "<link", "<iframe", "src", "background", "<form", "<object"] {
            #expect(!tags.contains(loading))
        }
        #expect(!html.contains("url(") && !html.contains("@import"))
        // What opens is closed.
        for name in ["table", "tr", "td", "p", "h1", "a", "body", "html", "head", "style", "title", "span", "bdi"] {
            #expect(tags.count { $0 == "<" + name } == tags.count { $0 == "/" + name }, "\(name)")
        }
    }

    @Test("Nothing of one language is left in another", arguments: MailTemplateKind.allCases)
    func translated(_ kind: MailTemplateKind) {
        var seen: [String: MailLanguage] = [:]
        for language in MailLanguage.allCases {
            let (wording, words) = language.words(kind, MailNames(.sample(kind), language))
            let sentences =
                [wording.subject, wording.title, wording.warning, words.codeHint, words.linkHint, words.footer]
                + [wording.button, words.lifetime].compactMap(\.self) + wording.paragraphs
                + wording.facts.map(\.name)
            for sentence in sentences {
                #expect(!sentence.isEmpty)
                // Neighbours share words, such as Dispositivo.
                if sentence.contains(" ") {
                    #expect(seen[sentence, default: language] == language, "\(sentence)")
                    seen[sentence] = language
                }
                if language != .english {
                    let words = sentence.lowercased().split { !$0.isLetter }
                    let english = ["the", "your", "you", "not", "and"] + (language == .italian ? [] : ["email"])
                    #expect(words.allSatisfy { !english.contains(String($0)) }, "\(sentence)")
                }
            }
        }
    }

    @Test("Every kind has something to press or to type, or is a notice", arguments: MailTemplateKind.allCases)
    func proof(_ kind: MailTemplateKind) throws {
        let mail = try templates.sample(kind)
        let isProof = kind.required.contains(.token)
        #expect(mail.html.contains("class=\"code\"") == (isProof || kind == .accountExists))
        #expect(kind.isNotice || isProof || kind == .accountExists)
        // A link is a button, and a text to copy.
        let count = mail.html.components(separatedBy: "verify?token=pkce_5f2a&amp;type=signup").count - 1
        #expect(count == (kind.variables.contains(.confirmationURL) ? 3 : 0))
    }

    @Test("A mail without the values that it needs is refused")
    func missing() throws {
        var values = MailValues.sample(.recovery)
        values.token = ""
        #expect(throws: MailRenderingError.missing(.token)) {
            try templates.render(.recovery, language: .english, values: values)
        }
        values = .sample(.recovery)
        values.confirmationURL = "https://api.example.org/" + String(repeating: "a", count: 4_096)
        #expect(throws: MailRenderingError.tooLong(.confirmationURL)) {
            try templates.render(.recovery, language: .english, values: values)
        }
    }

    @Test("The owner of an account gets a link for a new password only if there is one")
    func optionalLink() throws {
        let values = MailValues(appName: "Example", siteURL: "app.example:/", email: "ana@example.org")
        let mail = try templates.render(.accountExists, language: .english, values: values)
        #expect(!mail.text.contains("Set a new password") && mail.text.contains("ask for a new one in the app"))
        #expect(!structure(of: mail.html).contains("<a"))
    }

    @Test("The notice of a connected app has its rights in words and the page that removes it, and links no name")
    func connectedApp() throws {
        var values = MailValues.sample(.appConnected)
        values.clientName = "agent.example"
        let mail = try templates.render(.appConnected, language: .german, values: values)
        #expect(
            mail.text.contains("Deine E-Mail-Adresse sehen · Zugriff behalten, bis du ihn entfernst · Read your notes"))
        #expect(mail.text.contains("https://api.example.org/account/apps") && !mail.subject.contains("agent"))
        #expect(mail.text.contains("agent.\u{2060}example") && !mail.html.contains("agent.example"))
        values.appsURL = nil
        let plain = try templates.render(.appConnected, language: .german, values: values)
        #expect(!plain.html.contains("class=\"button\""))
    }

    @Test("A number's notice shows what changed: both numbers, or the one added or removed")
    func changedNumber() throws {
        for (old, new) in [("15551230001", "491701234567"), (nil, "491701234567"), ("15551230001", nil)] {
            var values = MailValues.sample(.phoneChanged)
            (values.oldPhone, values.phone) = (old, new)
            let text = try templates.render(.phoneChanged, language: .english, values: values).text
            #expect(text.contains("Previous number: +15551230001") == (old != nil))
            #expect(text.contains("New number: +491701234567") == (new != nil))
        }
        var values = MailValues.sample(.factorEnrolled)
        values.factorType = "phone"
        #expect(
            try templates.render(.factorEnrolled, language: .english, values: values).text.contains("a phone number"))
    }

    @Test("Text of strangers changes neither the markup nor the lines of a mail", arguments: MailTemplateKind.allCases)
    func hostile(_ kind: MailTemplateKind) throws {
        let expected = try MailLanguage.allCases.map { language in
            let mail = try templates.render(kind, language: language, values: .all("x", kind))
            return (language, structure(of: mail.html), mail.text.split(separator: "\n").count)
        }
        // A third of the texts for each kind, in every language; another third for the next kind.
        let place = MailTemplateKind.allCases.firstIndex(of: kind) ?? 0
        for (index, text) in HostileTexts().enumerated() where (index + place).isMultiple(of: 3) {
            let (language, markup, lines) = expected[index % expected.count]
            let mail = try templates.render(kind, language: language, values: .all("x" + text, kind))
            #expect(structure(of: mail.html) == markup, "\(text.debugDescription)")
            #expect(mail.text.split(separator: "\n").count == lines)
            for part in [mail.subject, mail.text, mail.html] {
                #expect(!part.unicodeScalars.contains { Self.isForbidden($0) }, "\(text.debugDescription)")
            }
            #expect(!mail.subject.unicodeScalars.contains("\n"))
        }
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "\n" { return false }
        return scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
            || scalar.value == 0x2028
    }

    @Test("A value that is too long is cut, and costs no more than its limit")
    func long() throws {
        let long = String(repeating: "<", count: 1_000_000)
        let mail = try templates.render(.newDevice, language: .arabic, values: .all("x" + long, .newDevice).withSite())
        #expect(mail.html.utf8.count < 64 * 1_024)
    }

    @Test("Times and durations are written in the language of the mail")
    func units() {
        let expected: [MailLanguage: String] = [
            .english: "1 hour", .spanish: "1 hora", .german: "1 Stunde", .japanese: "1 時間",
        ]
        for (language, words) in expected {
            let shown = language.words(for: .seconds(3_600)).replacing(" ", with: "").replacing("\u{A0}", with: "")
            #expect(shown == words.replacing(" ", with: ""))
        }
        #expect(MailLanguage.arabic.words(for: .seconds(3_600)).contains("ساعة"))
        #expect(MailLanguage.english.words(for: .seconds(86_400)) == "24 hours")
        #expect(MailLanguage.english.words(for: .seconds(61)) == "2 minutes")
        for language in MailLanguage.allCases {
            let time = language.words(for: Instant(seconds: 1_770_108_930))
            #expect(time.contains("2026") && time.contains("55") && time.hasSuffix("\u{A0}UTC"), "\(time)")
        }
    }
}

extension MailValues {
    fileprivate func withSite() -> MailValues {
        var values = self
        values.siteURL = "https://app.example.org"
        return values
    }
}
