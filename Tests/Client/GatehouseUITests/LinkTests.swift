import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import Testing

/// An account has Google's address, unproven.
@MainActor @Suite("The linking screen", .timeLimit(.minutes(5)))
struct LinkTests {
    private func asked(_ service: InMemoryAuthService = InMemoryAuthService()) async throws -> World {
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let world = await World(service)
        world.google.follow(.signsIn(.ada))
        try await world.openLogin()
        try await world.screen.tap("Sign in with Google")
        try await world.screen.wait { $0.title == "Link Accounts" }
        return world
    }

    @Test("E7, D7: the account's password links, signs in, and closes the sheet")
    func password() async throws {
        let world = try await asked()
        #expect(world.screen.shows("ada@example.com already has an account. Sign in to it to link the two."))
        #expect(try !world.screen.isEnabled("Link with Password"))
        try await world.screen.type(Fixtures.password, into: "Password")
        try await world.screen.submit("Password")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.screen.shows("Welcome back, Ada"))
        #expect(world.screen.complaints.isEmpty)
        #expect(Set(try await world.manager.identities.list().map(\.provider)) == ["email", "google"])
    }

    @Test("A wrong password shows an error and can be corrected")
    func wrongPassword() async throws {
        let world = try await asked()
        try await world.screen.type("wrong password", into: "Password")
        try await world.screen.tap("Link with Password")
        try await world.screen.wait(for: "Incorrect email or password. Please try again.")
        #expect(try world.screen.value(of: "Password") == "wrong password")
        #expect(!world.manager.isLoggedIn)
    }

    @Test("D7: a code to the address links, signs in, and closes the sheet")
    func code() async throws {
        let world = try await asked()
        let screen = world.screen
        try await screen.type("half of it", into: "Password")
        try await screen.tapTwice("Email Me a Code")
        try await screen.wait(for: "We've sent a code to ada@example.com.")
        #expect(screen.shows("Enter it here to link the two.") && screen.title == "Link Accounts")
        #expect(screen.focused == "Code" && screen.announcements.last == "Check your email")
        #expect(try !screen.isEnabled("Send Again") && screen.shows("Another email can be sent in 1:00."))
        #expect(world.service.mails == [.init(kind: .link, email: "ada@example.com")])
        try await screen.tap("Sign in Another Way")
        #expect(try screen.value(of: "Password") == "half of it" && world.manager.linkQuestion != nil)
        world.service.clock.advance(by: .seconds(60))
        try await screen.tap("Email Me a Code")
        try await screen.wait { $0.has(field: "Code") }
        let code = try #require(world.service.mailCode(.link, to: "ada@example.com"))
        try await screen.type(code == "000000" ? "000001" : "000000", into: "Code")
        try await screen.wait(for: "The code is wrong or has expired.")
        try await screen.type(code, into: "Code")
        try await screen.wait { $0.presentations.isEmpty }
        #expect(screen.shows("Welcome back, Ada") && screen.complaints.isEmpty)
        #expect(Set(try await world.manager.identities.list().map(\.provider)) == ["email", "google"])
    }

    @Test("D7: a passkey of the account links, signs in, and closes the sheet")
    func passkey() async throws {
        let service = InMemoryAuthService()
        service.serverSettings.allowsPasskeys = true
        #expect(!(try await asked(service)).screen.has(button: "Sign in with a Passkey"))
        let world = await World(service)
        try await world.manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        try await world.manager.passkeys.add(with: world.passkeys)
        await world.manager.signOut()
        world.google.follow(.signsIn(.ada))
        try await world.openLogin()
        try await world.screen.tap("Sign in with Google")
        try await world.screen.wait { $0.title == "Link Accounts" }
        try await world.screen.tap("Sign in with a Passkey")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.screen.shows("Welcome back, Ada") && world.screen.complaints.isEmpty)
        #expect(Set(try await world.manager.identities.list().map(\.provider)) == ["email", "google"])
    }

    @Test("Without a connection the question says so; Back from the code leaves the question")
    func codeOffline() async throws {
        let world = try await asked()
        world.service.meet(.offline, at: .sendLinkCode)
        try await world.screen.tap("Email Me a Code")
        try await world.screen.wait(for: "Unable to connect. Check your internet and try again.")
        try await world.screen.tap("Email Me a Code")
        try await world.screen.wait { $0.has(field: "Code") }
        try await world.screen.goBack()
        #expect(world.manager.linkQuestion == nil && !world.manager.isLoggedIn)
        #expect(world.screen.has(button: "Continue as Guest"))
    }

    @Test("A server without mail offers no code")
    func withoutMail() async throws {
        let service = InMemoryAuthService()
        service.serverSettings.sendsMail = false
        let world = try await asked(service)
        #expect(!world.screen.has(button: "Email Me a Code") && world.screen.has(button: "Link with Password"))
    }

    @Test("A user without access to the account starts anew, after a warning")
    func recover() async throws {
        let world = try await asked()
        try await world.screen.tap("Start Over with This Email")
        #expect(
            world.screen.shows("The account that has this email now will lose it, but keep everything else."))
        try await world.screen.tap("Cancel")
        #expect(!world.manager.isLoggedIn)
        try await world.screen.tap("Start Over with This Email")
        try await world.screen.tap("Start Over with This Email")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(try await world.manager.identities.list().map(\.provider) == ["google"])
    }

    @Test("E7: after the time limit the login screen shows why until the next attempt")
    func expired() async throws {
        let world = try await asked()
        try await world.screen.type(Fixtures.password, into: "Password")
        world.service.clock.advance(by: .seconds(601))
        try await world.screen.tap("Link with Password")
        try await world.screen.wait { $0.has(button: "Continue as Guest") }
        let text = "That took too long. Please sign in again."
        #expect(world.screen.shows(text) && world.screen.spokenFocus == text)
        #expect(world.screen.announcements.last == text)
        #expect(!world.screen.shows("This email is already associated with another account."))
        try await world.screen.tap("Sign in with Google")
        try await world.screen.wait { $0.title == "Link Accounts" }
        try await world.screen.goBack()
        #expect(!world.screen.shows(text))
    }

    @Test("A pending question is asked when the sheet opens again")
    func again() async throws {
        let world = try await asked()
        try await world.screen.type("wrong password", into: "Password")
        let screen = Screen(LoginView().gatehouse(world.manager, browser: world.google))
        await screen.settle()
        #expect(screen.title == "Link Accounts" && screen.has(field: "Password"))
    }

    @Test("A second question shows its own address")
    func second() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        service.addAccount(email: "bob@example.com", firstName: "Bob")
        let world = await World(service)
        let bob = ProviderPerson(id: "bob", email: "bob@example.com")
        world.google.follow(.signsIn(.ada), .signsIn(bob))
        try await world.openLogin()
        for address in ["ada@example.com", "bob@example.com"] {
            try await world.screen.tap("Sign in with Google")
            try await world.screen.wait { $0.title == "Link Accounts" }
            #expect(world.screen.shows("\(address) already has an account. Sign in to it to link the two."))
            try await world.screen.goBack()
        }
    }

    @Test("Back leaves the question and shows why there is no sign-in")
    func back() async throws {
        let world = try await asked()
        try await world.screen.goBack()
        #expect(world.manager.linkQuestion == nil)
        #expect(world.screen.shows("This email is already associated with another account."))
        try await world.screen.tap("Sign in with Google")
        try await world.screen.wait { $0.title == "Link Accounts" }
    }
}
