import AccountStore
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Phone numbers and text messages in the console")
struct ConsoleTextTests {
    private func operating(_ server: TestServer) async throws -> WebBrowser {
        let browser = WebBrowser(server)
        try await browser.open("/console/sign-in")
        try await browser.press("Sign In with API Key", ["key": TestServer.secretKey])
        #expect(browser.page.title == "Overview")
        return browser
    }

    private func ask(_ server: TestServer, _ numbers: Range<Int>) async throws {
        for index in numbers {
            let answer = try await server.send(.post, "/auth/v1/otp", json: ["phone": .string("1555\(index)30001")])
            #expect(answer.status == 200, "\(answer)")
        }
    }

    @Test("The overview counts messages and used codes, and warns when few are used", arguments: TestDatabase.all)
    func unused(_ kind: TestDatabase) async throws {
        try await TestServer.texting(on: kind, hasConsole: true) { server, browser in
            try await browser.signIn(server, by: TestServer.number)
            try await ask(server, 100..<118)
            // A request that no account waits for is no message.
            let unknown: AuthJSON = ["phone": "15559990001", "create_user": false]
            #expect(try await server.send(.post, "/auth/v1/otp", json: unknown).status == 200)
            #expect(try await server.deliveredMails().count == 18)
            let console = try await operating(server)
            #expect(console.page.text.contains("In the last 24 hours: sent 0, codes used 0, failed 0."))
            server.clock.advance(by: .seconds(301))
            try await console.open("/console")
            #expect(console.page.text.contains("In the last 24 hours: sent 19, codes used 1, failed 0."))
            #expect(!console.page.text.contains("few codes used"))
            try await ask(server, 200..<201)
            #expect(try await server.deliveredMails().count == 1)
            server.clock.advance(by: .seconds(301))
            try await console.open("/console")
            #expect(console.page.text.contains("few codes used"))
            #expect(console.page.text.contains("In the last 24 hours, only 5% of 20 texted codes were used."))
            server.clock.advance(by: .seconds(86_400))
            try await console.open("/console")
            #expect(!console.page.text.contains("few codes used"))
        }
    }

    @Test("The overview says that messages fail")
    func failures() async throws {
        try await TestServer.texting(hasConsole: true) { server, _ in
            server.mailbox.script(.refused(reason: "no balance"))
            try await ask(server, 100..<101)
            _ = try await server.deliveredMails()
            server.clock.advance(by: .seconds(301))
            let console = try await operating(server)
            #expect(console.page.text.contains("In the last 24 hours: sent 0, codes used 0, failed 1."))
            #expect(console.page.text.contains("Check the provider's credentials and balance."))
        }
    }

    @Test("A server without text messages has no such figures")
    func off() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let console = try await operating(server)
            #expect(!console.page.text.contains("Text messages"))
        }
    }

    @Test("A user's page shows the number, its confirmation and the factor")
    func user() async throws {
        try await TestServer.texting(hasConsole: true) { server, browser in
            try await browser.signIn(server, by: TestServer.number)
            try await browser.open("/account/text-messages")
            try await browser.press("Text Me a Code", ["phone": "+" + TestServer.german])
            try await browser.press("Continue", ["code": try await server.textedCode(to: TestServer.german)])
            let console = try await operating(server)
            try await console.open("/console/users?method=phone")
            #expect(console.page.text.contains("+1 555 123 0001"))
            let path = try #require(WebPage.between("href=\"/console/users/", "\"", in: console.page.text).first)
            try await console.open("/console/users/" + path)
            let pattern = "<dt>Phone</dt><dd>+1 555 123 0001</dd>"
            #expect(console.page.text.contains(pattern))
            #expect(!console.page.text.contains("<dt>Phone confirmed</dt><dd>–</dd>"))
            #expect(console.page.text.contains("<dt>Phone confirmed</dt>"))
            #expect(console.page.text.contains("Phone number"))
            #expect(console.page.text.contains("+49 170 123 4567"))
        }
    }
}
