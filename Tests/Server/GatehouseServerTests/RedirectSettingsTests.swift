import AuthServer
import GatehouseServer
import TestSupport
import Testing

@Suite("Settings of redirects")
struct RedirectSettingsTests {
    @Test("By default the site is the server, and no other address is allowed")
    func defaults() throws {
        let auth = try GivenValues.settings(["API_EXTERNAL_URL": "https://api.example.org:8443/auth/v1"]).auth
        #expect(auth.redirects.siteURL == "https://api.example.org:8443")
        #expect(!auth.redirects.takesPatterns && !auth.redirects.allows("https://api.example.org:8443/elsewhere"))
        #expect(!auth.allowsImplicitFlow && !auth.allowsPlainProofKeys)
        #expect(auth.allowsManualLinking)
    }

    @Test("Site and list match letter by letter, custom schemes too")
    func exact() throws {
        let redirects = try GivenValues.settings([
            "GOTRUE_SITE_URL": "https://app.example.org/",
            "GOTRUE_URI_ALLOW_LIST": "boxscore://signed-in, https://app.example.org/a?b=c",
        ]).auth.redirects
        #expect(redirects.siteURL == "https://app.example.org/")
        #expect(redirects.allows("boxscore://signed-in") && redirects.allows("https://app.example.org/a?b=c"))
        #expect(!redirects.allows("https://app.example.org/a") && !redirects.allows("https://app.example.org/**"))
    }

    @Test("Patterns apply only when enabled")
    func patterns() throws {
        let redirects = try GivenValues.settings([
            "GOTRUE_URI_ALLOW_LIST": "https://{a,b}.example.org/**, boxscore:**", "GATEHOUSE_REDIRECT_PATTERNS": "true",
        ]).auth.redirects
        #expect(redirects.allows("https://a.example.org/x/y") && redirects.allows("boxscore://a"))
        #expect(redirects.allows("https://b.example.org/x") && !redirects.allows("https://c.example.org/x"))
    }

    @Test(
        "Switches of the flows",
        arguments: [
            ("GATEHOUSE_EXTERNAL_IMPLICIT_FLOW_ENABLED", "true", [true, false, true]),
            ("GATEHOUSE_EXTERNAL_PLAIN_PKCE_ENABLED", "true", [false, true, true]),
            ("GOTRUE_SECURITY_MANUAL_LINKING_ENABLED", "false", [false, false, false]),
        ])
    func switches(name: String, value: String, expected: [Bool]) throws {
        let auth = try GivenValues.settings([name: value]).auth
        #expect([auth.allowsImplicitFlow, auth.allowsPlainProofKeys, auth.allowsManualLinking] == expected)
    }

    @Test(
        "An entry that could never be allowed is a problem",
        arguments: [
            ("javascript:alert(1)", false), ("https://a.example/\\b", false), ("app.example.org", false),
            ("https://user@a.example/", false), ("http://localhost:*/**", false), ("javascript:**", true),
            ("https://a.example/\\**", true), ("example.org/x", true), ("data:text/html", true),
            ("*.example.org/**", true), ("https://example.org**", true),
        ])
    func never(entry: String, asPattern: Bool) {
        let problems = GivenValues.problems([
            "GOTRUE_URI_ALLOW_LIST": "https://fine.example/," + entry, "GATEHOUSE_REDIRECT_PATTERNS": "\(asPattern)",
        ])
        #expect(problems.map(\.name) == ["GOTRUE_URI_ALLOW_LIST"])
    }

    @Test(
        "Patterns that might match are accepted",
        arguments: [
            "https://*.example.org/**", "http://localhost:*", "**", "{http,https}://a.example/", "boxscore:*",
            "https://a.example/#/signed-in", "http://[::1]:*/**",
        ])
    func pattern(entry: String) {
        #expect(
            GivenValues.problems(["GATEHOUSE_URI_ALLOW_LIST": entry, "GATEHOUSE_REDIRECT_PATTERNS": "on"]).isEmpty)
    }

    @Test(
        "A pattern is a problem while patterns are off, because it would match nothing",
        arguments: [
            "https://*.example.org/cb", "https://app.example.org/**", "https://{a,b}.example.org/", "boxscore:*",
            "https://app.example.org/[a-z]", "http://[::1]/*", "http://localhost:*",
        ])
    func patternsAreOff(entry: String) {
        let problems = GivenValues.problems(["GATEHOUSE_URI_ALLOW_LIST": "https://fine.example/," + entry])
        #expect(problems.map(\.name) == ["GATEHOUSE_URI_ALLOW_LIST"])
        let text = problems.first?.expected ?? ""
        #expect(text.contains("GATEHOUSE_REDIRECT_PATTERNS") && text.contains("would match nothing"))
    }

    @Test(
        "An address with a query, or with an IPv6 address, is no pattern",
        arguments: ["https://app.example.org/cb?next=/a", "http://[::1]:3000/cb", "http://[FE80::1]/cb?x"])
    func noPattern(entry: String) {
        #expect(GivenValues.problems(["GATEHOUSE_URI_ALLOW_LIST": entry]).isEmpty)
        #expect(!RedirectEntry.isPattern(entry))
    }

    @Test("The site is an address without #", arguments: ["javascript:x", "https://a.example/#x", "a b"])
    func site(text: String) {
        #expect(GivenValues.problems(["GOTRUE_SITE_URL": text]).map(\.name) == ["GOTRUE_SITE_URL"])
    }

    @Test("Browser sign-in requires a return address")
    func siteIsMissing() {
        let google = ["GOTRUE_EXTERNAL_GOOGLE_ENABLED": "true", "GOTRUE_EXTERNAL_GOOGLE_CLIENT_ID": "web"]
        let browsers = google.merging(["GOTRUE_EXTERNAL_GOOGLE_SECRET": "s"]) { $1 }
        #expect(GivenValues.problems(google).isEmpty)
        #expect(GivenValues.problems(browsers).map(\.name) == ["GATEHOUSE_SITE_URL"])
        for name in ["GOTRUE_SITE_URL", "GOTRUE_URI_ALLOW_LIST"] {
            #expect(GivenValues.problems(browsers.merging([name: "https://app.example.org"]) { $1 }).isEmpty)
        }
    }
}
