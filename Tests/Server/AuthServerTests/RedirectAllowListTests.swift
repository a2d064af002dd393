import AuthServer
import Testing

@Suite("Allowed redirect addresses")
struct RedirectAllowListTests {
    private static let site = "https://app.example.com"
    private static let entries = [
        "https://app.example.com/cb?keep=1", "boxscore://auth/callback", "com.example.app:/cb",
        "http://127.0.0.1/callback",
    ]

    @Test(
        "An address is allowed byte for byte, a loopback address on any port",
        arguments: [
            "https://app.example.com", "https://app.example.com/cb?keep=1", "boxscore://auth/callback",
            "com.example.app:/cb", "http://127.0.0.1/callback", "http://127.0.0.1:49152/callback",
        ])
    func allowed(_ address: String) {
        #expect(RedirectAllowList(siteURL: Self.site, entries: Self.entries).allows(address))
    }

    @Test(
        "Open redirect: an address that only resembles an entry is refused",
        arguments: [
            "https://app.example.com/", "https://app.example.com/cb", "https://app.example.com/cb?keep=1&more=2",
            "https://app.example.com/cb?keep=1#x", "https://app.example.com.evil.example/cb?keep=1",
            "https://app.example.com@evil.example/cb?keep=1", "https://evil.example/https://app.example.com",
            "HTTPS://app.example.com/cb?keep=1", "https://app.example.com:8443", "//app.example.com",
            "https:app.example.com", "https:///app.example.com", "https://app.example.com\\@evil.example",
            "https://app.example.com/cb?keep=1\n", " https://app.example.com", "boxscore://auth/callback/",
            "boxscore://auth/callback?x=1", "BoxScore://auth/callback", "boxscore://other/callback",
            "http://127.0.0.1:1/other", "http://127.0.0.1.evil.example/callback", "http://127.0.0.2/callback",
            "http://[::1]/callback", "http://user@127.0.0.1/callback", "https://127.0.0.1/callback",
            "http://127.0.0.1:1:2/callback", "http://127.0.0.1:x/callback", "javascript:alert(1)",
            "data:text/html,x", "", "app", "https://äpp.example.com",
        ])
    func refused(_ address: String) {
        #expect(!RedirectAllowList(siteURL: Self.site, entries: Self.entries).allows(address))
    }

    @Test("An address of 2,049 bytes is refused, although it is listed")
    func longest() {
        let long = "boxscore://" + String(repeating: "a", count: 2_038)
        #expect(!RedirectAllowList(siteURL: Self.site, entries: [long]).allows(long))
        let shorter = String(long.dropLast())
        #expect(RedirectAllowList(siteURL: Self.site, entries: [shorter]).allows(shorter))
    }

    @Test(
        "With patterns the globs of Supabase Auth decide",
        arguments: [
            ("https://*.example.org/**", "https://a.example.org/b/c", true),
            ("https://*.example.org/**", "https://a.b.example.org/b", false),
            ("https://**.example.org/*", "https://a.b.example.org/c", true),
            ("https://*.example.org/*", "https://a.example.org/b/c", false),
            ("https://pr-?.example.org", "https://pr-7.example.org", true),
            ("https://pr-?.example.org", "https://pr-17.example.org", false),
            ("https://{a,b}.example.org/cb", "https://b.example.org/cb", true),
            ("https://{a,b}.example.org/cb", "https://c.example.org/cb", false),
            ("https://[a-c]1.example.org", "https://b1.example.org", true),
            ("https://[!a-c]1.example.org", "https://b1.example.org", false),
            ("https://[a.example.org", "https://a.example.org", false),
            ("https://{a.example.org", "https://a.example.org", false),
            ("myapp://**", "myapp://any/where?at=all", true), ("https://**", "https://10.0.0.1/x", false),
            ("https://**", "https://3232235521/x", false), ("https://**", "https://[fe80::1]/x", false),
            ("http://**", "http://127.0.0.1:4000/x", true), ("https://**", "https://a_b.example.org/", false),
            ("https://a.example.org/cb", "https://a.example.org/cb#at", true),
            ("https://a.example.org/cb", "https://a.example.org:443/cb", true),
            ("https://a.example.org/cb", "https://a.example.org:8443/cb", false),
            ("https://a.example.org:84*/cb", "https://a.example.org:8443/cb", true),
            ("https://a.example.org", "https://a.example.org/", true),
            ("https://a.example.org/cb", "https://a.example.org/cb?x=1", false),
            ("https://a.example.org/*", "https://a.example.org/cb?x=1", true),
            ("https://a.example.org/*", "https://a.example.org/cb?x=/1", false),
            ("https://a.example.org/*b", "https://a.example.org/cb?x=1", false),
            ("https://a.example.org/cb?x=*", "https://a.example.org/cb?x=1", true),
            ("https://a.example.org/cb?x=*", "https://a.example.org/cb?x=1/2", false),
            ("https://a.example.org/cb?x=**", "https://a.example.org/cb?x=1/2?3", true),
            ("https://a.example.org/cb?", "https://a.example.org/cb1", true),
            ("https://a.example.org/**", "https://a.example.org/b?c=/d", true),
            ("https://a.example.org/**/d", "https://a.example.org/b?c=/d", false),
            ("https://A.example.org/cb", "HTTPS://a.EXAMPLE.org/cb", true),
            ("http://[::1]:*/**", "http://[::1]:3000/x", true), ("http://[::1]/**", "http://[::2]/x", false),
            ("https://*.example.org", "https://xn--80ak6aa92e.example.org", false),
            ("https://xn--mnchen-3ya.example.org", "https://xn--mnchen-3ya.example.org/", true),
            ("boxscore:**", "boxscore:a", true), ("boxscore://*/cb", "boxscore:/cb", false),
            ("**", "https://any.example/where?at=all", true), ("**", "javascript://any.example/%0aalert(1)", false),
        ])
    func patterns(_ pattern: String, _ address: String, _ isAllowed: Bool) {
        let list = RedirectAllowList(siteURL: Self.site, entries: [pattern], takesPatterns: true)
        #expect(list.allows(address) == isAllowed)
        #expect(list.allows("https://app.example.com/any/page"))
    }

    @Test(
        "Open redirect: a wildcard matches no delimiter, and no host has two readings",
        arguments: [
            "https://0x5db8d822?.example.org/x", "https://0x5db8d822#.example.org/x",
            "https://0x5db8d822/.example.org/x",
            "https://evil.example?.example.org/x", "https://evil.example#.example.org/x",
            "https://evil.example@a.example.org/x", "https://a.example.org:x@evil.example/x",
            "https://evil.example:80.example.org/x", "https://evil.example\\.example.org/x",
            "https://evil.example%2f.example.org/x", "https://evil.example%3F.example.org/x",
            "https://a\t.example.org/x", "https://a..example.org/x", "https://.example.org/x",
            "https://a.example.org./x", "https://a.example.org:65536/x", "https://a.example.org:/\\x",
            "https:///a.example.org/x", "https:/a.example.org/x", "https:a.example.org/x", "//a.example.org/x",
            "https://a.example.org/../x", "https://a.example.org/b/%2e%2E/x", "https://a.example.org/.%2e",
            "https://a.example.org/./x", "https://a.example.org/%", "https://a.example.org/%0g",
            "https://a.example.org/<x>", "https://a.example.org/x#a#b", "https://a.example.org/x?y={z}",
            "https://[a.example.org]/x", "https://a.example.org\u{FF0F}x", "https://a\u{3002}example.org/x",
        ])
    func delimiters(_ address: String) {
        let list = RedirectAllowList(siteURL: Self.site, entries: ["https://*.example.org/**"], takesPatterns: true)
        #expect(!list.allows(address))
    }

    @Test(
        "A number is an address in every notation, and a pattern matches only loopback",
        arguments: [
            "https://93.184.216.34/x", "https://1572395042/x", "https://0x5db8d822/x", "https://0X5DB8D822/x",
            "https://0135.0270.0330.042/x", "https://93.184.55330/x", "https://93.12113954/x", "https://a.0x/x",
            "https://a.example.1/x", "https://127.1/x", "https://0177.0.0.1/x", "https://2130706433/x",
            "https://[::ffff:5db8:d822]/x", "https://127.0.0.2/x", "wss://1572395042/x",
        ])
    func numbers(_ address: String) {
        for pattern in ["https://**", "https://*/**", "**", "*s://**"] {
            #expect(!RedirectAllowList(siteURL: Self.site, entries: [pattern], takesPatterns: true).allows(address))
        }
    }

    @Test(
        "A pattern that no address could match, or that matches more than it shows, matches nothing",
        arguments: [
            "https://example.org**", "https://app**.example.org/x", "https://user@a.example.org/**",
            "https:/a.example.org/**", "https:*", "*", "a.example.org/**", "javascript:**", "https://a.example.org:/x",
            "https://a.example.org/**#x", "https://a.example.org\\**", "://a.example.org/**",
        ])
    func impossible(_ pattern: String) {
        #expect(!RedirectAllowList.canMatch(pattern: pattern))
    }

    @Test("The site may be an IP address or a name; only its origin counts")
    func sites() {
        for site in ["https://10.0.0.1:8443", "http://my_host", "boxscore://in"] {
            let list = RedirectAllowList(siteURL: site, entries: [], takesPatterns: true)
            #expect(list.allows(site + "/any?where=x") && !list.allows(site + "1/any"))
        }
        let list = RedirectAllowList(siteURL: "https://10.0.0.1", entries: [], takesPatterns: true)
        #expect(!list.allows("https://10.1/") && !list.allows("https://10.0.0.1:8443/"))
    }

    @Test("A pattern with exponential backtracking is decided at once")
    func deepPattern() {
        let pattern = "https://" + String(repeating: "**a", count: 60)
        let list = RedirectAllowList(siteURL: Self.site, entries: [pattern], takesPatterns: true)
        #expect(!list.allows("https://" + String(repeating: "a", count: 1_000) + ".b"))
    }

    @Test("The first allowed candidate wins; others are ignored")
    func candidates() {
        let list = RedirectAllowList(siteURL: Self.site, entries: Self.entries)
        #expect(list.target(nil, "", "https://evil.example", "boxscore://auth/callback") == "boxscore://auth/callback")
        #expect(list.target("https://evil.example", nil) == Self.site)
    }
}
