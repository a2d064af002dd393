import IdentityProviders
import Testing

@Suite("Outgoing URLs")
struct ProviderURLTests {
    @Test(
        "A URL has scheme, host, port, and its path as given",
        arguments: [
            ("https://id.example.org", "id.example.org", 443, "https://id.example.org"),
            ("HTTPS://ID.Example.org/A?b=C", "id.example.org", 443, "https://id.example.org/A?b=C"),
            ("http://127.0.0.1:9000/x", "127.0.0.1", 9_000, "http://127.0.0.1:9000/x"),
            ("https://[2001:DB8::1]:8443/", "2001:db8::1", 8_443, "https://[2001:db8::1]:8443/"),
            ("https://keycloak?x", "keycloak", 443, "https://keycloak?x"),
            ("https://my_service.example/a@b", "my_service.example", 443, "https://my_service.example/a@b"),
        ])
    func good(_ text: String, _ host: String, _ port: Int, _ normal: String) throws {
        let url = try #require(ProviderURL(text))
        #expect((url.host, url.port, url.text) == (host, port, normal))
    }

    @Test(
        "An ambiguous URL is refused",
        arguments: [
            "", "id.example.org", "ftp://id.example.org", "https://", "https:///x", "https:id.example.org",
            "https://user@id.example.org", "https://id.example.org@evil.example", "https://id.example.org:80:80/",
            "https://id.example.org:/", "https://id.example.org:0/", "https://id.example.org:65536/",
            "https://id.example.org:8a/", "https://id.example.org:+80/", "https://id.example.org/#x",
            #"https://id.example.org\@evil.example"#, "https://id .example.org", "https://id.example.org/\n",
            "https://id..example.org", "https://id.example.org.", "https://-id.example.org", "https://id%2eexample.org",
            "https://ïd.example.org", "https://127.1/", "https://0x7f.0.0.1/", "https://0x7f000001/",
            "https://0177.0.0.1/", "https://2130706433/", "https://1.2.3.4.5/", "https://999.1.1.1/", "https://::1/",
            "https://[::1/",
            "https://[127.0.0.1]/", "https://[::1]x/", "https://[fe80::1%25eth0]/", "https://[id.example.org]/",
        ])
    func refused(_ text: String) {
        #expect(ProviderURL(text) == nil)
    }

    @Test("A URL has at most 2,048 bytes, a label 63, a name 253")
    func lengths() {
        let path = { (count: Int) in "https://a.org/" + String(repeating: "x", count: count - 14) }
        #expect(ProviderURL(path(2_048)) != nil)
        #expect(ProviderURL(path(2_049)) == nil)
        let label = String(repeating: "a", count: 63)
        #expect(ProviderURL("https://\(label).org") != nil)
        #expect(ProviderURL("https://a\(label).org") == nil)
        #expect(ProviderURL("https://\([label, label, label, label].joined(separator: "."))") == nil)
    }
}
