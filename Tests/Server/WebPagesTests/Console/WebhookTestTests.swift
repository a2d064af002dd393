import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Test events of the console")
struct WebhookTestTests {
    private static let endpoint = TestHooks.webhook("app", [.userCreated])

    @Test("A test event is sent once, and the page says whether the endpoint accepted it", arguments: TestDatabase.all)
    func sent(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hasConsole: true, hooks: TestHooks(webhooks: [Self.endpoint])) { server in
            server.receiver.answers { _ in (500, [:]) }
            let browser = WebBrowser(server)
            try await browser.open("/console/sign-in")
            try await browser.press("Sign In with API Key", ["key": TestServer.secretKey])
            try await browser.open("/console/webhooks")
            try await browser.press("Send Test")
            #expect(browser.page.problem == "app did not accept the test event: status 500.")
            #expect(server.receiver.calls.map { $0.json["type"]?.stringValue } == ["gatehouse.test"])
            try await server.accounts.events.disable(Self.endpoint, at: server.clock.now)
            server.receiver.answers { _ in (204, [:]) }
            try await browser.press("Send Test")
            #expect(browser.page.done == "app accepted the test event.")
            #expect(try await !server.accounts.events.isDisabled(Self.endpoint))
            #expect(server.receiver.calls.count == 2)
            #expect(try await server.accounts.events.waitingDeliveries().isEmpty)
            let unknown = try await server.admin(.post, "/webhooks/none/test")
            #expect(unknown.status == 404 && unknown.code == "not_found")
        }
    }
}
