import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("A refused request for a mail, while an earlier mail is awaited")
struct RefusedMailTests {
    private func with(_ test: (TestServer, WebBrowser) async throws -> Void) async throws {
        try await TestServer.with(
            hasPages: true,
            change: {
                // The interval between two mails stays.
                $0.confirmsAutomatically = false
                $0.mail = MailRules()
            }
        ) { try await test($0, WebBrowser($0)) }
    }

    private func addUser(_ server: TestServer) async throws {
        let made: AuthJSON = [
            "email": .string(SignInPageTests.email), "password": .string(TestServer.password), "email_confirm": true,
        ]
        #expect(try await server.admin(.post, "/users", json: made).status == 200)
    }

    private func open(_ link: String, in browser: WebBrowser) async throws {
        try await browser.open(link)
        let form = try #require(browser.page.forms.first)
        try await browser.send("/auth/v1/verify/page", form.fields)
    }

    @Test(
        "It leaves the link of the earlier mail, and the page leads to its code",
        arguments: ["/sign-in/code", "/forgot-password"], [SignInPageTests.email, "nothing"])
    func link(path: String, address: String) async throws {
        try await with { server, browser in
            try await addUser(server)
            try await browser.open("/account\(path)")
            try await browser.press("Send Email", ["email": SignInPageTests.email])
            #expect(browser.page.title == "Check your email")
            let mail = try await server.deliveredMail()
            try await browser.open("/account\(path)")
            #expect(!browser.page.text.contains("Enter the Code Sent to"))
            try await browser.press("Send Email", ["email": address])
            #expect(browser.page.problem != nil)
            #expect(browser.page.text.contains("\"/account/check-mail\">Enter the Code Sent to ada@example.com"))
            try await open(mail.path, in: browser)
            #expect(browser.page.title == (path == "/forgot-password" ? "Set a Password" : "Account"))
        }
    }

    @Test("The earlier mail's code counts after it, also where the mail was to be sent again")
    func code() async throws {
        try await with { server, browser in
            try await addUser(server)
            try await browser.open("/account/sign-in/code")
            try await browser.press("Send Email", ["email": SignInPageTests.email])
            let mail = try await server.deliveredMail()
            try await browser.press("Send Again")
            #expect(browser.page.problem != nil && browser.page.title == "Check your email")
            try await browser.press("Continue", ["code": mail.code])
            #expect(browser.page.title == "Account")
        }
    }

    @Test("A refused sign-up leaves the link of the mail of the one before")
    func signUp() async throws {
        try await with { server, browser in
            try await browser.open("/account/sign-up")
            try await browser.press("Create Account", SignInPageTests.person)
            let mail = try await server.deliveredMail()
            try await browser.open("/account/sign-up")
            try await browser.press("Create Account", ["email": "bob@example.com", "password": "short"])
            #expect(browser.page.problem != nil)
            #expect(browser.page.text.contains("Enter the Code Sent to ada@example.com"))
            try await open(mail.path, in: browser)
            #expect(browser.page.title == "Account")
        }
    }

    @Test("A refused change of address leaves the links of the change before")
    func change() async throws {
        try await with { server, browser in
            try await addUser(server)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            try await browser.open("/account/email")
            try await browser.press("Save Email", ["email": "ada.new@example.com"])
            let mails = try await server.deliveredMails()
            #expect(mails.count == 2)
            try await browser.open("/account/email")
            try await browser.press("Save Email", ["email": "nothing"])
            #expect(browser.page.problem == "This email address can't be used. Please enter a valid email address.")
            #expect(browser.page.text.contains("Enter the Code Sent to ada.new@example.com"))
            try await browser.open("/account/check-mail")
            try await browser.press("Enter the Code Sent to ada@example.com")
            let current = try #require(mails.first { $0.content.recipient.text == SignInPageTests.email })
            try await browser.press("Continue", ["code": current.content.code?.reveal() ?? ""])
            #expect(browser.page.done == "Now confirm from your other email address.")
            let new = try #require(mails.first { $0.content.recipient.text != SignInPageTests.email })
            let link = (new.link ?? "").replacing(server.settings.externalURL, with: "/auth/v1")
            try await open(link, in: browser)
            #expect(browser.page.done == "Your email has been changed.")
        }
    }
}
