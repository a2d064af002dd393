import MailTemplates
import Testing

@Suite("The language of a mail")
struct MailLanguageTests {
    @Test(
        "It is the best that the client prefers (RFC 9110 §12.5.4)",
        arguments: [
            ("de", .german), ("de-AT", .german), ("DE_at", .german), ("ar-EG", .arabic), ("ja", .japanese),
            ("es-419,es;q=0.9,en;q=0.8", .spanish), ("da-DK, da;q=0.9, de;q=0.5, en;q=0.4", .german),
            ("en;q=0.3, ja;q=0.9", .japanese), ("de;q=0, es;q=0.1", .spanish), ("en, de", .english),
            ("de, en", .german),
            (" es ; q=1.0", .spanish), ("zh-Hant-HK, ar;q=0.001", .arabic), ("zh-TW, ko", .korean), ("zh", .chinese),
            ("zh-Hans-CN, ar", .chinese), ("zh_CN", .chinese), ("pt", .portuguese), ("pt-PT", .portuguese),
            ("fr-CA", .french),
            ("it-CH", .italian), ("de;level=1;q=0.2, ja;q=0.3", .japanese),
        ] as [(String, MailLanguage)])
    func preferred(_ text: String, _ language: MailLanguage) {
        #expect(MailLanguage.preferred(text) == language)
        #expect(MailLanguage.matching(text) == language)
    }

    @Test(
        "Without a match it is English, and nothing malformed gets further",
        arguments: [
            nil, "", "da", "zh-Hant", "*", "*;q=0.5", "de;q=2", "de;q=x", "de;q=0.00000001", ";;;,,,", "d e", "deutsch",
            "q=1",
            "\u{0}de",
        ])
    func fallback(_ text: String?) {
        #expect(MailLanguage.matching(text) == nil)
        #expect(MailLanguage.preferred(text) == .english)
    }

    @Test("Only the beginning of a long header is read")
    func bounded() {
        #expect(MailLanguage.matching(String(repeating: "da,", count: 400) + "de") == nil)
        #expect(MailLanguage.matching(String(repeating: "da,", count: 31) + "de") == .german)
        #expect(MailLanguage.matching(String(repeating: "da,", count: 32) + "de") == nil)
        #expect(MailLanguage.matching(String(repeating: " ", count: 2_000) + "de") == nil)
    }
}
