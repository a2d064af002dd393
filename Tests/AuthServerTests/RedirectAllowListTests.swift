import AuthServer
import Testing

@Suite("Where people may be sent back to")
struct RedirectAllowListTests {
    private static let site = "https://app.example.com"
    private static let entries = [
        "https://app.example.com/cb?keep=1", "boxscore://auth/callback", "com.example.app:/cb",
        "http://127.0.0.1/callback",
    ]

    @Test(
        "An address is allowed byte for byte, a loopback one on any port",
        arguments: [
            "https://app.example.com", "https://app.example.com/cb?keep=1", "boxscore://auth/callback",
            "com.example.app:/cb", "http://127.0.0.1/callback", "http://127.0.0.1:49152/callback",
        ])
    func allowed(_ address: String) {
        #expect(RedirectAllowList(siteURL: Self.site, entries: Self.entries).allows(address))
    }

    @Test(
        "Open redirect: whatever only looks like an entry is refused",
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

    @Test("An address of 2,049 bytes is refused, although it is in the list")
    func longest() {
        let long = "boxscore://" + String(repeating: "a", count: 2_038)
        #expect(!RedirectAllowList(siteURL: Self.site, entries: [long]).allows(long))
        let shorter = String(long.dropLast())
        #expect(RedirectAllowList(siteURL: Self.site, entries: [shorter]).allows(shorter))
    }

    @Test(
        "With patterns the protocol's globs decide",
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
        ])
    func patterns(_ pattern: String, _ address: String, _ isAllowed: Bool) {
        let list = RedirectAllowList(siteURL: Self.site, entries: [pattern], takesPatterns: true)
        #expect(list.allows(address) == isAllowed)
        #expect(list.allows("https://app.example.com/any/page"))
    }

    @Test("A pattern that could take for ever is decided at once")
    func deepPattern() {
        let pattern = "https://" + String(repeating: "**a", count: 60)
        let list = RedirectAllowList(siteURL: Self.site, entries: [pattern], takesPatterns: true)
        #expect(!list.allows("https://" + String(repeating: "a", count: 1_000) + ".b"))
    }

    @Test("The first allowed candidate counts; what is not allowed is passed over")
    func candidates() {
        let list = RedirectAllowList(siteURL: Self.site, entries: Self.entries)
        #expect(list.target(nil, "", "https://evil.example", "boxscore://auth/callback") == "boxscore://auth/callback")
        #expect(list.target("https://evil.example", nil) == Self.site)
    }
}
