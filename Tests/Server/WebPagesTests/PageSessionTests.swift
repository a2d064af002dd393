import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("The session of the account pages")
struct PageSessionTests {
    @Test("A page that changes nothing leaves the cookie alone, so a slow tab takes nothing back")
    func unchanged() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-up")
            #expect(browser.page.headers[.setCookie] != nil)
            try await browser.press("Create Account", SignInPageTests.person)
            for path in ["/account", "/account/devices", "/account/security", "/account/nothing"] {
                try await browser.open(path)
                #expect(browser.page.headers[.setCookie] == nil, "\(path)")
            }
            server.clock.advance(by: .seconds(3_590))
            try await browser.open("/account")
            #expect(browser.page.headers[.setCookie]?.contains("Max-Age=2592000") == true)
        }
    }

    @Test("A key that the API refuses is the operator's problem: the page says so for now, and the user stays")
    func keys() async throws {
        try await TestServer.with { server in
            let pages = try RemotePages(server)
            let browser = try await pages.signedIn(server)
            for (path, code) in [("/user", "no_api_key"), ("/user", "invalid_api_key"), ("/token", "invalid_api_key")] {
                pages.refuse(path, 401, code)
                server.clock.advance(by: .seconds(path == "/token" ? 3_600 : 0))
                try await browser.open("/account")
                #expect(browser.page.status == 503, "\(path) \(code)")
                #expect(browser.page.title == "Service temporarily unavailable. Please try again later.")
                pages.answer { _ in nil }
                try await browser.open("/account")
                #expect(browser.page.title == "Account", "\(path) \(code)")
            }
        }
    }

    @Test(
        "An access token that the API refuses is refreshed once, and the call repeated",
        arguments: [(401, "no_authorization"), (403, "bad_jwt"), (401, "")])
    func refusedToken(status: Int, code: String) async throws {
        try await TestServer.with { server in
            let pages = try RemotePages(server)
            let browser = try await pages.signedIn(server)
            let before = pages.calls.last?.headers["authorization"]
            #expect(before != nil)
            pages.answer { call in
                guard call.headers["authorization"] == before else { return nil }
                return OutgoingHTTP.Answer(status: status, body: Array(#"{"code":"\#(code)"}"#.utf8))
            }
            // Another second, another token.
            server.clock.advance(by: .seconds(1))
            try await browser.open("/account")
            #expect(browser.page.title == "Account")
            #expect(pages.calls.count { $0.url.contains("grant_type=refresh_token") } == 1)
            pages.refuse("/user", status, code)
            try await browser.open("/account")
            #expect(browser.page.status == 503)
            #expect(pages.calls.count { $0.url.contains("grant_type=refresh_token") } == 2)
            pages.answer { _ in nil }
            try await browser.open("/account")
            #expect(browser.page.title == "Account")
        }
    }

    @Test(
        "A refresh that is refused for another reason ends no session",
        arguments: [(429, "over_request_rate_limit"), (400, "validation_failed"), (403, ""), (404, "not_found")])
    func otherRefusals(status: Int, code: String) async throws {
        try await TestServer.with { server in
            let pages = try RemotePages(server)
            let browser = try await pages.signedIn(server)
            server.clock.advance(by: .seconds(3_600))
            pages.refuse("/token", status, code)
            try await browser.open("/account")
            #expect(browser.page.status == 503)
            pages.answer { _ in nil }
            try await browser.open("/account")
            #expect(browser.page.title == "Account")
        }
    }

    @Test(
        "A session that has ended leads to the sign-in",
        arguments: [
            ("/token", "refresh_token_not_found"), ("/token", "refresh_token_already_used"),
            ("/token", "session_expired"), ("/token", "user_banned"), ("/user", "session_not_found"),
            ("/user", "user_not_found"),
        ])
    func ended(path: String, code: String) async throws {
        try await TestServer.with { server in
            let pages = try RemotePages(server)
            let browser = try await pages.signedIn(server)
            server.clock.advance(by: .seconds(3_600))
            pages.refuse(path, path == "/token" ? 400 : 403, code)
            try await browser.open("/account")
            #expect(browser.page.title == "Sign In")
            #expect(browser.page.problem == "Session expired. Please sign in again.")
        }
    }

    @Test("The browser's address reaches the API in the header that the settings name")
    func address() async throws {
        let proxies = ["GATEHOUSE_TRUSTED_PROXIES": "192.0.2.0/24"]
        let header = ["GOTRUE_RATE_LIMIT_HEADER": "CF-Connecting-IP"]
        let cases: [([String: String], String, String)] = [
            ([:], "x-forwarded-for", "192.0.2.1"), (proxies, "x-forwarded-for", "203.0.113.9"),
            (proxies.merging(["GATEHOUSE_PROXY_HEADER": "X-Real-IP"]) { $1 }, "x-real-ip", "203.0.113.9"),
            (header, "cf-connecting-ip", "203.0.113.9"),
            (proxies.merging(header) { $1 }, "cf-connecting-ip", "203.0.113.9"),
        ]
        for (settings, name, address) in cases {
            try await TestServer.with { server in
                let pages = try RemotePages(server, settings)
                try await pages.browser.open(
                    "/account/sign-in", headers: [try #require(HTTPField.Name(name)): "203.0.113.9"])
                let call = try #require(pages.calls.last)
                #expect(call.headers[name] == address, "\(settings)")
                #expect(call.headers.keys.count { $0 == "x-forwarded-for" } == (name == "x-forwarded-for" ? 1 : 0))
            }
        }
    }
}
