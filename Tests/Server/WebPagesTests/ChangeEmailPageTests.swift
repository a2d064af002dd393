import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Changing the email address on the account pages")
struct ChangeEmailPageTests {
    private static let new = "ada.new@example.com"

    private func signedIn(_ server: TestServer) async throws -> WebBrowser {
        let made: AuthJSON = [
            "email": .string(SignInPageTests.email), "password": .string(TestServer.password), "email_confirm": true,
        ]
        #expect(try await server.admin(.post, "/users", json: made).status == 200)
        let browser = WebBrowser(server)
        try await browser.open("/account/sign-in")
        try await browser.press("Sign In", SignInPageTests.person)
        try await browser.open("/account/email")
        #expect(browser.page.title == "Change Email")
        #expect(browser.page.text.contains(SignInPageTests.email))
        return browser
    }

    private func code(_ server: TestServer, to address: String) async throws -> String {
        try #require(try await server.mailedCode(to: address, of: [.emailChangeNew, .emailChangeCurrent]))
    }

    @Test("The new address's code changes it, and the user stays signed in", arguments: TestDatabase.all)
    func oneCode(_ kind: TestDatabase) async throws {
        try await TestServer.with(
            on: kind, hasPages: true,
            change: {
                SignInPageTests.withMail(&$0)
                $0.mail?.confirmsBothAddresses = false
            }
        ) { server in
            let browser = try await signedIn(server)
            try await browser.press("Save Email", ["email": "nothing"])
            #expect(browser.page.problem == "This email address can't be used. Please enter a valid email address.")
            try await browser.press("Save Email", ["email": Self.new])
            #expect(browser.page.title == "Check your email")
            #expect(browser.page.text.contains("Until then, your email stays as it is."))
            let first = try await code(server, to: Self.new)
            try await browser.press("Send Again")
            #expect(browser.page.done == "The email is on its way.")
            let second = try await code(server, to: Self.new)
            try await browser.press("Continue", ["code": [first, second].contains("000000") ? "000001" : "000000"])
            #expect(browser.page.problem == "The code is wrong or has expired. Please check it, or request a new one.")
            try await browser.press("Continue", ["code": second])
            #expect(browser.page.title == "Account")
            #expect(browser.page.done == "Your email has been changed.")
            #expect(browser.page.text.contains(Self.new))
            #expect(try await server.signIn(Self.new).status == 200)
        }
    }

    @Test("Where both addresses confirm, the page asks for both codes, in either order", arguments: [true, false])
    func twoCodes(isNewFirst: Bool) async throws {
        try await TestServer.with(hasPages: true, change: SignInPageTests.withMail) { server in
            let browser = try await signedIn(server)
            try await browser.press("Save Email", ["email": Self.new])
            let order = isNewFirst ? [Self.new, SignInPageTests.email] : [SignInPageTests.email, Self.new]
            if !isNewFirst { try await browser.press("Enter the Code Sent to \(order[0])") }
            #expect(browser.page.text.contains("We've sent a code to \(order[0])."))
            try await browser.press("Continue", ["code": try await code(server, to: order[0])])
            #expect(browser.page.done == "Now confirm from your other email address.")
            #expect(browser.page.text.contains("We've sent a code to \(order[1])."))
            try await browser.press("Continue", ["code": try await code(server, to: order[1])])
            #expect(browser.page.done == "Your email has been changed.")
            try await browser.open("/account")
            #expect(browser.page.text.contains(Self.new))
        }
    }

    @Test("A change that is awaited leads to its code from the page, also in another browser")
    func pending() async throws {
        try await TestServer.with(hasPages: true, change: SignInPageTests.withMail) { server in
            let browser = try await signedIn(server)
            try await browser.press("Save Email", ["email": Self.new])
            let other = WebBrowser(server)
            try await other.open("/account/sign-in")
            try await other.press("Sign In", SignInPageTests.person)
            try await other.open("/account/email")
            #expect(other.page.text.contains("Enter the Code Sent to \(Self.new)"))
            try await other.open("/account/check-mail")
            try await other.press("Continue", ["code": try await code(server, to: Self.new)])
            #expect(other.page.done == "Now confirm from your other email address.")
        }
    }

    @Test("After a while the current password is asked for")
    func stale() async throws {
        var policy = SessionPolicy()
        policy.freshSignIn = .seconds(600)
        try await TestServer.with(policy: policy, hasPages: true, change: SignInPageTests.withMail) { server in
            let browser = try await signedIn(server)
            server.clock.advance(by: .seconds(1_200))
            try await browser.press("Save Email", ["email": Self.new])
            #expect(browser.page.problem == "The current password is missing. Please enter your current password.")
            try await browser.press("Save Email", ["email": Self.new, "current": "wrong"])
            #expect(browser.page.problem == "The current password isn't correct. Please try again.")
            try await browser.press("Save Email", ["email": Self.new, "current": TestServer.password])
            #expect(browser.page.title == "Check your email")
        }
    }
}
