import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("What the account pages say")
struct PageTextTests {
    private static let codes = [
        "invalid_credentials", "email_exists", "user_already_exists", "identity_already_exists", "signup_disabled",
        "user_banned", "otp_expired", "reauthentication_not_valid", "captcha_failed", "email_provider_disabled",
        "single_identity_not_deletable", "flow_state_expired", "validation_failed", "same_password",
        "webauthn_challenge_expired", "webauthn_credential_exists", "too_many_passkeys", "mfa_verification_failed",
        "too_many_enrolled_mfa_factors", "mfa_totp_verify_not_enabled", "passkey_disabled", "nothing_that_is_known",
        "phone_provider_disabled", "phone_not_confirmed", "mfa_phone_verify_not_enabled",
    ]

    @Test(
        "A refusal has a cause and a remedy, in every language",
        arguments: ["en", "es", "de", "ja", "ar", "fr", "it", "pt-BR", "zh-Hans", "ko"])
    func refusals(language: String) async throws {
        try await TestServer.with { server in
            let pages = try RemotePages(server)
            let browser = pages.browser
            browser.language = language
            for code in Self.codes {
                pages.answer { _ in nil }
                try await browser.open("/account/sign-in")
                let form = try #require(browser.page.forms.last)
                pages.refuse("/token?grant_type=password", 400, code)
                let fields = form.fields.map { (name: $0.name, value: SignInPageTests.person[$0.name] ?? $0.value) }
                try await browser.send(form.action, fields)
                let problem = try #require(browser.page.problem, "\(code)")
                let sentences = problem.split { ".。".contains($0) }
                // "Complete the captcha" is both.
                let least = code == "captcha_failed" ? 1 : 2
                #expect(sentences.count >= least && !problem.contains("。 "), "\(code): \(problem)")
            }
        }
    }

    @Test("Another language keeps the query of the page, and what it was opened for")
    func query() async throws {
        try await TestServer.with(hasPages: true) { server in
            let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
            let browser = WebBrowser(server)
            let cases = [
                "/account/sign-in?code_challenge=\(challenge)&redirect_to=https%3A%2F%2Fapp.example.org%2F%3Fa%3Db%26c",
                "/account/second-step?use=recovery", "/account/sign-in?again=yes&a=%22%3E%3Cb%3E&b=",
            ]
            for path in cases {
                try await browser.open("\(path)&lang=en")
                let (page, shown) = (path.split(separator: "?")[0], path.replacing("&", with: "&amp;"))
                if browser.page.path == path {
                    #expect(browser.page.text.contains("href=\"\(shown)&amp;lang=de\""), "\(path)")
                }
                let moved = try await server.send(.get, "\(path)&lang=de", authority: "127.0.0.1:9999")
                #expect(moved.headers[.location] == path, "\(page)")
            }
            #expect(try await browser.open("/account/sign-in").text.contains("href=\"/account/sign-in?lang=de\""))
            let long = "/account/sign-in?a=" + String(repeating: "a", count: 4_096)
            #expect(try await browser.open(long).text.contains("href=\"/account/sign-in?lang=de\""))
        }
    }
}
