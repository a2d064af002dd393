import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("The profile screen", .timeLimit(.minutes(5)))
struct ProfileTests {
    private func world() async throws -> World {
        let world = await World(.signedIn())
        try await world.openProfile()
        return world
    }

    @Test("E10: initial, name and address")
    func contents() async throws {
        let world = try await world()
        #expect(world.screen.shows("Ada, ada@example.com"))
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("E10: signing out asks first, closes the sheet, and shows no login screen")
    func signOut() async throws {
        let world = try await world()
        try await world.screen.tap("Sign Out")
        #expect(world.screen.presentations == ["sheet", "dialog"])
        #expect(world.screen.shows("Are you sure you want to sign out?"))
        try await world.screen.tap("Cancel")
        #expect(world.manager.isLoggedIn)
        try await world.screen.tap("Sign Out")
        try await world.screen.tap("Sign Out")
        try await world.screen.wait { screen in
            #expect(!screen.shows("Continue as Guest"))
            return screen.presentations.isEmpty
        }
        #expect(world.screen.has(button: "Sign in"))
        try await world.screen.wait { _ in world.service.openSessionCount == 0 }
    }

    @Test("E10: deleting asks first, covers the screen, and closes the sheet")
    func delete() async throws {
        let world = try await world()
        world.service.meet(.slow, at: .deleteAccount)
        try await world.screen.tap("Delete Account")
        #expect(
            world.screen.shows(
                "This will permanently delete your account and all your data. This cannot be undone."))
        try await world.screen.tap("Delete Account")
        try await world.screen.wait { _ in world.service.heldCount == 1 }
        #expect(world.screen.progress == ["Deleting account..."])
        #expect(await !world.screen.swipeDown())
        #expect(try !world.screen.isEnabled("Done"))
        world.service.release()
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.service.account(email: "ada@example.com") == nil)
    }

    @Test("E10, A8: a failed deletion shows an alert; the user stays")
    func deleteFails() async throws {
        let world = try await world()
        world.service.meet(.serverError, at: .deleteAccount)
        try await world.screen.tap("Delete Account")
        try await world.screen.tap("Delete Account")
        try await world.screen.wait(for: "Could Not Delete Account")
        #expect(world.screen.shows("Something went wrong. Please try again."))
        try await world.screen.tap("OK")
        #expect(world.screen.presentations == ["sheet"])
        #expect(world.manager.isLoggedIn)
        #expect(try world.screen.isEnabled("Delete Account"))
    }

    @Test("The screen loads a missing profile when it opens, and again when it is pulled, until it has arrived")
    func loads() async throws {
        let service = InMemoryAuthService.signedIn()
        service.stay(.offline)
        let world = await World(service)
        try await world.openProfile()
        try await world.screen.wait { _ in !world.manager.isLoading }
        #expect(!world.manager.isProfileLoaded)
        service.clear()
        try await world.screen.pullToRefresh()
        #expect(world.manager.isProfileLoaded && !world.manager.isLoading)

        service.stay(.offline)
        let other = await World(service)
        service.clear()
        #expect(!other.manager.isProfileLoaded)
        try await other.openProfile()
        try await other.screen.wait { _ in other.manager.isProfileLoaded }
    }

    @Test("A9: leaving the screen while a name is saved does not cancel it, and shows no error")
    func leaves() async throws {
        let world = try await world()
        world.service.meet(.slow, at: .updateProfile)
        try await world.screen.tap("Edit Name")
        try await world.screen.type("Grace", into: "First Name")
        try await world.screen.tap("Save")
        try await world.screen.wait { _ in world.service.heldCount == 1 }
        try await world.screen.goBack()
        try await world.screen.tap("Done")
        world.service.release()
        try await world.screen.wait(for: "Welcome back, Grace")
        #expect(world.manager.error == nil && world.screen.presentations.isEmpty)
    }

    @Test("E10, A9: the name is edited, trimmed, shortened and cleared")
    func name() async throws {
        let world = try await world()
        try await world.screen.tap("Edit Name")
        #expect(world.screen.focused == "First Name")
        #expect(try world.screen.value(of: "First Name") == "Ada")
        try await world.screen.type("  " + String(repeating: "a", count: 45), into: "First Name")
        try await world.screen.submit("First Name")
        try await world.screen.wait { $0.title == "Profile" }
        #expect(world.manager.user?.firstName == String(repeating: "a", count: 40))
        try await world.screen.tap("Edit Name")
        try await world.screen.type(" ", into: "First Name")
        try await world.screen.tap("Save")
        try await world.screen.wait { $0.title == "Profile" }
        #expect(world.manager.user?.firstName == nil)
    }

    @Test("A failed change shows an error and changes nothing")
    func saveFails() async throws {
        let world = try await world()
        world.service.meet(.offline, at: .updateProfile)
        try await world.screen.tap("Edit Name")
        try await world.screen.type("Grace", into: "First Name")
        try await world.screen.tap("Save")
        try await world.screen.wait(for: "Could Not Save Profile")
        #expect(world.screen.shows("You're offline. Some features may be unavailable."))
        #expect(world.manager.user?.firstName == "Ada")
        try await world.screen.tap("OK")
        #expect(world.manager.error == nil)
    }

    @Test("E10, D7: a method is added and removed, never the last one")
    func methods() async throws {
        let world = try await world()
        world.google.follow(.signsIn(.ada))
        try await world.screen.tap("Sign-In Methods")
        try await world.screen.wait(for: "Email and Password")
        #expect(world.screen.shows("Add another way to sign in before you remove this one."))
        #expect(!world.screen.has(button: "Remove Email and Password"))
        try await world.screen.tap("Sign in with Google")
        try await world.screen.wait { $0.has(button: "Remove Google") }
        try await world.screen.tap("Remove Google")
        #expect(world.screen.shows("You'll no longer be able to sign in this way."))
        try await world.screen.tap("Remove")
        try await world.screen.wait { !$0.has(button: "Remove Google") && $0.has(button: "Sign in with Google") }
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("A method of another account shows an error")
    func otherAccount() async throws {
        let world = try await world()
        world.service.meet(.emailTaken)
        world.device.follow(.signsIn(.init(.grace)))
        try await world.screen.tap("Sign-In Methods")
        try await world.screen.wait(for: "Email and Password")
        try await world.screen.tap("Sign in with Apple")
        try await world.screen.wait(for: "This email is already associated with another account.")
    }

    @Test("E10: devices have names and their last use, this one first; all others can be signed out")
    func devices() async throws {
        let world = try await world()
        let browser =
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
            + "Version/18.2 Safari/605.1.15"
        world.service.clock.advance(by: .seconds(60))
        world.service.addDevice(userAgent: browser)
        world.service.addDevice(userAgent: nil)
        try await world.screen.tap("Devices")
        try await world.screen.wait(for: "Other Devices")
        let texts = world.screen.texts
        let order = try ["This Device", "iPhone", "Other Devices"].map { try #require(texts.firstIndex(of: $0)) }
        #expect(order == order.sorted())
        #expect(texts.contains("Example · iOS 18.2") && texts.contains("Unknown Device"))
        #expect(texts.contains { $0.hasPrefix("Last used Jan 1, 2026") && $0.contains(":01") })
        #expect(!texts.contains { $0.contains("Mozilla") || $0.contains("gatehouse-swift") })
        #expect(!world.screen.has(button: "Sign out iPhone"))
        try await world.screen.tapTwice("Sign out Unknown Device")
        try await world.screen.wait { !$0.shows("Unknown Device") }
        #expect(world.service.calls.filter { $0 == .revokeSession }.count == 1)
        world.service.meet(.offline, at: .revokeSession)
        try await world.screen.tap("Sign out Mac")
        try await world.screen.wait(for: "Something went wrong. Please try again.")
        #expect(world.screen.has(button: "Sign out Mac"))
    }

    @Test("A session that is bound to this device's key says so")
    func boundDevice() async throws {
        let world = try await world()
        // The refresh binds the stored session.
        world.service.clock.advance(by: .seconds(3_601))
        try await world.screen.tap("Devices")
        try await world.screen.wait(for: "Protected by this device")
        #expect(!world.screen.shows("Protected by its device"))
    }

    @Test("A server without a list of devices says so")
    func noDevices() async throws {
        let world = try await world()
        world.service.meet(.notSupported, at: .sessions)
        try await world.screen.tap("Devices")
        try await world.screen.wait(for: "The list of devices isn't available.")
    }

    @Test("A method that would be the last one cannot be removed, and the message says what to do")
    func lastMethod() async throws {
        let world = try await world()
        world.google.follow(.signsIn(.ada))
        try await world.screen.tap("Sign-In Methods")
        try await world.screen.wait { $0.has(button: "Sign in with Google") }
        try await world.screen.tap("Sign in with Google")
        try await world.screen.wait { $0.has(button: "Remove Google") }
        world.service.meet(.lastMethod, at: .unlink)
        try await world.screen.tap("Remove Google")
        try await world.screen.tap("Remove")
        try await world.screen.wait(for: "This is the last way to sign in. Please add another one first.")
    }

    @Test("What failed without a connection loads again by itself as soon as there is one")
    func recovers() async throws {
        let service = InMemoryAuthService.signedIn()
        service.goOffline()
        let world = await World(service)
        try await world.openProfile()
        try await world.screen.wait(for: "You're offline. Some features may be unavailable.")
        service.goOnline()
        try await world.screen.wait { !$0.shows("You're offline. Some features may be unavailable.") }
        #expect(world.manager.isProfileLoaded)
    }

    @Test("The profile also loads then if the app has dismissed the error")
    func recoversAfterDismissal() async throws {
        let service = InMemoryAuthService.signedIn()
        service.goOffline()
        let world = await World(service)
        await world.manager.wait { $0.error != nil }
        world.manager.error = nil
        service.goOnline()
        await world.manager.wait { $0.isProfileLoaded }
    }

    @Test("A failed load shows an error and offers a retry")
    func loading() async throws {
        let world = try await world()
        world.service.meet(.offline, at: .identities)
        try await world.screen.tap("Sign-In Methods")
        try await world.screen.wait { $0.has(button: "Retry") }
        try await world.screen.tap("Retry")
        try await world.screen.wait(for: "Email and Password")
    }
}
