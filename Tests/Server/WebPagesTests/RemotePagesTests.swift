import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing
import WebPages

@Suite("serve --only pages")
struct RemotePagesTests {
    @Test("The pages alone sign a user in at an Auth API elsewhere, without a database")
    func signIn() async throws {
        try await TestServer.with { server in
            let pages = try RemotePages(server)
            let (browser, caller) = (try await pages.signedIn(server), pages.caller)
            try await browser.open("/account/data")
            try await browser.press("Download My Data")
            #expect(try JSONReader.read(browser.page.text)["user"]?["email"] == "ada@example.com")
            #expect(try await caller.send(.get, "/ready").status == 200)
            server.wire.fail(.noConnection)
            try await browser.open("/account")
            #expect(browser.page.status == 503)
            #expect(try await caller.send(.get, "/ready").status == 503)
            server.wire.fail(nil)
            try await browser.open("/account")
            #expect(browser.page.title == "Account")
        }
    }

    @Test("Wrong settings of the pages are refused by name")
    func settings() {
        let wrong = [
            "GATEHOUSE_ACCOUNT_PAGES": "true", "GATEHOUSE_ACCOUNT_PAGES_ACCENT": "blue",
            "GATEHOUSE_ACCOUNT_PAGES_SYMBOL": "/nothing/here.png", "GATEHOUSE_ACCOUNT_PAGES_TEXTS": "/nothing/here",
        ]
        let problems = GivenValues.problems(wrong, parts: [.auth, .gateway, .pages])
        #expect(problems.count == 3)
        let path = ["GATEHOUSE_ACCOUNT_PAGES": "true", "GATEHOUSE_ACCOUNT_PAGES_URL": "https://a.example/pages"]
        #expect(GivenValues.problems(path, parts: [.auth, .gateway, .pages]).count == 1)
        #expect(GivenValues.problems(["GATEHOUSE_AUTH_PATHS": "/account"]).count == 1)
        #expect(GivenValues.problems(["GATEHOUSE_AUTH_PATHS": "/console"]).count == 1)
    }

    @Test("A text of the operator's replaces ours, with as many arguments")
    func texts() throws {
        #expect(try Branding.texts(Array(#"{"Sign In": "Log in"}"#.utf8)) == ["Sign In": "Log in"])
        for wrong in [#"{"Never said": "x"}"#, #"{"Sign In": "Log in, %@"}"#, "[]", #"{"Sign In": 1}"#] {
            #expect(throws: (any Error).self) { try Branding.texts(Array(wrong.utf8)) }
        }
    }
}
