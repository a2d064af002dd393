import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("The page that reports an unknown device")
struct DeviceReportPageTests {
    private static let email = "ada@example.com"

    @Test("Opened from the notice, it signs the device out once the email is typed", arguments: TestDatabase.all)
    func reported(_ kind: TestDatabase) async throws {
        try await TestServer.with(
            on: kind, hasPages: true,
            change: {
                SignInPageTests.withMail(&$0)
                $0.mail?.notices = [.newDevice]
            }
        ) { server in
            _ = try await server.admin(
                .post, "/users",
                json: ["email": .string(Self.email), "password": .string(TestServer.password), "email_confirm": true])
            for agent in ["Journal/1.2 (iPhone17,3; iOS 18.2) gatehouse-swift/0.2", "curl/8.1"] {
                let json: AuthJSON = ["email": .string(Self.email), "password": .string(TestServer.password)]
                let answer = try await server.send(
                    .post, "/auth/v1/token?grant_type=password", headers: [.userAgent: agent], json: json)
                #expect(answer.status == 200)
            }
            let content = try await server.deliveredMail().mail.content
            let page = try #require(content.notice?.page)
            let path = try #require(page.split(separator: "/account").last)
            let browser = WebBrowser(server)
            try await browser.open("/account\(path)?token=\(content.notice?.reportToken?.reveal() ?? "")")
            #expect(browser.page.title == "Report a Sign-In")
            // A mail scanner.
            try await browser.press("This Wasn't Me", ["email": ""])
            #expect(browser.page.problem != nil)
            try await browser.press("This Wasn't Me", ["email": "bob@example.com"])
            #expect(browser.page.problem?.hasPrefix("The link has expired or was already used") == true)
            try await browser.press("This Wasn't Me", ["email": Self.email])
            #expect(browser.page.title == "Device Signed Out")
            #expect(browser.page.text.contains("Someone else may know your password. Choose a new one."))
            try await browser.open("/account\(path)?token=\(content.notice?.reportToken?.reveal() ?? "")")
            try await browser.press("This Wasn't Me", ["email": Self.email])
            #expect(browser.page.problem?.hasPrefix("The link has expired or was already used") == true)
        }
    }
}
