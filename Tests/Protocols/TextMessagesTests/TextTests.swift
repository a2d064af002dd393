import GatehouseWire
import MailTemplates
import Testing
import TextMessages

@Suite("Texts with a code")
struct TextTests {
    private static func text(
        app: String = "Box Score", domain: String? = "example.com", _ template: String? = nil,
        in language: MailLanguage = .english
    ) throws -> String {
        let writer = TextWriter(app: app, domain: domain, template: try template.map { try TextTemplate($0) })
        return writer.text(Secret("123456"), in: language).reveal()
    }

    @Test("The last line binds the code to the domain")
    func domain() throws {
        #expect(
            try Self.text() == "123456 is your code for Box Score. Don't share it.\n@example.com #123456")
        #expect(try Self.text(domain: nil) == "123456 is your code for Box Score. Don't share it.")
    }

    @Test("Every language has its text, with code and app", arguments: MailLanguage.allCases)
    func languages(language: MailLanguage) throws {
        let text = try Self.text(domain: nil, in: language)
        #expect(text.contains("123456") && text.contains("Box Score") && !text.contains("{"))
        let english = try Self.text(domain: nil)
        #expect(language == .english || text != english)
    }

    @Test("Texts in GSM's alphabet are one part, even with long names; the others are at most two")
    func length() throws {
        let short: [MailLanguage] = [.english, .german, .french, .italian]
        for language in MailLanguage.allCases {
            let isShort = short.contains(language)
            let usual = TextSegments(of: try Self.text(in: language))
            #expect(usual.count <= (isShort ? 1 : 2), "\(language)")
            #expect((usual.alphabet == .gsm7) == isShort, "\(language)")
            #expect(TextSegments(of: try Self.text(domain: nil, in: language)).count == 1, "\(language)")
            guard isShort else { continue }
            let long = try Self.text(
                app: String(repeating: "x", count: 200), domain: "accounts.a-rather-long-name.example.com",
                in: language)
            #expect(TextSegments(of: long).count == 1, "\(language)")
        }
    }

    @Test("An app's name that looks like a placeholder stays as it is")
    func name() throws {
        #expect(try Self.text(app: "{code}", domain: nil) == "123456 is your code for {code}. Don't share it.")
    }

    @Test(
        "An operator's text replaces the built-in one in every language",
        arguments: [
            ("Your code is {{ .Code }}", "Your code is 123456\n@example.com #123456"),
            ("{{.Code}} {{Code}}{{  .Code  }}", "123456 123456123456\n@example.com #123456"),
            ("Code: {{ .Code }}\n@other.example #{{ .Code }}", "Code: 123456\n@other.example #123456"),
            ("} {{ .Code }} {", "} 123456 {\n@example.com #123456"),
        ])
    func template(source: String, text: String) throws {
        #expect(try Self.text(source) == text)
        #expect(try Self.text(source, in: .japanese) == text)
    }

    @Test(
        "A template that cannot be used is refused",
        arguments: [
            ("", TextTemplateFault.withoutCode), ("Hello", .withoutCode), ("{{ .Code", .notClosed),
            ("{{ .Code }} {{", .notClosed), ("{{ .Token }}", .notCode), ("{{ .Code | print }}", .notCode),
            ("{{}}", .notCode), ("{{{ .Code }}}", .notCode), ("\u{202E}{{ .Code }}", .control),
            ("\t{{ .Code }}", .control), (String(repeating: "x", count: 1_000) + "{{ .Code }}", .tooLong),
        ])
    func faults(source: String, fault: TextTemplateFault) {
        #expect(throws: fault) { try TextTemplate(source) }
        #expect(!"\(fault)".contains("\n"))
    }

    @Test(
        "Parts are counted as networks bill them",
        arguments: [
            ("", TextSegments.Alphabet.gsm7, 1), (String(repeating: "a", count: 160), .gsm7, 1),
            (String(repeating: "a", count: 161), .gsm7, 2), (String(repeating: "a", count: 306), .gsm7, 2),
            (String(repeating: "a", count: 307), .gsm7, 3), (String(repeating: "€", count: 80), .gsm7, 1),
            (String(repeating: "€", count: 81), .gsm7, 2),
            // A part has room for 76 of them, not for 76.5.
            (String(repeating: "€", count: 152), .gsm7, 2), (String(repeating: "€", count: 153), .gsm7, 3),
            ("äöüßéèùìòñÑ¿¡[]{}~^|\\€\n@£$", .gsm7, 1), ("ç", .ucs2, 1), ("’", .ucs2, 1), ("`", .ucs2, 1),
            (String(repeating: "あ", count: 70), .ucs2, 1), (String(repeating: "あ", count: 71), .ucs2, 2),
            (String(repeating: "あ", count: 134), .ucs2, 2), (String(repeating: "あ", count: 135), .ucs2, 3),
            (String(repeating: "😀", count: 35), .ucs2, 1), (String(repeating: "😀", count: 36), .ucs2, 2),
            (String(repeating: "😀", count: 67), .ucs2, 3),
        ])
    func segments(text: String, alphabet: TextSegments.Alphabet, count: Int) {
        let segments = TextSegments(of: text)
        #expect(segments.alphabet == alphabet && segments.count == count)
    }
}
