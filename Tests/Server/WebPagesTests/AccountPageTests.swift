import AccountDomain
import AuthServer
import Foundation
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("The pages of an account")
struct AccountPageTests {
    private func signedIn(_ server: TestServer) async throws -> WebBrowser {
        let browser = WebBrowser(server)
        try await browser.open("/account/sign-up")
        try await browser.press("Create Account", SignInPageTests.person)
        return browser
    }

    @Test("Another device is listed by its name, and signed out by its button")
    func devices() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            let phone = try #require(TestSession(try await server.signIn()))
            try await browser.open("/account/devices")
            #expect(browser.page.text.contains("This Device"))
            #expect(browser.page.text.contains("Unknown Device"))
            try await browser.press("Sign Out")
            #expect(browser.page.done == "The device is signed out.")
            #expect(try await server.refresh(phone.refreshToken).status == 400)
            _ = try await server.signIn()
            try await browser.open("/account/devices")
            try await browser.press("Sign Out All Other Devices")
            #expect(browser.page.done == "All other devices are signed out.")
            #expect(WebPage.between("<li><div>", "</li>", in: browser.page.text).count == 1)
        }
    }

    @Test("The session of the pages is listed with the browser's own address and name")
    func ownDevice() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            try await browser.open("/account/devices")
            #expect(browser.page.text.contains("192.0.2.1"))
            #expect(browser.page.text.contains("Firefox"))
        }
    }

    @Test("A new password needs the current one where the server says so, and ends the other sessions")
    func password() async throws {
        try await TestServer.with(hasPages: true, change: { $0.requiresCurrentPassword = true }) { server in
            let browser = try await signedIn(server)
            let phone = try #require(TestSession(try await server.signIn()))
            var fields = ["password": "another horse 43", "confirmation": "another horse 43"]
            try await browser.open("/account/security")
            #expect(!browser.page.text.contains("Current Password"))
            try await browser.press("Save Password", fields)
            #expect(browser.page.problem == "The current password is missing. Please enter your current password.")
            #expect(browser.page.text.contains("Current Password"))
            fields["current"] = "wrong"
            try await browser.press("Save Password", fields)
            #expect(browser.page.problem == "The current password isn't correct. Please try again.")
            fields["current"] = TestServer.password
            try await browser.press("Save Password", fields)
            #expect(browser.page.done == "Your password has been saved.")
            #expect(try await server.refresh(phone.refreshToken).status == 400)
            try await browser.open("/account")
            #expect(browser.page.title == "Account")
        }
    }

    @Test("A new password long after the sign-in asks for the current one, or leads to a mailed code")
    func lateNewPassword() async throws {
        var policy = SessionPolicy()
        policy.freshSignIn = .seconds(600)
        try await TestServer.with(policy: policy, hasPages: true, change: { $0.mail = MailRules() }) { server in
            let browser = try await signedIn(server)
            server.clock.advance(by: .seconds(700))
            try await browser.open("/account/new-password")
            var fields = ["password": "another horse 43", "confirmation": "another horse 43"]
            try await browser.press("Save Password", fields)
            #expect(browser.page.problem == "The current password is missing. Please enter your current password.")
            #expect(browser.page.text.contains("href=\"/account/forgot-password\">Forgot password?"))
            fields["current"] = TestServer.password
            try await browser.press("Save Password", fields)
            #expect(browser.page.done == "Your password has been saved.")
        }
    }

    @Test("The address of a form alone leads to the page above it, and a provider that is off to none")
    func otherAddresses() async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            let browser = try await signedIn(server)
            for path in ["/sign-out", "/sign-out?lang=en", "/check-mail/again", "/check-mail/other?lang=en"] {
                try await browser.open("/account\(path)")
                #expect(browser.page.title == "Account", "\(path)")
            }
            #expect(try await browser.open("/account/provider/google").title == "Sign in with Google")
            for headers in [[:], [HTTPField.Name.fetchSite: "same-origin"]] as [HTTPFields] {
                try await browser.open("/account/provider/any-text", headers: headers)
                #expect(browser.page.status == 404 && !browser.page.text.contains("Any-text"))
            }
        }
    }

    @Test("A provider is added, and removed after a question")
    func methods() async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            let browser = try await signedIn(server)
            try await browser.open("/account/methods")
            #expect(browser.page.text.contains("Add another way to sign in before you remove this one."))
            try await browser.press("Sign in with Google")
            let onward = try #require(WebPage.between("0;url=", "\"", in: browser.page.text).first)
            try await browser.open(
                onward.replacing("&amp;", with: "&").replacing(WebBrowser.origin, with: ""))
            try await browser.choose("verified")
            #expect(browser.page.title == "Sign-In Methods")
            #expect(browser.page.done == "The sign-in method has been added.")
            let remove = try #require(
                browser.page.forms.first { form in form.fields.contains { $0.value == "google" } })
            try await browser.send(remove.action, remove.fields)
            #expect(browser.page.title.contains("Google"))
            try await browser.press("Remove")
            #expect(browser.page.done == "The sign-in method has been removed.")
        }
    }

    @Test("The profile is read and changed through the gateway")
    func profile() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            try await browser.open("/account/profile")
            try await browser.press("Save", ["first_name": "Ada", "name": "Ada Example", "timezone": "Europe/Berlin"])
            #expect(browser.page.done == "Your changes have been saved.")
            #expect(browser.page.text.contains("value=\"Europe/Berlin\""))
        }
    }

    @Test("An old page of the profile changes only what its user changed, also after a refusal")
    func oldProfile() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            let phone = try #require(TestSession(try await server.signIn()))
            try await browser.open("/account/profile")
            let changed = try await server.send(
                .patch, "/api/v1/profile", bearer: phone.accessToken, json: ["first_name": "FromPhone"])
            #expect(changed.status == 200, "\(changed)")
            try await browser.press("Save", ["timezone": "Nowhere"])
            #expect(browser.page.text.contains("This time zone isn't known."))
            try await browser.press("Save", ["timezone": "Europe/Berlin"])
            #expect(browser.page.done == "Your changes have been saved.")
            #expect(browser.page.text.contains("value=\"FromPhone\" autocomplete=\"given-name\""))
            try await browser.press("Save", ["first_name": ""])
            #expect(!browser.page.text.contains("FromPhone") && browser.page.text.contains("value=\"Europe/Berlin\""))
        }
    }

    @Test(
        "A refused profile names the limit at the field that passes it",
        arguments: [
            ("first_name", String(repeating: "a", count: 51), "Please enter at most 50 characters."),
            ("name", String(repeating: "a", count: 101), "Please enter at most 100 characters."),
            ("timezone", "Nowhere", "This time zone isn't known."),
        ])
    func refusedProfile(name: String, value: String, sentence: String) async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            try await browser.open("/account/profile")
            var fields = ["first_name": "Ada", "name": "", "timezone": ""]
            fields[name] = value
            try await browser.press("Save", fields)
            let page = browser.page
            let refused = WebPage.between("<input ", ">", in: page.text).filter { $0.contains("aria-invalid=\"true\"") }
            #expect(refused.count == 1 && refused[0].contains("name=\"\(name)\"") && refused[0].contains(value))
            #expect(WebPage.between("-problem\">", "</p>", in: page.text) == [sentence])
            #expect(page.problem == nil)
        }
    }

    @Test("The profile stores names as long as their fields allow")
    func longestNames() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            try await browser.open("/account/profile")
            let inputs = WebPage.between("<input ", ">", in: browser.page.text)
            var fields = ["timezone": ""]
            for name in ["first_name", "name"] {
                let input = try #require(inputs.first { $0.contains("name=\"\(name)\"") })
                let longest = try #require(WebPage.between("maxlength=\"", "\"", in: input).first.flatMap { Int($0) })
                fields[name] = String(repeating: "é", count: longest)
            }
            try await browser.press("Save", fields)
            #expect(browser.page.problem == nil)
            try await browser.open("/account/profile")
            for (_, value) in fields { #expect(browser.page.text.contains("value=\"\(value)\"")) }
        }
    }

    @Test("The fields for names write capitals and end at the limit of the profile, others write none")
    func namesAsWritten() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            try await browser.open("/account/profile")
            let profile = WebPage.between("<input ", ">", in: browser.page.text)
            #expect(profile.filter { $0.contains("autocapitalize=\"words\"") }.count == 2)
            #expect(profile.contains { $0.contains("\"timezone\"") && $0.contains("autocapitalize=\"none\"") })
            #expect(profile.contains { $0.contains("\"first_name\"") && $0.contains("maxlength=\"50\"") })
            let guest = WebBrowser(server)
            try await guest.open("/account/sign-up")
            let inputs = WebPage.between("<input ", ">", in: guest.page.text)
            let names = inputs.filter { $0.contains("\"given-name\"") && $0.contains("autocapitalize=\"words\"") }
            #expect(names.count == 1 && names[0].contains("maxlength=\"50\""))
        }
    }

    @Test("The download has everything that is stored about the user, and nothing about others")
    func download() async throws {
        try await TestServer.with(hasPages: true) { server in
            _ = try await server.signUp("bob@example.com")
            let browser = try await signedIn(server)
            try await browser.open("/account/data")
            try await browser.press("Download My Data")
            #expect(browser.page.headers[.contentDisposition] == "attachment; filename=\"account-data.json\"")
            let data = try JSONReader.read(browser.page.text)
            #expect(data["user"]?["email"] == "ada@example.com")
            #expect(data["sessions"]?.arrayValue?.count == 1)
            #expect(data["audit_log"]?.arrayValue?.isEmpty == false)
            #expect(data["profile"]?["id"] == data["user"]?["id"])
            #expect(!browser.page.text.contains("bob@example.com"))
        }
    }

    @Test("An account is deleted after the box is ticked")
    func deletion() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            try await browser.open("/account/delete")
            try await browser.press("Delete Account")
            #expect(browser.page.title == "Delete Account" || browser.page.title == "Sign In")
            try await browser.open("/account")
            #expect(try await server.signIn().status == (browser.page.title == "Account" ? 200 : 400))
        }
    }

    @Test("An old sign-in is asked for again, and the page comes back")
    func freshSignIn() async throws {
        var policy = SessionPolicy()
        policy.freshSignIn = .seconds(600)
        try await TestServer.with(policy: policy, hasPages: true) { server in
            let browser = try await signedIn(server)
            server.clock.advance(by: .seconds(1_200))
            try await browser.open("/account/delete")
            let form = try #require(browser.page.forms.first { $0.button == "Delete Account" })
            try await browser.send(form.action, form.fields.filter { $0.name != "sure" } + [("sure", "yes")])
            #expect(browser.page.title == "Sign In")
            #expect(
                browser.page.problem
                    == "You signed in too long ago to do this. Please sign in again, then try again.")
            try await browser.press("Sign In", SignInPageTests.person)
            #expect(browser.page.title == "Delete Account")
        }
    }

    @Test("The download needs a fresh sign-in where the policy asks for one, as the deletion does")
    func freshDownload() async throws {
        var policy = SessionPolicy()
        policy.freshSignIn = .seconds(600)
        try await TestServer.with(policy: policy, hasPages: true) { server in
            let browser = try await signedIn(server)
            server.clock.advance(by: .seconds(1_200))
            try await browser.open("/account/data")
            try await browser.press("Download My Data")
            #expect(browser.page.title == "Sign In")
            #expect(
                browser.page.problem
                    == "You signed in too long ago to do this. Please sign in again, then try again.")
            try await browser.press("Sign In", SignInPageTests.person)
            #expect(browser.page.title == "Your Data")
            try await browser.press("Download My Data")
            #expect(try JSONReader.read(browser.page.text)["user"]?["email"] == "ada@example.com")
        }
    }

    @Test("Two pages with the same old token share one refresh, and both go on")
    func refresh() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = try await signedIn(server)
            let before = browser.cookies
            server.clock.advance(by: .seconds(3_590))
            try await browser.open("/account")
            #expect(browser.page.title == "Account")
            // The response never arrived: the browser still has the previous cookie.
            let late = WebBrowser(server)
            late.cookies = before
            server.clock.advance(by: .seconds(60))
            try await late.open("/account")
            #expect(late.page.title == "Account")
        }
    }

    @Test("Every text of a page is in its language, and Arabic runs from right to left", arguments: ["de", "ar", "ja"])
    func languages(language: String) async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in?lang=\(language)")
            #expect(browser.page.text.contains("lang=\"\(language)\" dir=\"\(language == "ar" ? "rtl" : "ltr")\""))
            #expect(!browser.page.text.contains(">Sign In<"))
        }
    }
}
