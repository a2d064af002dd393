import GatehouseCLI
import GatehouseWire
import Testing

@Suite("Untrusted text on a terminal")
struct PrintableTextTests {
    @Test(
        "Characters that move the cursor, turn the text around or break the line are replaced",
        arguments: [
            ("a\u{1B}[2Jb", "a?[2Jb", #"a\u001b[2Jb"#), ("a\u{9B}2Jb", "a?2Jb", #"a\u009b2Jb"#),
            ("a\u{85}b\u{7F}", "a?b?", #"a\u0085b\u007f"#),
            ("user\u{202E}gpj.exe", "user?gpj.exe", #"user\u202egpj.exe"#),
            ("\u{2066}a\u{2069}\u{61C}\u{200E}\u{200F}", "?a????", #"\u2066a\u2069\u061c\u200e\u200f"#),
            ("a\u{2028}b\u{2029}", "a?b?", #"a\u2028b\u2029"#), ("a\r\nb\tc", "a??b?c", #"a\u000d\u000ab\u0009c"#),
            ("Zoë 😀 👩‍👩‍👧 مرحبا", "Zoë 😀 👩‍👩‍👧 مرحبا", "Zoë 😀 👩‍👩‍👧 مرحبا"), ("", "", ""),
        ])
    func replaced(_ text: String, _ printable: String, _ escaped: String) {
        #expect(text.printable == printable)
        #expect(text.escaped == escaped)
    }

    @Test("JSON keeps the text, escaped")
    func json() throws {
        let value = AuthJSON.object(["na\u{202E}me": .string("a\u{9B}\u{202E}\\\"\u{1}b")])
        #expect(value.text.escaped != value.text)
        #expect(try JSONReader.read(value.text.escaped) == value)
    }
}
