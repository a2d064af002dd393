import AuthServer
import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// Scripted responses: these are the pages' own steps.
@Suite("Pages for credentials that a proof set aside")
struct SetAsidePageTests {
    private static let time: AuthJSON = "2026-01-02T00:00:00Z"

    private func refusal(_ more: AuthJSONObject = [:]) -> OutgoingHTTP.Answer {
        let body: AuthJSONObject = ["code": "credential_set_aside", "message": "no"]
        return OutgoingHTTP.Answer(status: 403, body: Array(AuthJSON.object(body.merging(more) { $1 }).text.utf8))
    }

    private static func isTo(_ path: String, _ call: OutgoingCall) -> Bool {
        call.url.hasPrefix(TestServer.issuer + path)
    }

    private func body(_ pages: RemotePages, _ path: String) throws -> AuthJSONObject {
        let call = try #require(pages.calls.last { Self.isTo(path, $0) })
        return try JSONReader.read(try #require(call.body)).objectValue ?? [:]
    }

    private func with(_ test: (TestServer, RemotePages) async throws -> Void) async throws {
        try await TestServer.with(change: { $0.mail = MailRules() }) { server in
            try await test(server, try RemotePages(server))
        }
    }

    @Test("A set-aside password leads to the code, which is sent with it; another email keeps it")
    func password() async throws {
        try await with { server, pages in
            pages.answer { Self.isTo("/token?grant_type=password", $0) ? refusal() : nil }
            let browser = pages.browser
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            #expect(browser.page.title == "Check your email")
            #expect(browser.page.text.contains("Enter the code we emailed you to keep using this password."))
            #expect(!browser.page.text.contains(SignInPageTests.person["password"] ?? ""))
            try await browser.press("Send Again")
            try await browser.press("Continue", ["code": "123456"])
            let sent = try body(pages, "/verify")
            #expect(sent["password"]?.stringValue == SignInPageTests.person["password"])
            #expect(sent["type"] == "email" && sent["token"] == "123456")
            #expect(sent["email"]?.stringValue == SignInPageTests.person["email"])
        }
    }

    @Test("A user who returns to the sign-in page takes no password to the code")
    func left() async throws {
        try await with { server, pages in
            pages.answer { Self.isTo("/token?grant_type=password", $0) ? refusal() : nil }
            let browser = pages.browser
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            try await browser.open("/account/sign-in")
            try await browser.open("/account/check-mail")
            try await browser.press("Continue", ["code": "123456"])
            #expect(try body(pages, "/verify")["password"] == nil)
        }
    }

    @Test("The code of a sign-up is sent with its password")
    func signUp() async throws {
        try await TestServer.with(change: { ($0.mail, $0.confirmsAutomatically) = (MailRules(), false) }) { server in
            let pages = try RemotePages(server)
            let browser = pages.browser
            try await browser.open("/account/sign-up")
            try await browser.press("Create Account", SignInPageTests.person)
            #expect(browser.page.title == "Check your email")
            try await browser.press("Continue", ["code": "000000"])
            #expect(
                try body(pages, "/verify")["password"]?.stringValue == SignInPageTests.person["password"])
        }
    }

    @Test("The account's page says what is set aside, and which address moved")
    func home() async throws {
        try await with { server, pages in
            let browser = try await pages.signedIn(server)
            let user: AuthJSON = [
                "id": "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10", "created_at": Self.time,
                "former_email": "ada@example.com", "former_email_moved_at": Self.time,
                "set_aside": [
                    ["type": "password", "set_aside_at": Self.time],
                    [
                        "type": "passkey", "id": "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10", "name": "<iPhone>",
                        "set_aside_at": Self.time,
                    ],
                    [
                        "type": "identity", "id": "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10", "provider": "google",
                        "set_aside_at": Self.time,
                    ],
                ],
            ]
            pages.answer { call in
                call.url == TestServer.issuer + "/user"
                    ? OutgoingHTTP.Answer(status: 200, body: Array(user.text.utf8)) : nil
            }
            let text = try await browser.open("/account").text
            #expect(text.contains("ada@example.com now belongs to another account."))
            #expect(text.contains("Your earlier password is set aside."))
            #expect(text.contains("The passkey “&lt;iPhone&gt;” is set aside."))
            #expect(text.contains("Google is set aside."))
        }
    }
}
