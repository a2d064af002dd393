import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Signing in by phone on the account pages")
struct PhoneSignInPageTests {
    private static let wrongCode = "The code is wrong or has expired. Please check it, or request a new one."

    @Test("A texted code signs a new number up; errors keep what was typed")
    func code() async throws {
        try await TestServer.texting { server, browser in
            try await browser.open("/account/sign-in")
            #expect(browser.page.text.contains("href=\"/account/sign-in/phone\">Sign in with Phone<"))
            try await browser.open("/account/sign-in/phone")
            #expect(browser.page.text.contains("type=\"tel\""))
            #expect(browser.page.text.contains("autocomplete=\"tel-national\""))
            #expect(browser.page.text.contains("dir=\"ltr\" inputmode=\"tel\""))
            try await browser.press("Text Me a Code", ["region": "DE", "phone": "letters"])
            let invalid = "class=\"wrong\" id=\"f1-phone-problem\">Please enter a valid phone number.<"
            #expect(browser.page.text.contains(invalid))
            #expect(browser.page.text.contains("value=\"letters\""))
            #expect(browser.page.text.contains("<option value=\"DE\" selected>Germany (+49)</option>"))
            #expect(try await server.deliveredMails().isEmpty)
            try await browser.press("Text Me a Code", ["region": "DE", "phone": "0170 / 123 45 67"])
            #expect(browser.page.title == "Check your messages")
            #expect(browser.page.text.contains("If +49 170 123 4567 can be used here, we've sent a code to it."))
            #expect(browser.page.text.contains("autocomplete=\"one-time-code\""))
            let code = try await server.textedCode(to: TestServer.german)
            try await browser.press("Continue", ["code": TestServer.wrong(code)])
            #expect(browser.page.text.contains("class=\"wrong\" id=\"f1-code-problem\">\(Self.wrongCode)<"))
            try await browser.press("Continue", ["code": "\(code.prefix(3)) \(code.suffix(3))"])
            #expect(browser.page.title == "Account")
            #expect(browser.page.text.contains("Your phone number is +49 170 123 4567."))
        }
    }

    @Test("Another message waits for its time, and either code signs in")
    func again() async throws {
        try await TestServer.texting { server, browser in
            try await browser.open("/account/sign-in/phone")
            try await browser.press("Text Me a Code", ["phone": "+" + TestServer.number])
            let first = try await server.textedCode(to: TestServer.number)
            try await browser.press("Send Again")
            #expect(browser.page.problem == "Another message can be sent in 1 minute.")
            #expect(browser.page.title == "Check your messages")
            try await browser.open("/account/sign-in/phone")
            try await browser.press("Text Me a Code", ["phone": "+" + TestServer.number])
            #expect(browser.page.problem == "Another message can be sent in 1 minute.")
            #expect(browser.page.text.contains("Enter the Code Sent to +1 555 123 0001"))
            try await browser.open("/account/check-messages")
            server.passInterval()
            try await browser.press("Send Again")
            #expect(browser.page.done == "The message is on its way.")
            #expect(try await server.textedCode(to: TestServer.number) != first)
            try await browser.press("Continue", ["code": first])
            #expect(browser.page.title == "Account")
        }
    }

    @Test("A number of a country that gets no messages is refused at its field")
    func country() async throws {
        try await TestServer.texting { server, browser in
            try await browser.open("/account/sign-in/phone")
            try await browser.press("Text Me a Code", ["region": "FR", "phone": "06 12 34 56 78"])
            #expect(
                browser.page.text.contains(
                    "-problem\">We couldn't send the message. Check the phone number and try again.<"))
            #expect(browser.page.text.contains("value=\"06 12 34 56 78\""))
            #expect(try await server.deliveredMails().isEmpty)
        }
    }

    @Test("A number and its password sign in; a wrong password keeps the number")
    func password() async throws {
        try await TestServer.texting { server, browser in
            try await server.makePhoned()
            try await browser.open("/account/sign-in/phone?use=password")
            try await browser.press("Sign In", ["region": "US", "phone": "(555) 123-0001", "password": "something"])
            #expect(browser.page.problem == "Incorrect phone number or password. Please try again.")
            #expect(browser.page.text.contains("value=\"(555) 123-0001\""))
            try await browser.press("Sign In", ["region": "US", "password": TestServer.password])
            #expect(browser.page.title == "Account")
            #expect(try await server.deliveredMails().isEmpty)
        }
    }

    @Test("The password of an unconfirmed sign-up, or one that was set aside, leads to the texted code")
    func unconfirmed() async throws {
        try await TestServer.texting { server, browser in
            let signUp: AuthJSON = ["phone": .string(TestServer.number), "password": .string(TestServer.password)]
            #expect(try await server.send(.post, "/auth/v1/signup", json: signUp).status == 200)
            let fields = ["phone": "+" + TestServer.number, "password": TestServer.password]
            try await browser.open("/account/sign-in/phone?use=password")
            try await browser.press("Sign In", fields)
            #expect(browser.page.title == "Check your messages")
            // A code alone sets the sign-up's password aside.
            server.passInterval()
            try await WebBrowser(server).signIn(server, by: TestServer.number)
            server.passInterval()
            try await browser.open("/account/sign-in/phone?use=password")
            try await browser.press("Sign In", fields)
            #expect(browser.page.text.contains("Enter the code we texted you to keep using this password."))
            try await browser.press("Continue", ["code": try await server.textedCode(to: TestServer.number)])
            #expect(browser.page.title == "Account")
            #expect(try await server.send(.post, "/auth/v1/token?grant_type=password", json: signUp).status == 200)
        }
    }

    @Test(
        "Every language names the countries, begins with the browser's, and keeps numbers left to right",
        arguments: [
            ("en-GB", "GB", "United Kingdom (+44)"), ("de-CH", "CH", "Schweiz (+41)"), ("es", "ES", "España (+34)"),
            ("ja", "JP", "日本 (+81)"), ("ar", "EG", "مصر (+20)"), ("fr-CA", "CA", "Canada (+1)"),
            ("it", "IT", "Italia (+39)"), ("pt-BR", "BR", "Brasil (+55)"), ("zh-Hans", "CN", "中国大陆 (+86)"),
            ("ko", "KR", "대한민국 (+82)"),
        ])
    func languages(language: String, region: String, title: String) async throws {
        try await TestServer.texting { _, browser in
            browser.language = "\(language),en;q=0.5"
            try await browser.open("/account/sign-in/phone")
            #expect(browser.page.text.contains("<option value=\"\(region)\" selected>\(title)</option>"), "\(language)")
            let fields = WebPage.between("<input ", ">", in: browser.page.text).filter { $0.contains("type=\"tel\"") }
            #expect(fields.count == 1 && fields[0].contains("dir=\"ltr\""))
        }
    }

    @Test("A server without numbers does not offer them")
    func off() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = WebBrowser(server)
            for path in ["/account/sign-in", "/account/sign-up"] {
                try await browser.open(path)
                #expect(!browser.page.text.contains("/sign-in/phone"))
            }
            try await browser.open("/account/sign-in/phone")
            #expect(browser.page.path == "/account/sign-in")
        }
    }
}
