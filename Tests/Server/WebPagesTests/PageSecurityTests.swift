import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Attacks on the account pages")
struct PageSecurityTests {
    private func signedIn(_ server: TestServer, _ email: String = "ada@example.com") async throws -> WebBrowser {
        let browser = WebBrowser(server)
        try await browser.open("/account/sign-up")
        try await browser.press("Create Account", ["email": email, "password": TestServer.password])
        #expect(browser.page.title == "Account")
        return browser
    }

    @Test("A form of another site, of another session or without its token changes nothing")
    func forgery() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            let form = try #require(browser.page.forms.first { $0.button == "Sign Out" })
            let other = try await signedIn(server, "bob@example.com")
            let foreign = try #require(other.page.forms.first { $0.button == "Sign Out" })
            let site = HTTPField.Name("sec-fetch-site")!
            let attempts: [([(name: String, value: String)], HTTPFields)] = [
                ([], [.origin: WebBrowser.origin]), (foreign.fields, [.origin: WebBrowser.origin]),
                (form.fields, [.origin: "https://evil.example"]), (form.fields, [.origin: "null"]),
                (form.fields, [site: "cross-site"]), (form.fields, [site: "same-site"]),
                ([(name: "form", value: "AAAA")], [.origin: WebBrowser.origin]),
            ]
            for (fields, headers) in attempts {
                let page = try await browser.send("/account/sign-out", fields, headers: headers)
                #expect(page.status == 403, "\(fields) \(headers)")
                #expect(page.headers[.setCookie] == nil)
            }
            try await browser.open("/account")
            #expect(browser.page.title == "Account")
            // Each page has another text for the same token.
            try await browser.send("/account/sign-out", form.fields)
            #expect(browser.page.title == "Sign In")
        }
    }

    @Test("A link of another site leaves the user signed in, and a form without the cookie sets none")
    func foreignLinks() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
            for path in [
                "", "/sign-out", "/sign-in?again=yes", "/sign-up", "/second-step?act=cancel", "/continue", "/link",
                "/callback?error=access_denied", "/callback?code=6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b", "/check-mail",
                "/sign-in?code_challenge=\(challenge)&redirect_to=https://app.example.org/", "/provider/google",
                "/delete", "/devices?session=others",
            ] {
                try await browser.open("/account\(path)", headers: [.fetchSite: "cross-site"])
                #expect(try await browser.open("/account/devices").title == "Devices", "\(path)")
            }
            let kept = browser.cookies
            for path in ["/sign-out", "/sign-in", "/devices", "/delete"] {
                // Browsers omit a SameSite=Lax cookie from another site's form.
                browser.cookies = []
                let page = try await browser.send("/account\(path)", [], headers: [.fetchSite: "cross-site"])
                #expect(page.status == 403 && page.headers[.setCookie] == nil, "\(path)")
            }
            browser.cookies = kept
            #expect(try await browser.open("/account/devices").title == "Devices")
        }
    }

    @Test("A changed cookie counts as none")
    func tampering() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            let kept = browser.cookies
            for (number, cookie) in kept.enumerated() where cookie.name.contains("account") {
                for position in [0, 2, 20, cookie.value.count - 2] {
                    var changed = Array(cookie.value)
                    changed[position] = changed[position] == "A" ? "B" : "A"
                    browser.cookies = kept
                    browser.cookies[number].value = String(changed)
                    try await browser.open("/account")
                    #expect(browser.page.title == "Sign In", "\(position)")
                }
            }
        }
    }

    @Test(
        "Over https the session's cookie is Secure and bound to its host; over http on loopback it is plain",
        arguments: [
            ("https://accounts.example.org", "__Host-gatehouse-account", "gatehouse-account"),
            ("http://127.0.0.1:9999", "gatehouse-account", "__Host-gatehouse-account"),
        ])
    func cookie(_ origin: String, name: String, other: String) async throws {
        try await TestServer.with { server in
            _ = try await server.signUp()
            let pages = try RemotePages(server, ["GATEHOUSE_ACCOUNT_PAGES_URL": origin])
            var set: [String] = []
            let browser = WebBrowser { method, path, headers, body in
                let answer = try await pages.caller.send(
                    method, path, headers: headers, raw: body, authority: String(origin.split(separator: "/")[1]))
                set += answer.headers[values: .setCookie]
                return answer
            }
            try await browser.open("/account/sign-in")
            let (found, person) = (browser.page.forms.first { $0.button == "Sign In" }, SignInPageTests.person)
            let form = try #require(found)
            let fields = form.fields.filter { person[$0.name] == nil } + person.map { ($0.key, $0.value) }
            try await browser.send(form.action, fields, headers: [.origin: origin])
            #expect(browser.page.title == "Account")
            #expect(set.count > 1)
            for cookie in set {
                let parts = cookie.utf8.split(separator: UInt8(ascii: ";")).map { String(decoding: $0, as: UTF8.self) }
                #expect(parts[0].hasPrefix("\(name)="))
                let attributes = parts.dropFirst().filter { !$0.hasPrefix(" Max-Age=") }
                #expect(
                    attributes == [" Path=/", " HttpOnly", " SameSite=Lax"] + (name.hasPrefix("_") ? [" Secure"] : []))
            }
            // The other name is ignored: a sibling domain can set the plain one.
            browser.cookies = browser.cookies.map { (other, $0.value) }
            #expect(try await browser.open("/account").title == "Sign In")
        }
    }

    @Test("A cookie that was copied before the sign-out is worth nothing after it")
    func replay() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            let stolen = browser.cookies
            try await browser.press("Sign Out")
            let thief = WebBrowser(server)
            thief.cookies = stolen
            try await thief.open("/account")
            #expect(thief.page.title == "Sign In")
            #expect(thief.page.problem == "Session expired. Please sign in again.")
        }
    }

    @Test("Signing in changes the session's token, and ends the session before it", arguments: [0, 7_200])
    func fixation(seconds: Int) async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            // After an hour the access token is too old for the sign-out.
            server.clock.advance(by: .seconds(seconds))
            let old = try #require(browser.page.forms.first { $0.button == "Sign Out" })
            try await browser.open("/account/sign-in?again=yes")
            try await browser.press("Sign In", ["email": "ada@example.com", "password": TestServer.password])
            #expect(browser.page.title == "Account")
            #expect(try await browser.send("/account/sign-out", old.fields).status == 403)
            try await browser.open("/account/devices")
            #expect(WebPage.between("class=\"badge\"", "<", in: browser.page.text).count == 1)
            #expect(!browser.page.text.contains("Sign Out All Other Devices"))
        }
    }

    @Test("Texts of users and of requests are shown, and never run")
    func scripts() async throws {
        try await TestServer.with(hasPages: true) { server in
            let hostile = "\"\u{301}><script>alert(1)</script>\u{202E}'&"
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", ["email": hostile, "password": "x"])
            #expect(!browser.page.text.contains("<script"))
            #expect(browser.page.text.utf8.ranges(of: "\"\u{301}".utf8).isEmpty)
            let other = try await signedIn(server)
            try await other.open("/account/profile")
            try await other.press("Save", ["first_name": hostile, "name": "", "timezone": ""])
            try await other.open("/account/profile")
            #expect(!other.page.text.contains("<script"))
            #expect(other.page.text.contains("&lt;script&gt;"))
        }
    }

    @Test("No parameter leads to another site, and none writes a header")
    func redirects() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = WebBrowser(server)
            for path in [
                "/account/sign-in?next=https://evil.example", "/account?lang=de&next=//evil.example",
                "/account/sign-in?lang=de%0d%0aset-cookie:%20a=b", "/account/provider/google%0d%0aa?lang=x",
                "/account/sign-in?redirect_to=https://evil.example",
            ] {
                try await browser.open(path)
                #expect(browser.page.headers[.location]?.contains("evil") != true, "\(path)")
                #expect(browser.page.headers[HTTPField.Name("a")!] == nil)
            }
            // A disallowed app address becomes the site's.
            let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
            let other = WebBrowser(server)
            try await other.open("/account/sign-in?code_challenge=\(challenge)&redirect_to=https://evil.example/cb")
            #expect(!other.page.text.contains("You will continue to"))
            _ = try await server.signUp()
            try await other.press("Sign In", SignInPageTests.person)
            #expect(!other.page.text.contains("0;url="))
            #expect(other.page.text.contains("app.example.org"))
            let onward = WebPage.between("<a class=\"button plain\" href=\"", "\"", in: other.page.text)
            #expect(onward.first?.hasPrefix("https://app.example.org?code=") == true)
        }
    }

    @Test("Every page has the headers that keep it from frames, caches and scripts")
    func headers() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            for path in ["/account", "/account/devices", "/account/sign-in?again=yes", "/account/nothing"] {
                try await browser.open(path)
                let headers = browser.page.headers
                #expect(headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
                #expect(headers[.cacheControl] == "no-store")
                #expect(headers[HTTPField.Name("x-frame-options")!] == "DENY")
                #expect(!browser.page.text.contains("style=\"") && !browser.page.text.contains("<script"))
            }
            #expect(browser.page.status == 404)
            let fresh = WebBrowser(server)
            try await fresh.open("/account/sign-in")
            let cookie = try #require(fresh.page.headers[values: .setCookie].first)
            #expect(cookie.contains("HttpOnly; SameSite=Lax") && cookie.contains("Path=/;"))
        }
    }
}
