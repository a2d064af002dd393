import GatehouseWire
import Testing

@Suite("URLs in parts")
struct URLPartsTests {
    @Test(
        "A URL has scheme and host in lower case, and the rest as it was",
        arguments: [
            ("HTTPS://A.Example:08443/B?c=D#e", "https", "a.example", 8_443, "/B?c=D#e"),
            ("http://[2001:DB8::1]/", "http", "[2001:db8::1]", nil, "/"),
            ("com.example.app:/cb", "com.example.app", "", nil, "/cb"),
            ("boxscore://Auth/callback", "boxscore", "auth", nil, "/callback"),
            ("boxscore:a@b", "boxscore", "", nil, "a@b"),
        ] as [(String, String, String, UInt16?, String)])
    func parts(_ text: String, _ scheme: String, _ host: String, _ port: UInt16?, _ rest: String) throws {
        let url = try #require(URLParts(text))
        #expect((url.scheme, url.host, url.rest) == (scheme, host, rest))
        #expect(url.port == port)
        #expect(URLParts(url.text) == url)
    }

    @Test(
        "A URL that browsers repair, execute or split differently is refused",
        arguments: [
            "", "a.example", "//a.example", "1a://b", "https:a.example", "https:///a", "https://a@b.example/",
            "https://a.example:/", "https://a.example:0/", "https://a.example:65536/", "https://a.example:1:2/",
            "https://[a.example]/", "https://[127.0.0.1]/", "https://[::1", "https://[::1]a/", "myapp://[v1.a]/",
            "https:\\\\a.example", "https://a .example", "https://ä.example", "JavaScript:alert(1)", "data:text/html,a",
        ])
    func refused(_ text: String) { #expect(URLParts(text) == nil) }

    @Test(
        "A host has one reading, or it may be a name and a number",
        arguments: [
            ("127.0.0.1", true), ("[::ffff:7f00:1]", true), ("localhost", true), ("my_host.example", true),
            ("xn--80ak6aa92e.example", true), ("0xyz.example", true), ("127.1", false), ("0x7f000001", false),
            ("a.0x", false), ("a.0x1f", false), ("1.2.3.08", false), ("a..example", false), ("a.example.", false),
            ("-a.example", false), ("a%2eexample", false),
        ])
    func hosts(_ host: String, _ isUnambiguous: Bool) throws {
        #expect(try #require(URLParts("https://\(host)/")).hasUnambiguousHost == isUnambiguous)
    }
}
