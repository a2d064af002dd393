import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import Testing

@MainActor @Suite("Screens for what a proof set aside", .timeLimit(.minutes(5)))
struct RestoringTests {
    private static let ada = "ada@example.com"

    private func code(_ world: World) throws -> String {
        try #require(world.service.mailCode(.signIn, to: Self.ada))
    }

    /// An emailed code has set password and passkey aside.
    private func proven() async throws -> World {
        let service = InMemoryAuthService()
        service.serverSettings.allowsPasskeys = true
        service.addAccount(email: Self.ada, firstName: "Ada")
        let world = await World(service)
        _ = try await service.service.signIn(email: Self.ada, password: Fixtures.password)
        _ = try await service.service.registerPasskey(with: world.passkeys, style: .sheet)
        try await service.service.signOut()
        try await service.service.sendSignInMail(to: Self.ada)
        _ = try await service.service.verify(code: try code(world), sentTo: Self.ada, for: .email)
        try await service.service.signOut()
        service.clock.advance(by: .seconds(61))
        await world.manager.wait { $0.phase == .unauthenticated }
        await world.screen.settle()
        return world
    }

    @Test("A set-aside password asks for the emailed code, and works again")
    func password() async throws {
        let world = try await proven()
        try await world.typeSignIn()
        try await world.screen.tap("submit")
        try await world.screen.wait(for: "Enter the code we emailed you to keep using this password.")
        #expect(world.screen.shows("We've sent a code to ada@example.com.") && world.screen.has(button: "Send Again"))
        try await world.screen.type(try code(world), into: "Code")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.manager.user?.setAside.map(\.kind).contains(.password) == false)
    }

    @Test("A set-aside passkey asks for the emailed code; the user can return to the sign-in methods")
    func passkey() async throws {
        let world = try await proven()
        try await world.openLogin()
        try await world.screen.tap("Sign in with a Passkey")
        try await world.screen.wait(for: "Enter the code we emailed you to keep using this passkey.")
        #expect(!world.screen.has(button: "Send Again"))
        try await world.screen.tap("Sign in Another Way")
        try await world.screen.wait { $0.has(button: "Sign in with a Passkey") }
        try await world.screen.tap("Sign in with a Passkey")
        try await world.screen.wait { $0.has(field: "Code") }
        try await world.screen.type(try code(world), into: "Code")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.manager.isLoggedIn)
    }

    @Test("The profile and the list of passkeys say what is set aside")
    func profile() async throws {
        let world = try await proven()
        try await world.manager.mail.sendSignIn(to: Self.ada)
        try await world.manager.signIn(withCode: try code(world), sentTo: Self.ada)
        world.manager.passkeys.dismissOffer()
        await world.screen.settle()
        try await world.openProfile()
        try await world.screen.wait(for: "About Your Account")
        #expect(
            world.screen.shows(
                "Your earlier password is set aside. To use it again, sign in with it and enter the code we email you.")
        )
        try await world.screen.tap("Security")
        try await world.screen.wait(
            for: "Set aside. Sign in with it and enter the code we email you to use it again.")
    }

    @Test("A user without the second factor starts anew, after a warning")
    func startOver() async throws {
        let service = InMemoryAuthService()
        let old = service.addAccount(email: Self.ada)
        service.addApp()
        let world = await World(service)
        try await world.manager.mail.sendSignIn(to: Self.ada)
        try await world.manager.signIn(withCode: try code(world), sentTo: Self.ada)
        try await world.screen.wait { $0.title == "Confirm It's You" }
        try await world.screen.tap("Start Over with This Email")
        #expect(
            world.screen.shows(
                "Your email will move to a new, empty account. The current account keeps everything else."))
        try await world.screen.tap("Cancel")
        #expect(!world.manager.isLoggedIn)
        try await world.screen.tap("Start Over with This Email")
        try await world.screen.tap("Start Over with This Email")
        try await world.screen.wait { $0.presentations.isEmpty }
        #expect(world.manager.isLoggedIn && world.manager.user?.id != old)
    }
}
