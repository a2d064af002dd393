import Foundation
import Gatehouse
import GatehouseModel
import ScreenDriver
import TestSupport
import Testing

extension AcceptanceTests {
    @MainActor @Suite("Passkeys")
    struct PasskeyTests {
        private func signIn(_ world: World) async throws {
            try await world.typeSignIn()
            try await world.screen.tap("submit")
        }

        /// Takes the passkey that the app offers after the password.
        private func addPasskey(_ world: World) async throws {
            try await world.addAccount()
            try await signIn(world)
            try await world.screen.wait(for: "Add a passkey?")
            try await world.screen.tap("Add a Passkey")
            try await world.waitForUser()
        }

        private func tapPasskey(_ world: World) async throws {
            try await world.openLogin()
            try await world.screen.wait { $0.has(button: "Sign in with a Passkey") }
            try await world.screen.tap("Sign in with a Passkey")
        }

        private func openSecurity(_ world: World) async throws {
            try await world.openProfile()
            try await world.screen.tap("Security")
            try await world.screen.wait { $0.has(button: "Add a Passkey") }
        }

        // Criteria: 005.14, 005.15
        @Test("005: a passkey is offered once after a sign-in with a password, and signs in the next time")
        func offered() async throws {
            try await World.with(hasPasskeys: true) { world in
                try await addPasskey(world)
                #expect(world.phone.passkeys.count == 1)
                try await world.signOut()
                try await tapPasskey(world)
                try await world.waitForUser()
                try await world.screen.wait(for: "Welcome back, Ada")
                #expect(!world.manager.asksForPasskey)
                #expect(try await world.manager.passkeys.list()?.first?.lastUsedAt != nil)
            }
        }

        // Criteria: 005.22
        @Test("005: a passkey that the password manager adds by itself, without a gesture, signs in the next time")
        func upgraded() async throws {
            try await World.with(hasPasskeys: true) { world in
                world.phone.passkeys.upgradesAutomatically = true
                try await world.addAccount()
                try await signIn(world)
                try await world.waitForUser()
                // The device has it before the server does.
                let saved = "POST /auth/v1/passkeys/registration/verify"
                try await world.screen.wait { _ in world.network.count(saved) == 1 && world.network.openCount == 0 }
                #expect(world.phone.passkeys.count == 1)
                #expect(!world.manager.asksForPasskey && world.phone.passkeys.signals.isEmpty)
                try await world.signOut()
                try await tapPasskey(world)
                try await world.waitForUser()
            }
        }

        // Criteria: 005.16, 005.17
        @Test("005: an offer that is declined never comes again, and a closed sheet shows nothing")
        func declined() async throws {
            try await World.with(hasPasskeys: true) { world in
                try await world.addAccount()
                try await signIn(world)
                try await world.screen.wait(for: "Add a passkey?")
                world.phone.passkeys.closesSheets = true
                try await world.screen.tap("Add a Passkey")
                try await world.screen.wait { _ in !world.manager.isLoading }
                #expect(world.screen.shows("Add a passkey?") && world.manager.isLoggedIn)
                try await world.screen.tap("Not Now")
                try await world.waitForUser()
                try await world.signOut()
                try await tapPasskey(world)
                try await world.screen.wait { _ in !world.manager.isLoading }
                #expect(world.manager.phase == .unauthenticated && world.screen.has(button: "Sign in with Email"))
                try await world.screen.tap("Close")
                try await signIn(world)
                try await world.waitForUser()
                await world.screen.settle()
                #expect(!world.manager.asksForPasskey && world.phone.passkeys.count == 0)
            }
        }

        // Criteria: 005.18
        @Test("005: with an authenticator app, a passkey is followed by the app's code")
        func secondFactor() async throws {
            try await World.with(hasPasskeys: true) { world in
                try await addPasskey(world)
                let (secret, _) = try await world.addApp()
                try await world.signOut()
                try await tapPasskey(world)
                try await world.screen.wait { $0.title == "Confirm It's You" }
                #expect(!world.manager.isLoggedIn)
                world.server.clock.advance(by: .seconds(30))
                try await world.screen.type(try #require(world.server.appCode(secret)), into: "Code")
                try await world.waitForUser()
            }
        }

        // Criteria: 005.20
        @Test("005: a sign-in with a passkey whose answer is lost shows an error, and signs in at once with Retry")
        func lostAnswer() async throws {
            try await World.with(hasPasskeys: true) { world in
                try await addPasskey(world)
                try await world.signOut()
                world.network.lose("/passkeys/authentication/verify", times: 1)
                let options = "POST /auth/v1/passkeys/authentication/options"
                let before = world.network.count(options)
                try await tapPasskey(world)
                try await world.screen.wait(for: "No internet connection. Please try again.")
                #expect(world.manager.phase == .unauthenticated)
                // Immediately, with a new challenge.
                try await world.screen.tap("Retry")
                try await world.waitForUser()
                #expect(world.screen.shows("Welcome back, Ada"))
                #expect(world.network.count(options) == before + 2)
                // The sign-up's, the lost response's, and this one.
                #expect(try await world.manager.devices.list().count == 3)
            }
        }

        // Criteria: 005.19
        @Test("005: the passkey of a lost device is deleted from another one, and signs nobody in")
        func lostDevice() async throws {
            try await World.with(hasPasskeys: true) { world in
                try await addPasskey(world)
                try await world.signOut()
                let lost = world.phone.passkeys.lose()
                try await signIn(world)
                try await world.waitForUser()
                try await openSecurity(world)
                try await world.screen.tap(try #require(world.screen.buttons.first { $0.hasPrefix("Passkey") }))
                try await world.screen.tap("Remove Passkey")
                try await world.screen.tap("Remove Passkey")
                try await world.screen.wait { screen in !screen.buttons.contains { $0.hasPrefix("Passkey") } }
                try await world.screen.wait { _ in !world.phone.passkeys.signals.isEmpty }
                guard case .accepted(_, _, let left) = world.phone.passkeys.signals.first else {
                    Issue.record("the password manager was told nothing")
                    return
                }
                #expect(left.isEmpty)
                try await world.screen.tap("BackButton")
                try await world.screen.tap("Done")
                try await world.signOut()
                world.phone.passkeys.find(lost)
                try await tapPasskey(world)
                let message = "This passkey couldn't be used here. Please try again, or sign in another way."
                try await world.screen.wait(for: message)
                #expect(world.manager.phase == .unauthenticated)
            }
        }
    }
}
