import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("An invitation")
struct InvitationPageTests {
    private static let email = "grace@example.com"

    private static func settings(_ settings: inout AuthSettings) {
        SignInPageTests.withMail(&settings)
        settings.allowsSignUp = false
    }

    private func invite(
        _ server: TestServer, _ members: AuthJSONObject = [:]
    ) async throws -> (path: String, code: String) {
        let invited: AuthJSONObject = ["email": .string(Self.email)]
        let answer = try await server.admin(.post, "/invite", json: .object(invited.merging(members) { $1 }))
        #expect(answer.status == 200)
        let mail = try await server.deliveredMail()
        return (mail.path, mail.code)
    }

    @Test(
        "Its link and code end signed in, at the choice of a password or a passkey", arguments: [false, true],
        TestDatabase.all)
    func accepted(opensAtOnce: Bool, kind: TestDatabase) async throws {
        try await TestServer.with(
            on: kind, hasPages: true,
            change: {
                Self.settings(&$0)
                $0.mail?.opensLinksAtOnce = opensAtOnce
                $0.allowsImplicitFlow = opensAtOnce
            }
        ) { server in
            let invitation = try await invite(server, ["data": ["team": "blue"]])
            // A mail scanner opens the link and presses the button.
            let scanner = WebBrowser(server)
            try await scanner.open(invitation.path)
            try await scanner.press("Continue", ["code": ""])
            #expect(scanner.page.title == "You're Invited" && scanner.page.problem != nil)

            let browser = WebBrowser(server)
            try await browser.open(invitation.path)
            #expect(browser.page.title == "You're Invited" && browser.page.path.hasPrefix("/account/invitation"))
            try await browser.press("Continue", ["code": "000000"])
            #expect(browser.page.problem?.hasPrefix("The code is wrong or has expired.") == true)
            try await browser.press("Continue", ["code": invitation.code])
            #expect(browser.page.path == "/account/new-password")
            let password = "another horse 43"
            try await browser.press("Save Password", ["password": password, "confirmation": password])
            #expect(browser.page.done == "Your password has been saved.")
            let session = try await server.signIn(Self.email, password: password)
            #expect(session["user"]?["user_metadata"]?["team"] == "blue")

            let late = WebBrowser(server)
            try await late.open(invitation.path)
            #expect(late.page.title == "Invitation Ended")
        }
    }

    @Test("It waits seven days, while other codes last an hour")
    func lifetime() async throws {
        try await TestServer.with(hasPages: true, change: Self.settings) { server in
            let invitation = try await invite(server)
            server.clock.advance(by: .seconds(604_800 - 60))
            let browser = WebBrowser(server)
            try await browser.open(invitation.path)
            #expect(browser.page.title == "You're Invited")
            server.clock.advance(by: .seconds(61))
            try await browser.press("Continue", ["code": invitation.code])
            #expect(browser.page.problem?.hasPrefix("The code is wrong or has expired.") == true)
            try await browser.open(invitation.path)
            #expect(browser.page.title == "Invitation Ended")
        }
    }

    @Test("Sent again, it leads to the same page and lasts as long", arguments: TestDatabase.all)
    func repeated(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hasPages: true, change: Self.settings) { server in
            _ = try await invite(server)
            let user = try await server.admin(.get, "/users")["users"]?.arrayValue?.first?["id"]?.stringValue
            #expect(try await server.admin(.post, "/users/\(try #require(user))/resend").status == 204)
            let mail = try await server.deliveredMail()
            server.clock.advance(by: .seconds(604_800 - 60))
            let browser = WebBrowser(server)
            try await browser.open(mail.path)
            #expect(browser.page.title == "You're Invited")
            try await browser.press("Continue", ["code": mail.code])
            #expect(browser.page.path == "/account/new-password")
        }
    }

    @Test("An app's own address stays the invitation's target")
    func ownTarget() async throws {
        try await TestServer.with(
            hasPages: true,
            change: {
                Self.settings(&$0)
                $0.redirects = $0.redirects.adding("org.example.app://welcome")
            }
        ) { server in
            let invitation = try await invite(server, ["redirect_to": "org.example.app://welcome"])
            #expect(invitation.path.contains("redirect_to=org.example.app"))
        }
    }
}
