import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("Several accounts on the screens", .timeLimit(.minutes(5)))
struct AccountsTests {
    /// Ada is signed in; Bob, if present, is active.
    private func world(withBob: Bool = true) async throws -> World {
        let service = InMemoryAuthService(allowsSeveralAccounts: true)
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        service.addAccount(email: "bob@example.com", firstName: "Bob")
        let world = await World(service)
        for email in withBob ? ["ada@example.com", "bob@example.com"] : ["ada@example.com"] {
            try await world.manager.switchAccount { manager throws(AuthError) in
                try await manager.signInWithEmail(email, password: Fixtures.password)
            }
            await world.manager.wait { $0.isProfileLoaded && !$0.isLoading }
        }
        await world.manager.loadAccounts()
        await world.screen.settle()
        return world
    }

    @Test("An app with one account has no switcher")
    func single() async throws {
        let world = await World(.signedIn())
        try await world.openProfile()
        #expect(!world.screen.shows("Accounts on This Device") && !world.screen.has(button: "Add Account"))
    }

    @Test("Another account is added on the login screen, which keeps the user and has no guest")
    func adds() async throws {
        let world = try await world(withBob: false)
        try await world.openProfile()
        #expect(!world.screen.has(button: "Sign Out of All Accounts"))
        try await world.screen.tap("Add Account")
        #expect(world.screen.presentations == ["sheet", "sheet"])
        #expect(!world.screen.has(button: "Continue as Guest") && world.manager.isLoggedIn)
        try await world.screen.tap("Sign in with Email")
        try await world.screen.type("bob@example.com", into: "Email")
        try await world.screen.type(Fixtures.password, into: "Password")
        try await world.screen.tap("submit")
        try await world.screen.wait { $0.presentations == ["sheet"] }
        #expect(world.manager.user?.email == "bob@example.com")
        try await world.screen.wait { $0.has(button: "Switch to ada@example.com") }
        #expect(world.service.openSessionCount == 2 && world.screen.complaints.isEmpty)
    }

    @Test("A closed login screen adds nothing, and later sign-ins are refused as before")
    func closes() async throws {
        let world = try await world(withBob: false)
        try await world.openProfile()
        try await world.screen.tap("Add Account")
        try await world.screen.tap("Close")
        #expect(world.screen.presentations == ["sheet"] && world.manager.user?.email == "ada@example.com")
        await #expect(throws: AuthError.alreadySignedIn) {
            try await world.manager.signInWithEmail("bob@example.com", password: Fixtures.password)
        }
    }

    @Test("A tap on an account switches to it, and the profile shows it")
    func switches() async throws {
        let world = try await world()
        try await world.openProfile()
        try await world.screen.tap("Switch to ada@example.com")
        try await world.screen.wait { $0.has(button: "Switch to bob@example.com") }
        #expect(world.manager.user?.email == "ada@example.com" && world.screen.presentations == ["sheet"])
        #expect(world.screen.shows("Ada, ada@example.com") && world.screen.complaints.isEmpty)
    }

    @Test("An account is removed after a question")
    func removes() async throws {
        let world = try await world()
        try await world.openProfile()
        try await world.screen.tap("Remove ada@example.com")
        #expect(
            world.screen.shows(
                "This signs you out of ada@example.com on this device. You can sign in again at any time."))
        try await world.screen.tap("Remove")
        try await world.screen.wait { !$0.has(button: "Switch to ada@example.com") }
        try await world.screen.wait { _ in world.service.openSessionCount == 1 }
        #expect(world.manager.user?.email == "bob@example.com")
    }

    @Test("An account whose session has ended is signed out after a switch; it says so, and a tap opens the login")
    func signedOut() async throws {
        let world = try await world()
        world.service.removeAccount(email: "ada@example.com")
        world.service.clock.advance(by: .seconds(3_700))
        try await world.openProfile()
        try await world.screen.tap("Switch to ada@example.com")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.manager.phase == .unauthenticated)
        try await world.openLogin()
        try await world.screen.wait { $0.has(button: "Switch to bob@example.com") }
        try await world.screen.tap("Switch to bob@example.com")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.manager.user?.email == "bob@example.com")
        try await world.openProfile()
        try await world.screen.wait(for: "Signed out")
        try await world.screen.tap("Sign in to ada@example.com again")
        #expect(world.screen.presentations == ["sheet", "sheet"])
    }

    @Test("After a sign-out the login screen offers the accounts that are left; signing out of all leaves none")
    func chooses() async throws {
        let world = try await world()
        try await world.openProfile()
        try await world.screen.tap("Sign Out")
        try await world.screen.tap("Sign Out")
        try await world.screen.wait { $0.presentations.isEmpty }
        try await world.openLogin()
        try await world.screen.wait(for: "Choose an Account")
        try await world.screen.tap("Switch to ada@example.com")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.manager.user?.email == "ada@example.com" && world.screen.complaints.isEmpty)
    }

    @Test("Signing out of all accounts asks first")
    func all() async throws {
        let world = try await world()
        try await world.openProfile()
        try await world.screen.tap("Sign Out of All Accounts")
        #expect(world.screen.shows("Are you sure you want to sign out of all accounts on this device?"))
        try await world.screen.tap("Sign Out of All Accounts")
        try await world.screen.wait { $0.presentations.isEmpty }
        try await world.screen.wait { _ in world.service.openSessionCount == 0 }
        #expect(world.manager.accounts.isEmpty)
    }
}
