import GatehouseWire
import Testing

@Suite("IP addresses and networks")
struct IPAddressTests {
    @Test(
        "An address has the one text form of RFC 5952, in whatever form a proxy writes it",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("192.0.2.1:8080", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"),
            ("255.255.255.255:80", "255.255.255.255"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("[2001:DB8:0:0:1:0:0:1]:443", "2001:db8::1:0:0:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("::", "::"), ("::1", "::1"), ("1::", "1::"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("fe80::1%eth0", "fe80::1"),
        ])
    func spelling(text: String, expected: String) throws {
        let address = try #require(IPAddress(forwarded: text))
        #expect("\(address)" == expected)
        #expect(IPAddress("\(address)") == address)
    }

    @Test(
        "An invalid or ambiguous address is refused",
        arguments: [
            "", "1", "127.1", "127.0.1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "0177.0.0.1", "0x7f.0.0.1", "127.0.0.01",
            "01.2.3.4", "1.2.3.-4", "2130706433", "1.2.3.4 ", " 1.2.3.4", "1.2.3.4\u{0}", "1.2.3.4::", ":", ":::",
            "1::2::3", "12345::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8:9", "g::", "+1::",
            "::ffff:127.0.0.1.1", "[::1", "１２７.0.0.1", "unknown", "_hidden", "localhost",
        ])
    func malformed(_ text: String) {
        #expect(IPAddress(text) == nil)
        #expect(IPAddress(forwarded: text) == nil)
    }

    @Test("Only proxies write brackets, ports and zones", arguments: ["[::1]", "1.2.3.4:80", "::1%lo", "fe80::1%eth0"])
    func forwarded(_ text: String) {
        #expect(IPAddress(text) == nil)
        #expect(IPAddress(forwarded: text) != nil)
    }

    @Test("An IPv4 address inside an IPv6 one is that address, also from bytes")
    func mapped() throws {
        #expect(IPAddress("::ffff:127.0.0.1") == IPAddress("127.0.0.1"))
        let bytes = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 10, 0, 0, 1]
        #expect(IPAddress(bytes: bytes) == IPAddress("10.0.0.1"))
        #expect(IPAddress(bytes: [10, 0, 0, 1]) == IPAddress("10.0.0.1"))
        #expect(IPAddress(bytes: [1, 2, 3]) == nil)
        #expect(try #require(IPAddress("::ffff:127.9.9.9")).isLoopback)
        #expect(!(try #require(IPAddress("::2")).isLoopback))
    }

    @Test(
        "A network contains the addresses with its prefix",
        arguments: [
            ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
            ("10.0.0.0/8", "::ffff:10.9.9.9", true), ("10.0.0.0/8", "64:ff9b::10.1.2.3", false),
            ("10.1.2.0/23", "10.1.3.255", true), ("10.1.2.0/23", "10.1.4.0", false),
            ("0.0.0.0/0", "255.1.1.1", true), ("0.0.0.0/0", "fd00::1", false), ("fd00::/8", "fdff::1", true),
            ("fd00::/8", "fc00::1", false), ("fd00::/8", "fe00::1", false), ("::/0", "10.0.0.1", false),
            ("::/0", "2001:db8::1", true),
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false),
            ("2001:db8::/65", "2001:db8::8000:0:0:0", false), ("2001:db8::/65", "2001:db8::7fff:0:0:0", true),
        ])
    func networks(_ network: String, _ address: String, _ expected: Bool) throws {
        #expect(try #require(IPNetwork(network)).contains(try #require(IPAddress(address))) == expected)
    }

    @Test(
        "A network with bits beyond its prefix, or without a prefix, is a mistake",
        arguments: [
            "", "10.0.0.1/8", "10.0.0.0/33", "fd00::/129", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8",
            "10.0.0.0/8/8", "/8", "x/8",
        ])
    func malformedNetworks(_ text: String) { #expect(IPNetwork(text) == nil) }
}
