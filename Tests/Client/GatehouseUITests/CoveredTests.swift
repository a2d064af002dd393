import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import Testing

/// SwiftUI restarts tasks when a page is uncovered, and when a group's branch is swapped.
@MainActor @Suite("One action per request", .timeLimit(.minutes(5)))
struct CoveredTests {
    private func methods(_ world: World) async throws {
        try await world.openProfile()
        try await world.screen.tap("Sign-In Methods")
        try await world.screen.wait { $0.has(button: "Change Email") }
        await world.screen.settle()
    }

    private func count(_ call: InMemoryAuthService.Call, in world: World) -> Int {
        world.service.calls.filter { $0 == call }.count
    }

    @Test("The sign-in methods are loaded once")
    func loads() async throws {
        let world = await World(.signedIn())
        try await methods(world)
        #expect(count(.identities, in: world) == 1)
    }

    @Test("Devices are loaded once")
    func devices() async throws {
        let world = await World(.signedIn())
        try await world.openProfile()
        try await world.screen.tap("Devices")
        try await world.screen.wait(for: "This Device")
        await world.screen.settle()
        #expect(count(.sessions, in: world) == 1)
    }

    @Test("Leaving a screen during Save cancels nothing: the change arrives, and no error is left")
    func leaving() async throws {
        let world = await World(.signedIn())
        world.service.meet(.slow, at: .updateProfile)
        try await world.openProfile()
        try await world.screen.tap("Edit Name")
        try await world.screen.type("Grace", into: "First Name")
        try await world.screen.tap("Save")
        try await world.screen.wait { _ in world.service.heldCount == 1 }
        try await world.screen.goBack()
        #expect(await world.screen.swipeDown())
        world.service.release()
        await world.manager.wait { $0.user?.firstName == "Grace" }
        #expect(world.manager.error == nil && world.screen.presentations.isEmpty)
    }

    @Test("Returning to the sign-in methods repeats no action: it only loads")
    func wish() async throws {
        let world = await World(.signedIn())
        world.google.follow(.cancels)
        try await methods(world)
        try await world.screen.tap("Sign in with Google")
        try await world.screen.wait { _ in world.google.requests.count == 1 }
        try await world.screen.wait { $0.progress.isEmpty }
        try await world.screen.tap("Change Email")
        await world.screen.settle()
        try await world.screen.goBack()
        await world.screen.settle()
        try await world.screen.wait { $0.has(button: "Change Email") }
        #expect(world.google.requests.count == 1)
    }

    @Test("A pending address is requested once; once confirmed, the page says so and closes")
    func newAddress() async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        _ = try await service.service.signIn(email: "ada@example.com", password: Fixtures.password)
        let world = await World(service)
        try await methods(world)
        try await world.screen.tap("Change Email")
        try await world.screen.type("countess@example.com", into: "New Email")
        try await world.screen.tap("Save Email")
        try await world.screen.wait(for: "Check your email")
        await world.screen.settle()
        #expect(count(.updateUser, in: world) == 1)
        service.changeUser { $0.email = "countess@example.com" }
        try await world.screen.wait { $0.title == "Sign-In Methods" }
        #expect(world.screen.announcements.last == "Your email has been changed.")
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("A code that failed to send is sent by the retry, and nothing is saved")
    func codeAgain() async throws {
        let world = await World(.signedIn())
        try await methods(world)
        try await world.screen.tap("Change Password")
        world.service.meet(.codeRequired)
        try await world.screen.type("another password", into: "New Password")
        try await world.screen.type("another password", into: "Confirm Password")
        try await world.screen.tap("Save Password")
        try await world.screen.wait(for: "Please enter the code from the email.")
        try await world.screen.type("123456", into: "Code")
        world.service.meet(.offline, at: .reauthenticate)
        try await world.screen.tap("Send Again")
        try await world.screen.wait { $0.has(button: "Retry") }
        let saves = count(.updateUser, in: world)
        try await world.screen.tap("Retry")
        try await world.screen.wait { !$0.has(button: "Retry") && count(.reauthenticate, in: world) == 3 }
        await world.screen.settle()
        #expect(count(.updateUser, in: world) == saves && count(.reauthenticate, in: world) == 3)
    }

    @Test("A link that fails while the account's sheet is open shows its error there once; without a sheet, below")
    func mailLink() async throws {
        let world = await World()
        let link = try #require(world.service.mailLink(.recovery, to: "nobody@example.com"))
        try await world.openLogin()
        await world.screen.open(link)
        try await world.screen.wait(for: "The link couldn't be opened.")
        #expect(world.screen.presentations == ["sheet", "alert"])
        try await world.screen.tap("OK")
        #expect(world.screen.presentations == ["sheet"])
        try await world.screen.tap("Close")
        await world.screen.open(link)
        try await world.screen.wait(for: "The link couldn't be opened.")
        #expect(world.screen.presentations == ["alert"])
        try await world.screen.tap("OK")
        #expect(world.screen.presentations.isEmpty)
    }

    @Test("A second link waits for the first, which signs in; that the second is then worthless shows no error")
    func twoLinks() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let world = await World(service)
        service.meet(.slow, .invalidCallback, at: .openMailLink)
        await world.screen.open(try #require(service.mailLink(.signIn, to: "ada@example.com")))
        try await world.screen.wait { _ in service.heldCount == 1 }
        await world.screen.open(try #require(service.mailLink(.recovery, to: "ada@example.com")))
        await world.screen.settle()
        #expect(count(.openMailLink, in: world) == 1)
        service.release()
        try await world.screen.wait(for: "Welcome back, Ada")
        try await world.screen.wait { _ in count(.openMailLink, in: world) == 2 }
        await world.screen.settle()
        #expect(world.manager.isLoggedIn && world.screen.presentations.isEmpty)
        // A later link's failure shows again.
        service.meet(.invalidCallback, at: .openMailLink)
        await world.screen.open(try #require(service.mailLink(.recovery, to: "ada@example.com")))
        try await world.screen.wait(for: "The link couldn't be opened.")
    }

    /// A link that was mailed to Grace, opened by Ada.
    private func foreignLink() async throws -> World {
        let service = InMemoryAuthService.signedIn()
        service.addAccount(email: "grace@example.com", firstName: "Grace")
        let world = await World(service)
        await world.screen.open(try #require(service.mailLink(.signIn, to: "grace@example.com")))
        try await world.screen.wait(for: "Switch Accounts?")
        #expect(
            world.screen.shows(
                "The link is for grace@example.com. If you switch, this device will be signed out of the account you're using now."
            ))
        #expect(world.screen.presentations == ["sheet"] && world.manager.user?.email == "ada@example.com")
        return world
    }

    @Test(
        "F11: A link for another account asks; who switches is signed in, and the previous session ends at the server")
    func switches() async throws {
        let world = try await foreignLink()
        try await world.screen.tap("Switch Accounts")
        try await world.screen.wait(for: "Welcome back, Grace")
        #expect(world.screen.presentations.isEmpty && world.screen.complaints.isEmpty)
        try await world.screen.wait { _ in world.service.sessionCount(of: "ada@example.com") == 0 }
    }

    @Test("F11: Who stays keeps the session, and that of the link ends")
    func stays() async throws {
        let world = try await foreignLink()
        try await world.screen.tap("Stay Signed In")
        try await world.screen.wait { _ in world.service.sessionCount(of: "grace@example.com") == 0 }
        #expect(world.screen.presentations.isEmpty && world.screen.shows("Welcome back, Ada"))
        #expect(world.service.sessionCount(of: "ada@example.com") == 1)
    }

    @Test("F11: Without a screen that asks, a link for another account is refused")
    func nobodyAsks() async throws {
        let service = InMemoryAuthService.signedIn()
        service.addAccount(email: "grace@example.com", firstName: "Grace")
        let manager = service.makeManager()
        await manager.wait { $0.isLoggedIn }
        let link = try #require(service.mailLink(.signIn, to: "grace@example.com"))
        await #expect(throws: AuthError.alreadySignedIn) { try await manager.mail.openLink(link) }
        #expect(manager.user?.email == "ada@example.com" && manager.switchQuestion == nil)
    }
}
