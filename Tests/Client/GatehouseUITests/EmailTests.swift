import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("The email screen", .timeLimit(.minutes(5)))
struct EmailTests {
    private func world(_ service: InMemoryAuthService = InMemoryAuthService()) async -> World {
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        return await World(service)
    }

    @Test("E3, E4: address and password sign in; Return moves on and submits")
    func signIn() async throws {
        let world = await world()
        try await world.typeSignIn()
        #expect(world.screen.title == "Sign In")
        try await world.screen.focus("Email")
        try await world.screen.submit("Email")
        #expect(world.screen.focused == "Password")
        try await world.screen.submit("Password")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.screen.shows("Welcome back, Ada"))
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("E3: a sign-up asks for a name and the password twice, and shows the name afterwards")
    func signUp() async throws {
        let world = await World()
        try await world.openLogin()
        try await world.screen.tap("Create Account")
        try await world.screen.type("Grace", into: "Name")
        for (field, next) in [("Name", "Email"), ("Email", "Password"), ("Password", "Confirm Password")] {
            try await world.screen.focus(field)
            try await world.screen.submit(field)
            #expect(world.screen.focused == next)
        }
        try await world.screen.type("grace@example.com", into: "Email")
        try await world.screen.type(Fixtures.password, into: "Password")
        try await world.screen.type(Fixtures.password, into: "Confirm Password")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Welcome back, Grace")
        #expect(world.screen.presentations.isEmpty)
    }

    @Test("E11: text enlarged while the form is open grows in the form, and typed text stays")
    func growingText() async throws {
        let world = await world()
        try await world.typeSignIn()
        world.screen.settings.dynamicTypeSize = .accessibility3
        await world.screen.settle()
        let large = await World(
            InMemoryAuthService(), settings: Screen.Settings(dynamicTypeSize: .accessibility3))
        try await large.typeSignIn()
        try await world.screen.focus("Email")
        try await large.screen.focus("Email")
        let pages = try (HTMLPage().text(of: world.screen), HTMLPage().text(of: large.screen))
        #expect(pages.0 == pages.1)
        #expect(try world.screen.value(of: "Email") == "ada@example.com")
    }

    @Test("E3: the link switches the mode in place and clears the fields, without a new screen")
    func flip() async throws {
        let world = await world()
        try await world.typeSignIn()
        try await world.screen.tap("Don't have an account? Create one")
        #expect(world.screen.title == "Create Account")
        #expect(try world.screen.value(of: "Email") == "")
        #expect(try world.screen.value(of: "Password") == "")
        try await world.screen.tap("Already have an account? Sign in")
        #expect(!world.screen.has(field: "Name"))
        try await world.screen.goBack()
        #expect(world.screen.has(button: "Continue as Guest"))
    }

    @Test("E4: each field has its keyboard, its content and its Return")
    func traits() async throws {
        let world = await World()
        try await world.openLogin()
        try await world.screen.tap("Create Account")
        #expect(try world.screen.attribute("inputmode", of: "Email") == "email")
        #expect(try world.screen.attribute("autocapitalize", of: "Email") == "none")
        #expect(try world.screen.attribute("autocomplete", of: "Email") == "username", "kept with the new password")
        #expect(try world.screen.attribute("autocomplete", of: "Name") == "given-name")
        #expect(try world.screen.attribute("autocomplete", of: "Password") == "new-password")
        #expect(try world.screen.attribute("enterkeyhint", of: "Password") == "next")
        #expect(try world.screen.attribute("enterkeyhint", of: "Confirm Password") == "go")
        try await world.screen.tap("Already have an account? Sign in")
        #expect(try world.screen.attribute("autocomplete", of: "Password") == "current-password")
        #expect(try world.screen.attribute("enterkeyhint", of: "Password") == "go")
    }

    @Test("E4: a tap outside and a scroll hide the keyboard")
    func keyboard() async throws {
        let world = await World()
        try await world.openLogin()
        try await world.screen.tap("Sign in with Email")
        try await world.screen.focus("Email")
        #expect(world.screen.focused == "Email")
        // F13: a tap in the next field must not end the typing.
        try await world.screen.focus("Password")
        #expect(world.screen.focused == "Password")
        try await world.screen.tapOutside()
        #expect(world.screen.focused == nil)
        try await world.screen.focus("Email")
        await world.screen.scroll()
        #expect(world.screen.focused == nil)
    }

    @Test("E5: errors appear below the fields while typing, and the button waits for a valid form")
    func validation() async throws {
        let world = await World()
        try await world.openLogin()
        try await world.screen.tap("Create Account")
        #expect(try !world.screen.isEnabled("submit"))
        try await world.screen.type("  ", into: "Name")
        try await world.screen.type("grace@example", into: "Email")
        try await world.screen.type("short", into: "Password")
        try await world.screen.type("other", into: "Confirm Password")
        let hints = [
            "Please enter your name.", "Please enter a valid email address.",
            "Password must be at least 8 characters.", "Passwords don't match.",
        ]
        for hint in hints { #expect(world.screen.shows(hint)) }
        #expect(world.screen.presentations == ["sheet"])
        try await world.screen.type("Grace", into: "Name")
        try await world.screen.type("grace@example.com", into: "Email")
        try await world.screen.type("longenough", into: "Password")
        #expect(try !world.screen.isEnabled("submit"))
        try await world.screen.type("longenough", into: "Confirm Password")
        for hint in hints { #expect(!world.screen.shows(hint)) }
        #expect(try world.screen.isEnabled("submit"))
    }

    @Test("F14: the hint and the button follow the server's minimum")
    func serverMinimum() async throws {
        let service = InMemoryAuthService()
        service.serverSettings.minimumPasswordLength = 12
        let world = await World(service)
        try await world.openLogin()
        try await world.screen.tap("Create Account")
        try await world.screen.type("Grace", into: "Name")
        try await world.screen.type("grace@example.com", into: "Email")
        for (password, isEnabled) in [("elevenchars", false), ("twelve chars", true)] {
            try await world.screen.type(password, into: "Password")
            try await world.screen.type(password, into: "Confirm Password")
            #expect(world.screen.shows("Password must be at least 12 characters.") != isEnabled)
            #expect(try world.screen.isEnabled("submit") == isEnabled)
        }
    }

    @Test("F14: where only an email address signs in, the message about a taken one names no provider")
    func takenWithoutProviders() async throws {
        let service = InMemoryAuthService()
        service.serverSettings.providers = []
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let world = await World(service)
        try await world.typeSignUp("Ada", "ada@example.com", "longenough")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "An account with this email already exists. Try signing in.")
    }

    @Test("E5: a second tap sends nothing, and nothing can be changed during the request")
    func twice() async throws {
        let world = await world()
        world.service.meet(.slow, at: .signIn)
        try await world.typeSignIn()
        try await world.screen.tapTwice("submit")
        try await world.screen.wait { _ in world.service.heldCount == 1 }
        #expect(world.screen.progress == ["Signing in…"])
        #expect(try !world.screen.isEnabled("submit"))
        #expect(try !world.screen.isEnabled("Email"))
        #expect(!world.screen.has(button: "BackButton"))
        #expect(await !world.screen.swipeDown())
        world.service.release()
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.service.calls.filter { $0 == .signIn }.count == 1)
    }

    @Test(
        "E6: errors have their exact text, announced and focused",
        arguments: [
            (InMemoryAuthService.Fault.wrongCredentials, "Incorrect email or password. Please try again."),
            (.rateLimited(retryAfter: nil), "Too many attempts. Please wait a moment and try again."),
            (.offline, "Unable to connect. Check your internet and try again."),
            (.serverError, "Something went wrong. Please try again."),
        ])
    func fails(_ fault: InMemoryAuthService.Fault, _ text: String) async throws {
        let world = await world()
        world.service.meet(fault, at: .signIn)
        try await world.typeSignIn()
        try await world.screen.tap("submit")
        try await world.screen.wait(for: text)
        #expect(world.screen.spokenFocus == text)
        #expect(world.screen.announcements == [text])
    }

    @Test(
        "E6: the server's sign-up errors have their exact text",
        arguments: [
            (InMemoryAuthService.Fault.weakPassword, "Password must be at least 8 characters."),
            (.emailTaken, "An account with this email already exists. Try signing in, or use Apple or Google."),
        ])
    func signUpFails(_ fault: InMemoryAuthService.Fault, _ text: String) async throws {
        let world = await World()
        world.service.meet(fault, at: .signUp)
        try await world.typeSignUp("Ada", "ada@example.com", "another password")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: text)
    }

    @Test("What was typed stays while sending and after a failure, so that it can be corrected")
    func keptFields() async throws {
        let world = await world()
        world.service.meet(.slow, .wrongCredentials, .offline, at: .signIn)
        try await world.typeSignIn("ada@example.com", "not the password")
        try await world.screen.tap("submit")
        try await world.screen.wait { _ in world.service.heldCount == 1 }
        #expect(try world.screen.value(of: "Password") == "not the password")
        world.service.release()
        try await world.screen.wait(for: "Incorrect email or password. Please try again.")
        #expect(try world.screen.value(of: "Email") == "ada@example.com")
        #expect(try world.screen.value(of: "Password") == "not the password")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Incorrect email or password. Please try again.")
        try await world.screen.type(Fixtures.password, into: "Password")
        try await world.screen.tap("submit")
        try await world.screen.wait { $0.has(button: "Retry") }
        try await world.screen.tap("Retry")
        try await world.screen.wait { $0.presentations.isEmpty && $0.has(button: "Your profile") }
    }

    @Test("An address that already has an account comes along to the sign-in")
    func existing() async throws {
        let world = await world()
        try await world.typeSignUp("Ada", "ada@example.com")
        try await world.screen.tap("submit")
        try await world.screen.wait { $0.spokenFocus?.hasPrefix("An account with this email already exists.") == true }
        try await world.screen.tap("Already have an account? Sign in")
        #expect(try world.screen.value(of: "Email") == "ada@example.com")
        #expect(try world.screen.value(of: "Password") == "")
        try await world.screen.type(Fixtures.password, into: "Password")
        try await world.screen.tap("submit")
        try await world.screen.wait { $0.has(button: "Your profile") }
    }

    @Test("A recovery mail leads to a new password")
    func recovery() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let world = await World(service)
        let screen = world.screen
        try await world.openLogin()
        await screen.open(try #require(service.mailLink(.recovery, to: "ada@example.com")))
        try await screen.wait { $0.title == "New Password" }
        #expect(screen.presentations == ["sheet"], "the login sheet has left the screen to it")
        #expect(try screen.value(of: "Email") == "ada@example.com", "the account whose password it is")
        try await screen.type("longenough", into: "New Password")
        try await screen.type("different", into: "Confirm Password")
        #expect(screen.shows("Passwords don't match."))
        try await screen.type("longenough", into: "Confirm Password")
        try await screen.tap("Save Password")
        try await screen.wait { $0.presentations.isEmpty }
        #expect(!world.manager.needsNewPassword)
        await world.manager.signOut()
        #expect(try await world.manager.signInWithEmail("ada@example.com", password: "longenough") == .signedIn)
        #expect(screen.complaints.isEmpty)
    }

    @Test("A recovery mail opened over the profile closes it: one sheet at a time")
    func recoveryOverProfile() async throws {
        let world = await World(.signedIn())
        try await world.openProfile()
        world.service.openRecoveryMail(of: "ada@example.com")
        try await world.screen.wait { $0.title == "New Password" }
        #expect(world.screen.presentations == ["sheet"])
        try await world.screen.tap("Not Now")
        #expect(world.screen.presentations.isEmpty && !world.manager.needsNewPassword)
    }
}
