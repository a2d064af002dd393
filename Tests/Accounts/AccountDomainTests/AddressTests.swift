import AccountDomain
import GatehouseWire
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
            (String(repeating: "a", count: 242) + "@example.com", String(repeating: "a", count: 242) + "@example.com"),
            ("Info@m\u{FC}nchen.example", "info@xn--mnchen-3ya.example"),
            ("info@MU\u{308}NCHEN.example", "info@xn--mnchen-3ya.example"),
            ("info@xn--mnchen-3ya.example", "info@xn--mnchen-3ya.example"),
            ("a@fa\u{DF}.de", "a@xn--fa-hia.de"),
            ("a@\u{4F8B}\u{3048}.\u{30C6}\u{30B9}\u{30C8}", "a@xn--r8jz45g.xn--zckzah"),
            ("a@example\u{3002}com", "a@example.com"), ("a@\u{FF45}xample.com", "a@example.com"),
            ("a@\u{212A}ey.com", "a@key.com"), ("a@ex\u{AD}ample.com", "a@example.com"),
            ("a@\u{43F}aypal.com", "a@xn--aypal-oye.com"),
        ])
    func emailAccepted(_ text: String, _ expected: String) {
        #expect(EmailAddress(text)?.text == expected)
    }

    @Test(
        "Every other e-mail address is refused, the recorded ones first",
        arguments: [
            "nobody", " a@example.com", "@example.com", "a@example.com.", "ä@example.com",
            String(repeating: "a", count: 244) + "@example.com", "a@-example.com",
            String(repeating: "a", count: 243) + "@example.com",
            "", "@", "a@", "a@@b", "a@b@c", "a@b c", "a@b ", "a b@c", "a@.b", "a@b..c", "a@b.", "a@.", "a@b-",
            "a@b-.c", "a@b.-c", "a@-", "a@b_c", "a@[127.0.0.1]", "\"a\"@b", "a,b@c", "a;b@c",
            "a:b@c", "a<b@c", "(a)@b", "a\\b@c", "a@b\n", "a\n@b", "a@b\u{0}", "a\u{0}@b", "Ada <a@b>", "a@b,c@d",
            "a@\(label63)d.com", "k\u{212A}@example.com", "a\u{301}@b",
            "a@\u{FC}.", "a@.\u{FC}", "a@-\u{FC}.example", "a@\u{FC}_a.example", "a@\u{FC} b.example", "a@\u{FC}/b",
            "a@\u{FC}%41", "a@\u{FC}:25", "a@[\u{FC}]", "a@b@\u{FC}", "a@\u{301}b.example", "a@b\u{200D}c.example",
            "a@\u{661}.example", "a@" + String(repeating: "\u{FC}", count: 64) + ".example",
            String(repeating: "a", count: 240) + "@m\u{FC}nchen",
        ])
    func emailRefused(_ text: String) {
        #expect(EmailAddress(text) == nil)
    }

    @Test(
        "A domain is shown in its own script, unless its A-labels are not those of that text",
        arguments: [
            ("xn--mnchen-3ya.example", "m\u{FC}nchen.example"), ("example.com", "example.com"), ("", ""),
            ("a.xn--r8jz45g.xn--zckzah", "a.\u{4F8B}\u{3048}.\u{30C6}\u{30B9}\u{30C8}"),
            ("xn--a.example", "xn--a.example"),
            ("xn--", "xn--"), ("xn--mnchen-3ya.xn--a", "xn--mnchen-3ya.xn--a"),
        ])
    func shown(_ domain: String, _ expected: String) {
        #expect(DomainName.shown(domain) == expected)
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
