import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("The second step of a sign-in", .timeLimit(.minutes(5)))
struct SecondStepTests {
    private func protected() async throws -> (World, codes: [String]) {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let codes = service.addApp()
        let world = await World(service)
        try await world.typeSignIn()
        try await world.screen.tap("submit")
        try await world.screen.wait { $0.title == "Confirm It's You" }
        return (world, codes)
    }

    @Test("The password is followed by the app's code, which signs in as soon as it is complete")
    func code() async throws {
        let (world, _) = try await protected()
        #expect(world.screen.presentations == ["sheet", "sheet"] && !world.manager.isLoggedIn)
        #expect(world.screen.shows("Enter the code that My phone shows.") && world.screen.focused == "Code")
        #expect(try world.screen.attribute("autocomplete", of: "Code") == "one-time-code")
        try await world.screen.type("000000", into: "Code")
        try await world.screen.wait(for: "The code is wrong or has expired.")
        #expect(try world.screen.value(of: "Code").isEmpty)
        try await world.screen.type(try #require(world.service.appCode()), into: "Code")
        try await world.screen.wait(for: "Welcome back, Ada")
        #expect(world.screen.presentations.isEmpty && world.screen.complaints.isEmpty)
    }

    @Test("A recovery code is the other way, and the app's code is offered again")
    func recovery() async throws {
        let (world, codes) = try await protected()
        try await world.screen.tap("Use a Recovery Code")
        #expect(world.screen.shows("Enter one of your recovery codes. Each works once."))
        #expect(try world.screen.attribute("autocomplete", of: "Code") == nil, "a code from a message is none")
        #expect(world.screen.has(button: "Use an Authenticator App"))
        try await world.screen.type(codes[0].uppercased(), into: "Code")
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Welcome back, Ada")
    }

    @Test("Cancelling and swiping down sign out, and nothing is left on the server", arguments: [true, false])
    func cancelled(byButton: Bool) async throws {
        let (world, _) = try await protected()
        if byButton { try await world.screen.tap("Cancel") } else { #expect(await world.screen.swipeDown()) }
        try await world.screen.wait { _ in world.manager.phase == .unauthenticated }
        try await world.screen.wait { _ in world.service.openSessionCount == 0 }
        // Back on the form, for another user.
        try await world.screen.wait { $0.presentations == ["sheet"] && $0.has(field: "Email") }
    }

    @Test("In a sheet of the app's own, the code is asked for above it, too")
    func ownSheet() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        service.addApp()
        let world = await World(service, home: OwnSheets())
        try await world.screen.tap("Join")
        try await world.screen.tap("Sign in with Email")
        try await world.screen.type("ada@example.com", into: "Email")
        try await world.screen.type(Fixtures.password, into: "Password")
        try await world.screen.tap("submit")
        try await world.screen.wait { $0.title == "Confirm It's You" }
        #expect(world.screen.presentations == ["sheet", "sheet"])
        try await world.screen.type(try #require(service.appCode()), into: "Code")
        try await world.screen.wait { _ in world.manager.isLoggedIn }
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("After a restart in between, the app asks for the code at once")
    func restart() async throws {
        let service = InMemoryAuthService.signedIn()
        service.addApp()
        let world = await World(service)
        #expect(world.screen.title == "Confirm It's You" && world.screen.presentations == ["sheet"])
        try await world.screen.type(try #require(service.appCode()), into: "Code")
        try await world.screen.wait(for: "Welcome back, Ada")
        #expect(world.screen.presentations.isEmpty)
    }

    @Test("A password reset asks for the code before the new password")
    func passwordReset() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        service.addApp()
        let world = await World(service)
        try await service.service.sendPasswordMail(to: "ada@example.com")
        await world.screen.open(try #require(service.mailLink(.recovery, to: "ada@example.com")))
        try await world.screen.wait { $0.title == "Confirm It's You" }
        try await world.screen.type(try #require(service.appCode()), into: "Code")
        try await world.screen.wait { $0.title == "New Password" }
        #expect(world.manager.isLoggedIn)
    }
}

@MainActor @Suite("Passkeys on the screens", .timeLimit(.minutes(5)))
struct PasskeyScreenTests {
    private func world(signedIn: Bool) async -> World {
        let service = signedIn ? InMemoryAuthService.signedIn() : InMemoryAuthService()
        service.serverSettings.allowsPasskeys = true
        if !signedIn { service.addAccount(email: "ada@example.com", firstName: "Ada") }
        return await World(service)
    }

    @Test("The name of a passkey takes 120 bytes, and the field shows what is kept")
    func longName() async throws {
        let world = await world(signedIn: true)
        try await world.manager.passkeys.add(with: world.passkeys)
        try await world.openProfile()
        try await world.screen.tap("Security")
        try await world.screen.wait(for: "Apple Passwords")
        try await world.screen.tap(try #require(world.screen.buttons.first { $0.hasPrefix("Apple Passwords") }))
        try await world.screen.type(String(repeating: "鍵", count: 50), into: "Name")
        let kept = String(repeating: "鍵", count: 40)
        #expect(try world.screen.value(of: "Name") == kept)
        try await world.screen.tap("Save")
        try await world.screen.wait(for: kept)
    }

    @Test("A passkey is added in the profile, renamed, signs in, and is deleted")
    func life() async throws {
        let world = await world(signedIn: true)
        try await world.openProfile()
        try await world.screen.tap("Security")
        try await world.screen.wait { $0.has(button: "Add a Passkey") }
        try await world.screen.tap("Add a Passkey")
        try await world.screen.wait(for: "Apple Passwords")
        try await world.screen.tap(try #require(world.screen.buttons.first { $0.hasPrefix("Apple Passwords") }))
        try await world.screen.type("My phone", into: "Name")
        try await world.screen.tap("Save")
        try await world.screen.wait(for: "My phone")
        await world.manager.signOut()
        await world.screen.settle()
        try await world.openLogin()
        try await world.screen.wait { $0.has(button: "Sign in with a Passkey") }
        try await world.screen.tap("Sign in with a Passkey")
        try await world.screen.wait(for: "Welcome back, Ada")
        try await world.openProfile()
        try await world.screen.tap("Security")
        try await world.screen.wait(for: "My phone")
        try await world.screen.tap(try #require(world.screen.buttons.first { $0.hasPrefix("My phone") }))
        try await world.screen.tap("Remove Passkey")
        try await world.screen.tap("Remove Passkey")
        try await world.screen.wait { !$0.shows("My phone") && $0.has(button: "Add a Passkey") }
        try await world.screen.wait { _ in world.passkeys.signals.count == 2 }
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("A closed sheet shows nothing, and a server without passkeys no button")
    func cancelled() async throws {
        let world = await world(signedIn: false)
        try await world.openLogin()
        try await world.screen.wait { $0.has(button: "Sign in with a Passkey") }
        try await world.screen.tap("Sign in with a Passkey")
        try await world.screen.wait { _ in !world.manager.isLoading }
        #expect(world.manager.phase == .unauthenticated && world.screen.symbols.allSatisfy { !$0.contains("triangle") })
        let other = await World()
        try await other.openLogin()
        #expect(!other.screen.has(button: "Sign in with a Passkey"))
    }

    @Test("After a sign-in with a password a passkey is offered, once")
    func offer() async throws {
        let world = await world(signedIn: false)
        try await world.typeSignIn()
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Add a passkey?")
        #expect(world.screen.presentations == ["sheet"])
        try await world.screen.tap("Add a Passkey")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.passkeys.count == 1)
    }

    @Test("Not Now ends the question for good")
    func notNow() async throws {
        let world = await world(signedIn: false)
        try await world.typeSignIn()
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Add a passkey?")
        try await world.screen.tap("Not Now")
        await world.manager.signOut()
        await world.screen.settle()
        try await world.typeSignIn()
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Welcome back, Ada")
        await world.screen.settle()
        #expect(world.screen.presentations.isEmpty && !world.manager.asksForPasskey)
    }

    @Test("The keyboard of the address offers passkeys, and a tap signs in")
    func keyboard() async throws {
        let world = await world(signedIn: true)
        try await world.manager.passkeys.add(with: world.passkeys)
        await world.manager.signOut()
        await world.screen.settle()
        try await world.openLogin()
        try await world.screen.tap("Sign in with Email")
        try await world.screen.wait { _ in world.passkeys.offeredCount == 1 }
        #expect(try world.screen.attribute("autocomplete", of: "Email") == "username")
        #expect(try !world.screen.isEnabled("submit") && world.screen.progress.isEmpty)
        world.passkeys.chooseInKeyboard()
        try await world.screen.wait(for: "Welcome back, Ada")
        #expect(world.screen.presentations.isEmpty)
    }

    @Test("The sign-in with a passkey from the keyboard goes on while the screen shows that it is busy")
    func slowKeyboard() async throws {
        let world = await world(signedIn: true)
        try await world.manager.passkeys.add(with: world.passkeys)
        await world.manager.signOut()
        await world.screen.settle()
        try await world.openLogin()
        try await world.screen.tap("Sign in with Email")
        try await world.screen.wait { _ in world.passkeys.offeredCount == 1 }
        world.service.meet(.slow, at: .signInWithPasskey)
        world.passkeys.chooseInKeyboard()
        try await world.screen.wait { _ in world.service.heldCount == 1 }
        // The screen's own task has been cancelled.
        await world.screen.settle()
        #expect(world.manager.phase == .authenticating(.passkey))
        world.service.release()
        try await world.screen.wait(for: "Welcome back, Ada")
    }
}

@MainActor @Suite("Authenticator apps, recovery codes and fresh proofs", .timeLimit(.minutes(5)))
struct SecurityTests {
    private func opened() async throws -> World {
        let world = await World(.signedIn())
        try await world.openProfile()
        try await world.screen.tap("Security")
        try await world.screen.wait { $0.has(button: "Add an Authenticator App") }
        return world
    }

    @Test("An app is added with its code; the recovery codes follow, once; both are removed")
    func app() async throws {
        let world = try await opened()
        try await world.screen.tap("Add an Authenticator App")
        try await world.screen.wait { $0.has(field: "Code") }
        #expect(try world.screen.livePage().html.contains("crispEdges"))
        try await world.screen.tap("Copy")
        #expect(world.screen.has(button: "Copied") && world.screen.announcements.last == "Copied")
        try await world.screen.tap("Open in an App on This Device")
        #expect(world.device.openedURLs.map(\.scheme) == ["otpauth"])
        try await world.screen.type(try #require(world.service.appCode()), into: "Code")
        try await world.screen.wait { $0.has(button: "I've Saved Them") }
        #expect(world.screen.announcements.contains("The authenticator app has been added."))
        #expect(world.screen.texts.count { $0.split(separator: "-").count == 4 } == 10)
        #expect(world.screen.has(button: "Save or Print"))
        try await world.screen.tap("I've Saved Them")
        try await world.screen.wait(for: "10 of 10 left")
        #expect(world.screen.shows("Authenticator App"))
        try await world.screen.tap("Remove Recovery Codes")
        try await world.screen.tap("Remove Recovery Codes")
        try await world.screen.wait { $0.has(button: "Create Recovery Codes") }
        try await world.screen.tap("Remove Authenticator App")
        try await world.screen.tap("Remove")
        try await world.screen.wait { !$0.has(button: "Remove Authenticator App") }
        #expect(world.manager.isLoggedIn && world.screen.complaints.isEmpty)
    }

    @Test("New codes replace the old ones")
    func newCodes() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let old = service.addApp()
        let world = await World(service)
        try await world.typeSignIn()
        try await world.screen.tap("submit")
        try await world.screen.wait { $0.title == "Confirm It's You" }
        try await world.screen.type(try #require(service.appCode()), into: "Code")
        try await world.screen.wait(for: "Welcome back, Ada")
        try await world.openProfile()
        try await world.screen.tap("Security")
        try await world.screen.wait { $0.has(button: "Create New Codes") }
        try await world.screen.tap("Create New Codes")
        try await world.screen.wait { $0.has(button: "I've Saved Them") }
        try await world.screen.tap("I've Saved Them")
        await #expect(throws: AuthError.codeWrong) { try await world.manager.proofs.prove(recoveryCode: old[0]) }
    }

    @Test("The deletion asks for the password in a sheet of its own, and goes on")
    func deletion() async throws {
        let world = await World(.signedIn())
        world.service.meet(.freshProofNeeded, at: .deleteAccount)
        try await world.openProfile()
        try await world.screen.tap("Delete Account")
        try await world.screen.tap("Delete Account")
        try await world.screen.wait { $0.title == "Confirm It's You" }
        #expect(world.screen.presentations == ["sheet", "sheet"])
        try await world.screen.type(Fixtures.password, into: "Password")
        try await world.screen.tap("submit")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.service.account(email: "ada@example.com") == nil && world.screen.complaints.isEmpty)
    }

    @Test("In a sheet of the app's own, the question for a proof appears above it, too")
    func ownSheet() async throws {
        let world = await World(.signedIn(), home: OwnSheets())
        world.service.meet(.freshProofNeeded, at: .deleteAccount)
        try await world.screen.tap("My account")
        try await world.screen.tap("Delete Account")
        try await world.screen.tap("Delete Account")
        try await world.screen.wait { $0.title == "Confirm It's You" }
        #expect(world.screen.presentations == ["sheet", "sheet"])
        try await world.screen.type(Fixtures.password, into: "Password")
        try await world.screen.tap("submit")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.service.account(email: "ada@example.com") == nil && world.screen.complaints.isEmpty)
    }

    @Test("A cancelled question leaves the profile as it was, without an alert")
    func cancelled() async throws {
        let world = await World(.signedIn())
        world.service.meet(.freshProofNeeded, at: .deleteAccount)
        try await world.openProfile()
        try await world.screen.tap("Delete Account")
        try await world.screen.tap("Delete Account")
        try await world.screen.wait { $0.title == "Confirm It's You" }
        try await world.screen.tap("Cancel")
        try await world.screen.wait { $0.title == "Profile" }
        await world.screen.settle()
        #expect(world.screen.presentations == ["sheet"] && world.manager.isLoggedIn)
    }

    @Test("A second app leaves the recovery codes as they are")
    func secondApp() async throws {
        let service = InMemoryAuthService.signedIn()
        let world = await World(service)
        let codes = try await protect(world)
        try await world.screen.tap("Add an Authenticator App")
        try await world.screen.wait { $0.has(field: "Code") }
        service.clock.advance(by: .seconds(30))
        try await world.screen.type(try #require(service.appCode()), into: "Code")
        try await world.screen.wait { $0.has(button: "Create New Codes") }
        #expect(world.screen.announcements.contains("The authenticator app has been added."))
        try await world.manager.proofs.prove(recoveryCode: codes[0])
    }

    private func protect(_ world: World) async throws -> [String] {
        try await world.openProfile()
        try await world.screen.tap("Security")
        try await world.screen.wait { $0.has(button: "Add an Authenticator App") }
        try await world.screen.tap("Add an Authenticator App")
        try await world.screen.wait { $0.has(field: "Code") }
        try await world.screen.type(try #require(world.service.appCode()), into: "Code")
        try await world.screen.wait { $0.has(button: "I've Saved Them") }
        let codes = world.screen.texts.filter { $0.split(separator: "-").count == 4 }
        try await world.screen.tap("I've Saved Them")
        try await world.screen.wait(for: "10 of 10 left")
        return codes
    }

    @Test("Going back to the list shows no error, however often its load is begun anew")
    func back() async throws {
        let world = try await opened()
        let loads = world.service.calls.count { $0 == .factors }
        try await world.screen.tap("Add an Authenticator App")
        try await world.screen.wait { $0.has(field: "Code") }
        world.service.meet(.slow, at: .factors)
        try await world.screen.goBack()
        try await world.screen.wait { _ in world.service.heldCount == 1 }
        #expect(!world.screen.has(button: "Retry"))
        world.service.release()
        try await world.screen.wait { $0.has(button: "Add an Authenticator App") }
        await world.screen.settle()
        #expect(!world.screen.announcements.contains("Something went wrong."))
        // Once per screen.
        #expect(world.service.calls.count { $0 == .factors } == loads + 2)
    }

    @Test("A list that cannot be loaded offers a retry")
    func failed() async throws {
        let world = await World(.signedIn())
        world.service.meet(.offline, at: .factors)
        try await world.openProfile()
        try await world.screen.tap("Security")
        try await world.screen.wait { $0.has(button: "Retry") }
        try await world.screen.tap("Retry")
        try await world.screen.wait { $0.has(button: "Add an Authenticator App") }
    }
}
