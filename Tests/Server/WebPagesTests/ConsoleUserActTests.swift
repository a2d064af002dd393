import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("An operator helps a user in the console")
struct ConsoleUserActTests {
    private func signedIn(_ server: TestServer) async throws -> WebBrowser {
        let browser = WebBrowser(server)
        try await browser.open("/console/sign-in")
        try await browser.press("Sign In with API Key", ["key": TestServer.secretKey])
        return browser
    }

    @Test("The user's page names the lock and its end, and unlocks")
    func unlock() async throws {
        try await TestServer.with(limits: AuthRates(), hasConsole: true) { server in
            let user = try await server.signUp().userID
            for _ in 0..<10 { _ = try await server.signIn(password: "wrong", peer: "203.0.113.1") }
            #expect(try await server.signIn(peer: "203.0.113.1").status == 429)
            let browser = try await signedIn(server)
            try await browser.open("/console/users/\(user)")
            #expect(browser.page.text.contains("Sign-in from 203.0.113.1 is locked until"))
            #expect(browser.page.text.contains("Wrong password."))
            try await browser.open("/console/users/\(user)/unlock")
            try await browser.press("Unlock")
            #expect(browser.page.done == "ada@example.com can try to sign in again.")
            #expect(browser.page.text.contains("Nothing stops this user"))
            #expect(try await server.signIn(peer: "203.0.113.1").status == 200)
        }
    }

    @Test("The page of a deleted user says so, and the operator stays signed in")
    func deleted() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let stranger = WebBrowser(server)
            for page in ["create-user", "invite-user"] {
                try await stranger.open("/console/\(page)")
                #expect(stranger.page.title == "Sign In to the Console", "\(page)")
            }
            let agent = try await server.signUp().userID
            _ = try await server.admin(.put, "/users/\(agent)", json: ["role": "service_role"])
            let browser = WebBrowser(server)
            try await browser.open("/console/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            try await browser.open("/console/users/6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60")
            #expect(browser.page.status == 404 && browser.page.text.contains("There's nothing here."))
            try await browser.open("/console/users")
            #expect(browser.page.title == "Users")
        }
    }

    @Test("A support agent sees the acts of the role, and reads why another one is refused")
    func support() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let user = try await server.signUp("grace@example.com").userID
            let agent = try await server.signUp().userID
            _ = try await server.admin(.put, "/users/\(agent)", json: ["role": "gatehouse_support"])
            let browser = WebBrowser(server)
            try await browser.open("/console/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            try await browser.open("/console/users/\(user)")
            #expect(browser.page.text.contains("Send Password Reset"))
            for act in ["Edit", "Ban", "Set Password", "Delete"] {
                #expect(!browser.page.text.contains(">\(act)</a>"), "\(act)")
            }
            #expect(browser.page.text.contains("<bdi>ada@example.com</bdi> <span>Support</span>"))
            #expect(browser.page.text.contains(">Revoke</a>") && !browser.page.text.contains(">Remove</a>"))
            // A change of the role reaches a page that is open.
            let path = "/console/users/\(user)/reset"
            try await browser.open(path)
            _ = try await server.admin(.put, "/users/\(agent)", json: ["role": "gatehouse_auditor"])
            try await browser.press("Send Password Reset")
            #expect(try await server.admin(.get, "/users/\(user)")["recovery_sent_at"]?.stringValue == nil)
            _ = try await server.admin(.put, "/users/\(agent)", json: ["role": "gatehouse_support"])
            try await browser.open("/console/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            for page in ["users/\(user)/ban", "create-user", "keys/rotate", "clients/new"] {
                try await browser.open("/console/\(page)")
                #expect(browser.page.text.contains("Your operator role does not allow this."), "\(page)")
            }
            try await browser.open("/console/users")
            #expect(browser.page.text.contains("Invite User") && !browser.page.text.contains("Create User"))
            // Not even emails to other operators.
            try await browser.open("/console/users/\(agent)")
            #expect(!browser.page.text.contains("Send Password Reset"))
            try await browser.open("/console/users/\(agent)/reset")
            #expect(browser.page.text.contains("Your operator role does not allow this."))
        }
    }

    @Test("A user is created, edited and banned with a reason and an end")
    func edit() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let browser = try await signedIn(server)
            try await browser.open("/console/create-user")
            try await browser.press("Create User", [:])
            #expect(browser.page.problem == "Enter an email or a phone number.")
            try await browser.press("Create User", ["email": "bob@example.com", "full_name": "Bob Stone"])
            #expect(browser.page.done == "bob@example.com was created.")
            let path = browser.page.path
            try await browser.open(path + "/edit")
            try await browser.press("Edit", ["user_metadata": "{"])
            #expect(browser.page.problem?.hasPrefix("The metadata must be a JSON object") == true)
            try await browser.press(
                "Edit",
                [
                    "email": "rob@example.com", "full_name": "Rob Stone", "user_metadata": "{}",
                    "app_metadata": #"{"plan": "team"}"#,
                ])
            #expect(browser.page.done == "bob@example.com was changed.")
            #expect(browser.page.text.contains("Rob Stone") && browser.page.text.contains("team"))
            try await browser.open(path + "/ban")
            try await browser.press("Ban", ["until": "2001-01-01", "reason": "Spam"])
            #expect(browser.page.problem?.hasPrefix("The end must be") == true)
            try await browser.press("Ban", ["until": "2099-12-24", "reason": "Spam"])
            #expect(browser.page.text.contains("Reason: Spam") && browser.page.text.contains("2099-12-24"))
            try await browser.open("/console/create-user")
            try await browser.press("Create User", ["email": "rob@example.com"])
            #expect(browser.page.problem == "An account with this email exists.")
        }
    }

    @Test("An invitation and its repetition are sent")
    func invite() async throws {
        try await TestServer.with(hasConsole: true, change: SignInPageTests.withMail) { server in
            let browser = try await signedIn(server)
            try await browser.open("/console/invite-user")
            try await browser.press("Invite User", ["email": "eve@example.com"])
            #expect(browser.page.done == "The invitation to eve@example.com is on its way.")
            #expect(try await server.deliveredMail().mail.content.kind == .invite)
            let path = browser.page.path
            server.passInterval()
            try await browser.open(path + "/resend")
            try await browser.press("Resend Email")
            #expect(browser.page.done == "The email to eve@example.com is on its way.")
            #expect(try await server.deliveredMail().mail.content.kind == .invite)
        }
    }
}
