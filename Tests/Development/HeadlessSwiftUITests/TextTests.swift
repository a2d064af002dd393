import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("Texts")
struct TextTests {
    private func texts(_ view: some View, _ locale: String) -> [String] {
        Screen(view, settings: Screen.Settings(locale: Locale(identifier: locale))).texts
    }

    @Test(
        "A key is looked up in its bundle, in the reader's language, else in the source's",
        arguments: [
            ("de", "Anmelden"), ("de_AT", "Anmelden"), ("ar", "تسجيل الدخول"), ("en", "Sign In"), ("fr", "Sign In"),
        ])
    func lookup(_ locale: String, _ text: String) {
        #expect(texts(Text("Sign In", bundle: .module), locale) == [text])
    }

    @Test("Without its bundle a key stays a key, as in an app")
    func noBundle() { #expect(texts(Text("Sign In"), "de") == ["Sign In"]) }

    @Test("A verbatim text and a string variable are not looked up")
    func verbatim() {
        let title = "Sign In"
        #expect(
            texts(
                VStack {
                    Text(verbatim: "Sign In")
                    Text(title)
                }, "de") == ["Sign In", "Sign In"])
    }

    @Test("Arguments are at the translation's positions")
    func arguments() {
        let text = Text("\("1") of \("2")", bundle: .module)
        #expect(texts(text, "en") == ["1 of 2"])
        #expect(texts(text, "de") == ["2: 1 (100%)"])
    }

    @Test(
        "Counted nouns have the plural forms of their language",
        arguments: [
            ("en", 1, "1 device"), ("en", 2, "2 devices"), ("de", 1, "1 device"), ("ar", 2, "جهازان"),
            ("ar", 3, "3 أجهزة"), ("ar", 100, "100 جهاز"),
        ])
    func plurals(_ locale: String, _ count: Int, _ text: String) {
        #expect(texts(Text("\(count) devices", bundle: .module), locale) == [text])
    }

    @Test("A value is written for the reader's locale")
    func formats() {
        let text = Text(0.5, format: .percent)
        #expect(texts(text, "en") == ["50%"])
        #expect(texts(text, "de") == ["50\u{a0}%"])
    }

    @Test("Texts can be concatenated, and every title can be a text of a bundle")
    func sums() async throws {
        let sign = Text("Sign In", bundle: .module)
        #expect(texts(sign + Text(verbatim: "!"), "de") == ["Anmelden!"])
        let view = NavigationStack { TextField(text: .constant("")) { sign }.navigationTitle(sign) }
        let screen = Screen(view, settings: Screen.Settings(locale: Locale(identifier: "de")))
        #expect(screen.title == "Anmelden")
        #expect(screen.has(field: "Anmelden"))
    }

    @Test("Arabic is read from right to left")
    func direction() {
        #expect(Screen.Settings(locale: Locale(identifier: "ar")).layoutDirection == .rightToLeft)
        #expect(Screen.Settings(locale: Locale(identifier: "ja")).layoutDirection == .leftToRight)
    }
}
