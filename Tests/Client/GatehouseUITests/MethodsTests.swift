import Gatehouse
import GatehouseModel
import GatehouseTesting
import ScreenDriver
import Testing

@MainActor @Suite("The screen of sign-in methods", .timeLimit(.minutes(5)))
struct MethodsTests {
    /// Ada linked Google and has signed in with her password since.
    private func world(_ service: InMemoryAuthService = .signedIn(), links: Bool = true) async throws -> World {
        let world = await World(service)
        world.google.follow(.signsIn(.ada))
        if links {
            try await world.manager.identities.link(.google, in: world.google)
            await world.manager.signOut()
            try await world.manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        }
        try await world.openProfile()
        try await world.screen.tap("Sign-In Methods")
        return world
    }

    @Test("D7: recent links are listed with their remaining days, and can be undone after a question")
    func undo() async throws {
        let world = try await world()
        try await world.screen.wait(for: "Recently Added")
        #expect(world.screen.shows("Added on Jan 1, 2026. Can be undone until Jan 31, 2026."))
        #expect(world.screen.shows("Wasn't you? Undo removes this sign-in method and reverses its changes."))
        try await world.screen.tap("Undo adding Google")
        #expect(world.screen.shows("Other devices that signed in this way will be signed out."))
        try await world.screen.tap("Cancel")
        #expect(world.screen.has(button: "Remove Google"))
        world.service.meet(.slow, at: .undoLink)
        try await world.screen.tap("Undo adding Google")
        try await world.screen.tap("Undo")
        try await world.screen.wait { _ in world.service.heldCount == 1 }
        #expect(try !world.screen.isEnabled("Undo adding Google"))
        #expect(!world.screen.progress.isEmpty)
        world.service.release()
        try await world.screen.wait { $0.has(button: "Sign in with Google") }
        #expect(!world.screen.shows("Recently Added"))
        #expect(world.screen.shows("Add another way to sign in before you remove this one."))
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("Adding a method leaves one device; undoing it, like removing it, keeps this one signed in")
    func undoOwn() async throws {
        let world = try await world(links: false)
        try await world.screen.wait(for: "Add a Way to Sign In")
        try await world.screen.tap("Sign in with Google")
        try await world.screen.wait { $0.has(button: "Undo adding Google") }
        try await world.screen.wait { _ in world.service.openSessionCount == 1 }
        try await world.screen.tap("Undo adding Google")
        try await world.screen.tap("Undo")
        try await world.screen.wait { $0.has(button: "Sign in with Google") }
        #expect(world.manager.isLoggedIn && world.service.openSessionCount == 1)
    }

    @Test("The list stays while it loads again, and a late answer does not bring back what was removed")
    func loadsAgain() async throws {
        let world = try await world()
        try await world.screen.wait { $0.has(button: "Remove Google") }
        try await world.screen.tap("Change Password")
        world.service.meet(.slow, at: .undoableLinks)
        try await world.screen.goBack()
        try await world.screen.wait { _ in world.service.heldCount == 1 }
        #expect(world.screen.has(button: "Remove Google") && world.screen.progress.isEmpty)
        try await world.screen.tap("Remove Google")
        try await world.screen.tap("Remove")
        try await world.screen.wait { $0.has(button: "Sign in with Google") }
        world.service.release()
        await world.screen.settle()
        #expect(world.screen.has(button: "Sign in with Google"))
    }

    @Test("A failed undo shows an error, announced, and keeps the link")
    func undoFails() async throws {
        let world = try await world()
        try await world.screen.wait { $0.has(button: "Undo adding Google") }
        world.service.meet(.serverError, at: .undoLink)
        try await world.screen.tap("Undo adding Google")
        try await world.screen.tap("Undo")
        try await world.screen.wait(for: "Something went wrong. Please try again.")
        #expect(world.screen.spokenFocus == "Something went wrong. Please try again.")
        #expect(world.screen.has(button: "Undo adding Google"))
    }

    @Test("A link too old to undo says so, and disappears")
    func tooOld() async throws {
        let world = try await world()
        try await world.screen.wait { $0.has(button: "Undo adding Google") }
        world.service.clock.advance(by: .seconds(31 * 86_400))
        try await world.screen.tap("Undo adding Google")
        try await world.screen.tap("Undo")
        try await world.screen.wait(for: "This can no longer be undone.")
        #expect(!world.screen.has(button: "Undo adding Google"))
        #expect(world.screen.has(button: "Remove Google"))
    }

    @Test("A list that failed to load is not an empty one")
    func loading() async throws {
        let service = InMemoryAuthService.signedIn()
        service.meet(.offline, at: .undoableLinks)
        let world = try await world(service, links: false)
        try await world.screen.wait { $0.has(button: "Retry") }
        try await world.screen.tap("Retry")
        try await world.screen.wait(for: "Email and Password")
    }

    @Test("D1: the address is changed, validated while typing, and shown in the profile")
    func email() async throws {
        let world = try await world(links: false)
        try await world.screen.wait { $0.has(button: "Change Email") }
        try await world.screen.tap("Change Email")
        #expect(world.screen.focused == "New Email")
        #expect(world.screen.shows("Your email is ada@example.com."))
        try await world.screen.type("countess@example", into: "New Email")
        #expect(world.screen.shows("Please enter a valid email address."))
        #expect(try !world.screen.isEnabled("Save Email"))
        try await world.screen.type("countess@example.com", into: "New Email")
        world.service.meet(.emailTaken, at: .updateUser)
        try await world.screen.submit("New Email")
        try await world.screen.wait(for: "This email is already associated with another account.")
        try await world.screen.tap("Save Email")
        try await world.screen.wait { $0.title == "Sign-In Methods" }
        #expect(world.screen.announcements.last == "Your email has been changed.")
        try await world.screen.goBack()
        try await world.screen.wait(for: "countess@example.com")
    }

    @Test("If the server requires the current password for a new address, the screen asks for it")
    func emailWithPassword() async throws {
        let world = try await world(links: false)
        try await world.screen.wait { $0.has(button: "Change Email") }
        try await world.screen.tap("Change Email")
        try await world.screen.type("countess@example.com", into: "New Email")
        world.service.meet(.currentPasswordRequired, .currentPasswordWrong)
        try await world.screen.tap("Save Email")
        try await world.screen.wait { $0.has(field: "Current Password") }
        #expect(try !world.screen.isEnabled("Save Email"))
        try await world.screen.submit("New Email")
        #expect(world.screen.focused == "Current Password")
        try await world.screen.type("not this one", into: "Current Password")
        try await world.screen.submit("Current Password")
        try await world.screen.wait(for: "The current password isn't correct.")
        #expect(try world.screen.value(of: "Current Password") == "not this one", "it can be corrected")
        #expect(try world.screen.value(of: "New Email") == "countess@example.com")
        world.service.meet(.offline)
        try await world.screen.type(Fixtures.password, into: "Current Password")
        try await world.screen.tap("Save Email")
        try await world.screen.wait { $0.has(button: "Retry") }
        try await world.screen.tap("Retry")
        try await world.screen.wait { $0.title == "Sign-In Methods" }
        try await world.screen.wait { _ in world.manager.user?.email == "countess@example.com" }
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("A pending address says so, and nothing has changed yet")
    func emailWaits() async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        _ = try await service.service.signIn(email: "ada@example.com", password: Fixtures.password)
        let world = try await world(service, links: false)
        try await world.screen.wait { $0.has(button: "Change Email") }
        try await world.screen.tap("Change Email")
        try await world.screen.type("countess@example.com", into: "New Email")
        try await world.screen.tap("Save Email")
        try await world.screen.wait(for: "Check your email")
        #expect(world.screen.shows("Until then, your email stays as it is."))
        #expect(world.manager.user?.email == "ada@example.com")
    }

    @Test("D1: the password is changed; errors appear below the fields, and Return moves on")
    func password() async throws {
        let world = try await world(links: false)
        try await world.screen.wait { $0.has(button: "Change Password") }
        try await world.screen.tap("Change Password")
        #expect(try world.screen.value(of: "Email") == "ada@example.com" && !world.screen.isEnabled("Email"))
        #expect(try world.screen.attribute("autocomplete", of: "Email") == "username", "kept with the new password")
        try await world.screen.type("short", into: "New Password")
        #expect(world.screen.shows("Password must be at least 8 characters."))
        try await world.screen.type("another password", into: "New Password")
        try await world.screen.submit("New Password")
        #expect(world.screen.focused == "Confirm Password")
        try await world.screen.type("another", into: "Confirm Password")
        #expect(world.screen.shows("Passwords don't match."))
        try await world.screen.type("another password", into: "Confirm Password")
        world.service.meet(.currentPasswordRequired, .currentPasswordWrong)
        try await world.screen.tap("Save Password")
        try await world.screen.wait { $0.has(field: "Current Password") }
        #expect(try world.screen.value(of: "New Password") == "another password", "the attempt is not over")
        try await world.screen.type("not this one", into: "Current Password")
        try await world.screen.tap("Save Password")
        try await world.screen.wait(for: "The current password isn't correct.")
        for field in world.screen.fields { #expect(try world.screen.value(of: field) != "", "\(field)") }
        for (field, text) in [
            ("New Password", "another password"), ("Confirm Password", "another password"),
            ("Current Password", Fixtures.password),
        ] {
            try await world.screen.type(text, into: field)
        }
        try await world.screen.submit("Current Password")
        try await world.screen.wait { $0.title == "Sign-In Methods" }
        #expect(world.screen.announcements.last == "Your password has been saved.")
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("A code is requested if the server requires one, and can be sent again")
    func code() async throws {
        let world = try await world(links: false)
        try await world.screen.wait { $0.has(button: "Change Password") }
        try await world.screen.tap("Change Password")
        world.service.meet(.codeRequired)
        try await world.screen.type("another password", into: "New Password")
        try await world.screen.type("another password", into: "Confirm Password")
        try await world.screen.tap("Save Password")
        try await world.screen.wait(for: "Please enter the code from the email.")
        #expect(try world.screen.attribute("autocomplete", of: "Code") == "one-time-code")
        try await world.screen.tap("Send Again")
        try await world.screen.wait { _ in world.service.calls.filter { $0 == .reauthenticate }.count == 2 }
        try await world.screen.type("123456", into: "Code")
        try await world.screen.tap("Save Password")
        try await world.screen.wait { $0.title == "Sign-In Methods" }
    }

    @Test("A user with only Apple is offered a password, and without an address an address first")
    func firstPassword() async throws {
        for (person, address, secret) in [
            (ProviderPerson.ada, "Change Email", true), (.withoutEmail, "Add Email", false),
        ] {
            let service = InMemoryAuthService()
            _ = try await service.service.signIn(with: person.credentials(from: .apple))
            let world = try await world(service, links: false)
            try await world.screen.wait { $0.has(button: address) }
            #expect(world.screen.has(button: "Set a Password") == secret)
            #expect(!world.screen.has(button: "Change Password"))
        }
    }
}
