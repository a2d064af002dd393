import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Captchas on the account pages")
struct CaptchaPageTests {
    struct Provider: CustomTestStringConvertible, Sendable {
        let name, element, origin, script: String
        var testDescription: String { name }

        var settings: [String: String] {
            [
                "GATEHOUSE_SECURITY_CAPTCHA_ENABLED": "true", "GATEHOUSE_SECURITY_CAPTCHA_PROVIDER": name,
                "GATEHOUSE_SECURITY_CAPTCHA_SITE_KEY": "site-key_1",
            ]
        }
    }

    static let providers = [
        Provider(
            name: "hcaptcha", element: "h-captcha", origin: "https://*.hcaptcha.com",
            script: "https://js.hcaptcha.com/1/api.js?recaptchacompat=off&amp;hl=de"),
        Provider(
            name: "turnstile", element: "cf-turnstile", origin: "https://challenges.cloudflare.com",
            script: "https://challenges.cloudflare.com/turnstile/v0/api.js"),
    ]

    /// Of the newest call to a path of the Auth API.
    private func body(_ pages: RemotePages, _ path: String) throws -> AuthJSON {
        let call = try #require(pages.calls.last { $0.url.hasPrefix(TestServer.issuer + path) })
        return try JSONReader.read(call.body ?? [])
    }

    @Test(
        "Forms whose requests need a captcha show it and pass its answer on; no other page loads it",
        arguments: providers)
    func forms(_ provider: Provider) async throws {
        try await TestServer.with(hasPages: true, change: SignInPageTests.withMail) { server in
            let pages = try RemotePages(server, provider.settings)
            let browser = pages.browser
            browser.language = "de"
            let answer = ["\(provider.element)-response": "a solved captcha"]
            let forms = [
                ("/account/sign-up", "Account erstellen", "/signup", SignInPageTests.person),
                ("/account/check-mail", "Noch einmal senden", "/resend", [:]),
                ("/account/sign-in", "Anmelden", "/token?grant_type=password", SignInPageTests.person),
                ("/account/sign-in/code", "E-Mail senden", "/otp", ["email": SignInPageTests.email]),
                ("/account/forgot-password", "E-Mail senden", "/recover", ["email": SignInPageTests.email]),
            ]
            for (path, button, call, fields) in forms {
                let page = try await browser.open(path)
                #expect(page.text.contains("class=\"\(provider.element)\" data-sitekey=\"site-key_1\""), "\(path)")
                #expect(page.text.contains("<script src=\"\(provider.script)\" async defer></script>"), "\(path)")
                #expect(page.text.contains("<p class=\"problem\">Bitte erlaube Skripte"), "\(path)")
                let policy = try #require(page.headers[.contentSecurityPolicy])
                #expect(policy.contains("script-src ") && policy.contains(provider.origin))
                #expect(!policy.contains("unsafe") && !policy.contains("script-src 'self'"))
                try await browser.press(button, fields.merging(answer) { $1 })
                #expect(
                    try body(pages, call)["gotrue_meta_security"]?["captcha_token"] == "a solved captcha", "\(path)")
            }
            for path in ["/account/link", "/account/nothing"] {
                let page = try await browser.open(path)
                #expect(page.headers[.contentSecurityPolicy]?.contains("script-src") == (page.title == "Anmelden"))
            }
        }
    }

    @Test("A form without an answer is sent without one, and a refusal is explained")
    func refused() async throws {
        try await TestServer.with(hasPages: true) { server in
            let pages = try RemotePages(server, Self.providers[1].settings)
            pages.refuse("/token?grant_type=password", 400, "captcha_failed")
            let browser = pages.browser
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            #expect(
                browser.page.problem
                    == "Complete the captcha, then try again."
            )
            #expect(try body(pages, "/token?grant_type=password")["gotrue_meta_security"] == nil)
        }
    }

    @Test("Pages without a captcha have no script, and pass no answer on")
    func without() async throws {
        try await TestServer.with(hasPages: true) { server in
            let pages = try RemotePages(server)
            let browser = pages.browser
            try await browser.open("/account/sign-in")
            #expect(!browser.page.text.contains("<script") && !browser.page.text.contains("captcha"))
            try await browser.press("Sign In", SignInPageTests.person.merging(["h-captcha-response": "x"]) { $1 })
            #expect(try body(pages, "/token?grant_type=password")["gotrue_meta_security"] == nil)
        }
    }

    @Test("The pages need the provider's public key, and refuse what is none")
    func settings() {
        var given = Self.providers[0].settings
        given["GATEHOUSE_ACCOUNT_PAGES"] = "true"
        given["GATEHOUSE_SECURITY_CAPTCHA_SECRET"] = "a secret"
        #expect(GivenValues.problems(given, parts: [.auth, .gateway, .pages]).isEmpty)
        for wrong in [nil, "a\"><script>", String(repeating: "k", count: 129)] {
            given["GATEHOUSE_SECURITY_CAPTCHA_SITE_KEY"] = wrong
            let problems = GivenValues.problems(given, parts: [.auth, .gateway, .pages])
            #expect(problems.count == 1, "\(wrong ?? "none")")
            #expect(problems.first.map { "\($0)".contains("CAPTCHA_SITE_KEY") } == true)
        }
        // Without pages nothing shows captchas.
        given["GATEHOUSE_SECURITY_CAPTCHA_SITE_KEY"] = nil
        given["GATEHOUSE_ACCOUNT_PAGES"] = "false"
        #expect(GivenValues.problems(given, parts: [.auth, .gateway, .pages]).isEmpty)
    }
}
