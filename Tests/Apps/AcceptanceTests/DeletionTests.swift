import Gatehouse
import GatehouseModel
import SQLDatabase
import ScreenDriver
import TestSupport
import Testing

extension AcceptanceTests {
    @MainActor @Suite("Deleting an account")
    struct DeletionTests {
        private func delete(_ world: World) async throws {
            try await world.screen.tap("Delete Account")
            #expect(
                world.screen.shows(
                    "This will permanently delete your account and all your data. This cannot be undone."))
            try await world.screen.tap("Delete Account")
        }

        // Criteria: 000.10, 000.21, 003.10
        @Test("000, E10: Delete Account asks first; then account and profile are deleted, and the sheet closes")
        func delete() async throws {
            try await World.with { world in
                try await world.begin()
                try await world.openProfile()
                try await world.screen.tap("Delete Account")
                try await world.screen.tap("Cancel")
                #expect(try await world.users().count == 1)
                try await delete(world)
                try await world.waitForGuest()
                #expect(try await world.users().isEmpty)
                #expect(await world.isStoreEmptied())
                let rows = try await world.server.database.read { db in
                    try db.row("SELECT count(*) FROM profiles") { $0.int() }
                }
                #expect(rows == 0)
                try await world.typeSignIn()
                try await world.screen.tap("submit")
                try await world.screen.wait(for: "Incorrect email or password. Please try again.")
            }
        }

        // Criteria: 000.22, 003.5
        @Test("000, E10: during a deletion the overlay covers the screen, and nothing can be closed or tapped")
        func overlay() async throws {
            try await World.with { world in
                try await world.begin()
                try await world.openProfile()
                world.network.hold("/v1/auth/me")
                try await delete(world)
                try await world.screen.wait { _ in world.network.heldCount == 1 }
                #expect(world.screen.progress == ["Deleting account..."])
                #expect(await !world.screen.swipeDown())
                for button in ["Done", "Sign Out", "Delete Account"] {
                    #expect(try !world.screen.isEnabled(button), "\(button)")
                }
                world.network.release()
                try await world.waitForGuest()
                #expect(world.network.count("DELETE /v1/auth/me") == 1)
            }
        }

        // Criteria: 000.23, 003.4
        @Test(
            "000, A8: a failed deletion shows an alert; the user stays signed in and can retry",
            arguments: [
                ("500", "Something went wrong. Please try again."), ("503", "Something went wrong. Please try again."),
                ("403", "You don't have permission to do that."),
                ("offline", "You're offline. Some features may be unavailable."),
            ])
        func fails(_ fault: String, _ text: String) async throws {
            try await World.with { world in
                try await world.begin()
                try await world.openProfile()
                if let status = Int(fault) {
                    world.network.answer("/v1/auth/me", status)
                } else {
                    world.network.isOffline = true
                }
                try await delete(world)
                try await world.screen.wait(for: "Could Not Delete Account")
                #expect(world.screen.shows(text))
                try await world.screen.tap("OK")
                #expect(world.screen.presentations == ["sheet"] && world.manager.isLoggedIn)
                #expect(try await world.users().count == 1)
                world.network.heal()
                // After three failures the gateway client sends nothing for a while.
                world.clock.advance(by: .seconds(30))
                try await delete(world)
                try await world.waitForGuest()
                #expect(try await world.users().isEmpty)
            }
        }

        // Criteria: 000.10
        @Test("000, C1: a deletion whose response was lost has happened and is not shown as a failure")
        func lostAnswer() async throws {
            try await World.with { world in
                try await world.begin()
                try await world.openProfile()
                world.network.lose("/v1/auth/me", times: 1)
                try await delete(world)
                try await world.waitForGuest()
                #expect(try await world.users().isEmpty)
                #expect(world.network.count("DELETE /v1/auth/me") == 2)
            }
        }

        // Criteria: 000.10
        @Test("000, D2: an Apple account is deleted like any other, and the next sign-in creates a new one")
        func apple() async throws {
            try await World.with { world in
                try await world.signIn(with: "Apple")
                try await world.waitForUser()
                let id = world.manager.user?.id
                try await world.openProfile()
                try await delete(world)
                try await world.waitForGuest()
                try await world.signIn(with: "Apple")
                try await world.waitForUser()
                #expect(world.manager.user?.id != id)
            }
        }
    }
}
