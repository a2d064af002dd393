import GatehouseWire
import Testing

@Suite("Form-encoded text")
struct FormTextTests {
    @Test(
        "Escaped text reads back as itself",
        arguments: [
            ("", ""), ("a b", "a+b"), ("a+b", "a%2Bb"), ("-._~Az09", "-._~Az09"), ("&=%", "%26%3D%25"),
            ("ü€", "%C3%BC%E2%82%AC"), ("\n\u{0}", "%0A%00"),
            ("https://a.example/?x=1", "https%3A%2F%2Fa.example%2F%3Fx%3D1"),
        ])
    func roundTrip(_ text: String, _ escaped: String) {
        #expect(FormText.escape(text) == escaped)
        #expect(FormText.read(Array(escaped.utf8)) == text)
        #expect(FormText.readLeniently(escaped[...].utf8) == text)
    }

    @Test(
        "Broken escapes and invalid UTF-8 are refused, or kept where refusal is impossible",
        arguments: [
            ("%", "%"), ("%4", "%4"), ("%zz+", "%zz "), ("a%C3", "a\u{FFFD}"), ("%E2%82x", "\u{FFFD}x"),
        ])
    func broken(_ text: String, _ lenient: String) {
        #expect(FormText.read(Array(text.utf8)) == nil)
        #expect(FormText.readLeniently(text[...].utf8) == lenient)
    }

    @Test("Hexadecimal digits in either case are read")
    func digits() { #expect(FormText.read(Array("%c3%BC".utf8)) == "ü") }
}
