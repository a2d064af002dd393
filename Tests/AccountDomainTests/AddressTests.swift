import AccountDomain
import Testing

@Suite("Addresses")
struct AddressTests {
    private static let label63 = String(repeating: "d", count: 63)

    @Test(
        "A valid e-mail address is accepted and lowercased",
        arguments: [
            ("ada@example.com", "ada@example.com"), ("ADA@Example.COM", "ada@example.com"),
            ("a.b+c1234@example.com", "a.b+c1234@example.com"), ("a@b", "a@b"), ("a@localhost", "a@localhost"),
            ("a@1.2", "a@1.2"), ("a@x-y.z--w", "a@x-y.z--w"), (".@example.com", ".@example.com"),
            ("a..b.@example.com", "a..b.@example.com"),
            (".!#$%&'*+/=?^_`{|}~-@example.com", ".!#$%&'*+/=?^_`{|}~-@example.com"),
            ("a@\(label63).\(label63)", "a@\(label63).\(label63)"),
            (String(repeating: "a", count: 243) + "@example.com", String(repeating: "a", count: 243) + "@example.com"),
        ])
    func emailAccepted(_ text: String, _ expected: String) {
        #expect(EmailAddress(text)?.text == expected)
    }

    @Test(
        "Every other e-mail address is refused, the recorded ones first",
        arguments: [
            "nobody", " a@example.com", "@example.com", "a@example.com.", "ä@example.com",
            String(repeating: "a", count: 244) + "@example.com", "a@-example.com",
            "", "@", "a@", "a@@b", "a@b@c", "a@b c", "a@b ", "a b@c", "a@.b", "a@b..c", "a@b.", "a@.", "a@b-",
            "a@b-.c", "a@b.-c", "a@-", "a@b_c", "a@[127.0.0.1]", "a@ex\u{E4}mple.com", "\"a\"@b", "a,b@c", "a;b@c",
            "a:b@c", "a<b@c", "(a)@b", "a\\b@c", "a@b\n", "a\n@b", "a@b\u{0}", "a\u{0}@b", "Ada <a@b>", "a@b,c@d",
            "a@\(label63)d.com", "k\u{212A}@example.com", "a@example\u{3002}com", "a\u{301}@b",
        ])
    func emailRefused(_ text: String) {
        #expect(EmailAddress(text) == nil)
    }

    @Test(
        "A phone number loses its plus sign and spaces",
        arguments: [
            ("+4915112345678", "4915112345678"), ("4915112345678", "4915112345678"), ("+49 151 1234", "491511234"),
            (" 49 ", "49"), ("12", "12"), ("123456789012345", "123456789012345"), ("+1 2", "12"),
        ])
    func phoneAccepted(_ text: String, _ expected: String) {
        #expect(PhoneNumber(text)?.text == expected)
    }

    @Test(
        "Every other phone number is refused",
        arguments: [
            "", "+", " ", "1", "+1", "012", "+0123", "0049151", "1234567890123456", "++49", "4+9", "49+", "49-151",
            "(49)151", "49\t151", "49\u{A0}151", "٤٩١٥١", "４９", "49a", "tel:49", "49\n",
        ])
    func phoneRefused(_ text: String) {
        #expect(PhoneNumber(text) == nil)
    }
}
