import Gatehouse
import GatehouseModel
import GatehouseTesting
import ScreenDriver
import Testing

@MainActor @Suite("A new account with a passkey on the screens", .timeLimit(.minutes(5)))
struct PasskeySignUpTests {
    private static let title = "Create Account with a Passkey"

    private func world(
        confirms: Bool = true, _ answers: ScriptedPasskeys.AccountAnswer...
    ) async throws -> World {
        let service = InMemoryAuthService(confirmsAutomatically: confirms)
        (service.serverSettings.allowsPasskeys, service.serverSettings.allowsPasskeySignUp) = (true, true)
        let world = await World(service)
        for answer in answers { world.passkeys.follow(answer) }
        try await world.openLogin()
        try await world.screen.wait { $0.has(button: Self.title) }
        return world
    }

    @Test("One tap and the system's sheet make the account; the button is the first on the screen")
    func oneTap() async throws {
        let world = try await world(.creates(email: "ada@example.com", firstName: "Ada"))
        let ways = world.screen.buttons.filter { $0.contains("with ") || $0.contains("with a") }
        #expect(ways.first == Self.title)
        try await world.screen.tap(Self.title)
        try await world.screen.wait(for: "Welcome back, Ada")
        #expect(world.screen.presentations.isEmpty && world.manager.user?.email == "ada@example.com")
    }

    @Test("The emailed code follows where the server confirms addresses, and can wait")
    func code() async throws {
        let world = try await world(confirms: false, .creates(email: "ada@example.com", firstName: "Ada"))
        try await world.screen.tap(Self.title)
        try await world.screen.wait { $0.has(field: "Code") }
        #expect(world.screen.shows("If ada@example.com can be used here, we've sent a code to it."))
        #expect(!world.screen.shows("Until then, your email stays as it is."))
        let code = try #require(world.service.mailCode(.emailChange, to: "ada@example.com"))
        try await world.screen.type(code, into: "Code")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.manager.user?.email == "ada@example.com" && world.screen.shows("Welcome back, Ada"))
        #expect(world.screen.announcements.contains("Your email has been changed."))
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("Not Now leaves the code for the profile")
    func notNow() async throws {
        let world = try await world(confirms: false, .creates(email: "ada@example.com", firstName: "Ada"))
        try await world.screen.tap(Self.title)
        try await world.screen.wait { $0.has(field: "Code") }
        try await world.screen.tap("Not Now")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.manager.isLoggedIn && !world.manager.asksForEmailCode)
    }

    @Test("Without the sheet a small form asks for name and address", arguments: [true, false])
    func form(hasSheet: Bool) async throws {
        let world = hasSheet ? try await world(.unavailable) : try await world()
        try await world.screen.tap(Self.title)
        try await world.screen.wait { $0.title == "Create Account" }
        #expect(world.screen.has(field: "Name") && !world.screen.has(field: "Password"))
        #expect(try !world.screen.isEnabled("submit"))
        try await world.screen.type("Ada", into: "Name")
        try await world.screen.submit("Name")
        #expect(world.screen.focused == "Email")
        try await world.screen.type("ada@example.com", into: "Email")
        try await world.screen.submit("Email")
        try await world.screen.wait(for: "Welcome back, Ada")
        #expect(world.passkeys.count == 1 && world.screen.complaints.isEmpty)
    }

    @Test("The screen of a new account leads to the same form, with what was typed")
    func fromEmail() async throws {
        let world = try await world()
        try await world.screen.tap("Create Account")
        try await world.screen.type("Ada", into: "Name")
        try await world.screen.type("ada@example.com", into: "Email")
        try await world.screen.tap(Self.title)
        try await world.screen.wait { !$0.has(field: "Password") }
        #expect(try world.screen.value(of: "Email") == "ada@example.com")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Welcome back, Ada")
    }

    @Test("A closed sheet shows nothing, and a lost response offers Retry, which continues with the same passkey")
    func lost() async throws {
        let world = try await world(.cancels, .creates(email: "ada@example.com", firstName: "Ada"))
        try await world.screen.tap(Self.title)
        try await world.screen.wait { _ in !world.manager.isLoading }
        #expect(world.screen.symbols.allSatisfy { !$0.contains("triangle") })
        world.service.meet(.answerLost, at: .signUp)
        try await world.screen.tap(Self.title)
        try await world.screen.wait { $0.has(button: "Retry") }
        try await world.screen.tap("Retry")
        try await world.screen.wait(for: "Welcome back, Ada")
        #expect(world.passkeys.count == 1)
    }

    @Test("A user who prefers Sign in with Apple gets its sheet")
    func apple() async throws {
        let world = try await world(.prefersApple)
        world.device.follow(.signsIn(.init(.ada)))
        try await world.screen.tap(Self.title)
        // Apple's sign-in has no passkey.
        try await world.screen.wait(for: "Add a passkey?")
        #expect(world.manager.lastMethod == .apple && world.passkeys.count == 0)
    }

    @Test("A user who was here before finds the button below the ways to sign in")
    func returning() async throws {
        let world = try await world(.creates(email: "ada@example.com", firstName: "Ada"))
        try await world.screen.tap(Self.title)
        try await world.screen.wait(for: "Welcome back, Ada")
        await world.manager.signOut()
        await world.screen.settle()
        try await world.openLogin()
        try await world.screen.wait { $0.has(button: Self.title) }
        let buttons = world.screen.buttons
        let passkey = try #require(buttons.firstIndex(of: "Sign in with a Passkey"))
        #expect(try passkey < #require(buttons.firstIndex(of: Self.title)))
    }

    @Test("The button is hidden where the server creates no such accounts")
    func hidden() async throws {
        let service = InMemoryAuthService()
        service.serverSettings.allowsPasskeys = true
        let world = await World(service)
        try await world.openLogin()
        try await world.screen.wait { $0.has(button: "Sign in with a Passkey") }
        #expect(!world.screen.has(button: Self.title))
        try await world.screen.tap("Create Account")
        #expect(!world.screen.has(button: Self.title))
    }
}
