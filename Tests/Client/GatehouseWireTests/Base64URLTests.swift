import GatehouseWire
import Testing

@Suite("Base64url")
struct Base64URLTests {
    @Test(
        "The values of RFC 4648 §10 convert both ways, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(_ plain: String, _ text: String) {
        #expect(Base64URL.text(Array(plain.utf8)) == text)
        #expect(Base64URL.decode(text) == Array(plain.utf8))
        #expect(Base64URL.encodedCount(plain.utf8.count) == text.utf8.count)
    }

    @Test("Every byte survives, at every length")
    func everyByte() {
        for count in 0...260 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
            #expect(Base64URL.decode(Base64URL.text(bytes)) == bytes)
        }
        #expect(Base64URL.text([0xFB, 0xEF, 0xFF]) == "--__")
    }

    @Test(
        "Padding, other alphabets, blanks, impossible lengths and stray bits are refused",
        arguments: [
            "Zg==", "Zg=", "Zm9v=", "+/+/", "Zm 9", "Zm9v\n", "Z", "Zm9vY", "Zm9v.", "Zmé", "\u{0}\u{0}",
            // The bits after the last byte are not zero.
            "Zh", "Zv", "Zm9", "Zm-", "Zm9vYh",
        ])
    func refused(_ text: String) { #expect(Base64URL.decode(text) == nil) }

    @Test("Every last character has exactly one reading")
    func trailingBits() {
        let symbols = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        #expect(symbols.filter { Base64URL.decode("A\($0)") != nil } == ["A", "Q", "g", "w"])
        #expect(symbols.filter { Base64URL.decode("AA\($0)") != nil }.count == 16)
    }
}
