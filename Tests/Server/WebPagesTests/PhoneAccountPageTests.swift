import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("A phone number on the account pages")
struct PhoneAccountPageTests {
    private static let shown = "+49 170 123 4567"

    private func emailed(_ server: TestServer, _ browser: WebBrowser) async throws {
        _ = try await server.signUp()
        try await signIn(browser)
    }

    private func signIn(_ browser: WebBrowser) async throws {
        try await browser.open("/account/sign-in")
        try await browser.press("Sign In", SignInPageTests.person)
    }

    @Test("A user adds a number with its code, sees it, and signs in with it")
    func adds() async throws {
        try await TestServer.texting { server, browser in
            try await emailed(server, browser)
            #expect(browser.page.text.contains("Add Phone Number"))
            try await browser.open("/account/phone")
            try await browser.press("Text Me a Code", ["region": "DE", "phone": "12"])
            #expect(browser.page.text.contains("-problem\">Please enter a valid phone number.<"))
            try await browser.press("Text Me a Code", ["region": "DE", "phone": "0170 1234567"])
            #expect(browser.page.title == "Check your messages")
            #expect(browser.page.text.contains("We've sent a code to \(Self.shown)."))
            let code = try await server.textedCode(to: TestServer.german)
            try await browser.press("Continue", ["code": TestServer.wrong(code)])
            #expect(browser.page.title == "Check your messages")
            try await browser.press("Continue", ["code": code])
            #expect(browser.page.done == "Your phone number has been changed.")
            #expect(browser.page.text.contains("Your phone number is \(Self.shown)."))
            try await browser.open("/account/methods")
            #expect(browser.page.text.contains("<span class=\"entry\">Phone Number</span>"))
            #expect(browser.page.text.contains("<span class=\"detail\">\(Self.shown)</span>"))
            server.passInterval()
            try await WebBrowser(server).signIn(server, by: TestServer.german)
        }
    }

    @Test("The current number and another account's are refused at the field")
    func refused() async throws {
        try await TestServer.texting { server, browser in
            try await server.makePhoned(TestServer.german)
            try await browser.signIn(server, by: TestServer.number)
            try await browser.open("/account/phone")
            #expect(browser.page.title == "Change Phone Number")
            try await browser.press("Text Me a Code", ["phone": "+1 555 123 0001"])
            #expect(browser.page.text.contains("-problem\">You already use this phone number. Enter another one.<"))
            try await browser.press("Text Me a Code", ["phone": "+49 170 1234567"])
            let taken = "-problem\">This phone number is already associated with another account.<"
            #expect(browser.page.text.contains(taken))
            #expect(browser.page.text.contains("value=\"+49 170 1234567\""))
            #expect(try await server.deliveredMails().isEmpty)
        }
    }

    @Test("A pending change leads to its code, also in another browser")
    func pending() async throws {
        try await TestServer.texting { server, browser in
            try await emailed(server, browser)
            try await browser.open("/account/phone")
            try await browser.press("Text Me a Code", ["phone": "+" + TestServer.german])
            let other = WebBrowser(server)
            try await signIn(other)
            try await other.open("/account/phone")
            #expect(other.page.text.contains("Enter the Code Sent to \(Self.shown)"))
            try await other.open("/account/check-messages")
            server.passInterval()
            try await other.press("Send Again")
            #expect(other.page.done == "The message is on its way.")
            try await other.press("Continue", ["code": try await server.textedCode(to: TestServer.german)])
            #expect(other.page.done == "Your phone number has been changed.")
        }
    }

    private func addFactor(_ server: TestServer, _ browser: WebBrowser) async throws {
        try await browser.open("/account/text-messages")
        try await browser.press("Text Me a Code", ["region": "DE", "phone": "0170 1234567"])
        #expect(browser.page.text.contains("We've sent a code to \(Self.shown)."))
        let code = try await server.textedCode(to: TestServer.german)
        try await browser.press("Continue", ["code": TestServer.wrong(code)])
        #expect(browser.page.text.contains("-problem\">The code is wrong or has expired."))
        try await browser.press("Send Again")
        #expect(browser.page.problem == "Another message can be sent in 1 minute.")
        try await browser.press("Continue", ["code": code])
        #expect(browser.page.done == "The phone number has been added.", "\(browser.page)")
    }

    @Test("A number becomes a second factor, answers at the next sign-in, and is removed")
    func factor() async throws {
        try await TestServer.texting { server, browser in
            try await emailed(server, browser)
            try await addFactor(server, browser)
            try await browser.open("/account/security")
            #expect(browser.page.text.contains("<span class=\"entry\">Phone Number</span><span class=\"detail\">On"))
            try await browser.open("/account")
            try await browser.press("Sign Out")
            try await signIn(browser)
            #expect(browser.page.title == "Confirm It's You")
            #expect(try await server.deliveredMails().isEmpty)
            server.passInterval()
            try await browser.press("Use a Text Message")
            #expect(browser.page.text.contains("We've sent a code to \(Self.shown)."))
            let code = try await server.textedCode(to: TestServer.german)
            try await browser.press("Continue", ["code": TestServer.wrong(code)])
            #expect(browser.page.text.contains("-problem\">The code is wrong or has expired."))
            try await browser.press("Send Again")
            #expect(browser.page.problem == "Another message can be sent in 1 minute.")
            try await browser.press("Continue", ["code": code])
            #expect(browser.page.title == "Account")
            try await browser.open("/account/text-messages")
            #expect(browser.page.text.contains("<span class=\"entry\">\(Self.shown)</span>"))
            try await browser.press("Remove")
            #expect(browser.page.title == "Remove \(Self.shown)")
            try await browser.press("Remove")
            #expect(browser.page.done == "The phone number has been removed.")
            try await browser.open("/account")
            try await browser.press("Sign Out")
            try await signIn(browser)
            #expect(browser.page.title == "Account")
        }
    }

    @Test("A message sent again at the second step answers with its own challenge")
    func secondMessage() async throws {
        try await TestServer.texting { server, browser in
            try await emailed(server, browser)
            try await addFactor(server, browser)
            let other = WebBrowser(server)
            try await signIn(other)
            server.passInterval()
            try await other.press("Use a Text Message")
            server.passInterval()
            try await other.press("Send Again")
            #expect(other.page.done == "The message is on its way.")
            try await other.press("Continue", ["code": try await server.textedCode(to: TestServer.german)])
            #expect(other.page.title == "Account")
        }
    }

    @Test("A number that is a second factor already is refused at the field")
    func twice() async throws {
        try await TestServer.texting { server, browser in
            try await emailed(server, browser)
            try await addFactor(server, browser)
            try await browser.open("/account/text-messages")
            try await browser.press("Text Me a Code", ["phone": "+" + TestServer.german])
            #expect(browser.page.text.contains("-problem\">You already use this phone number. Enter another one.<"))
        }
    }
}
