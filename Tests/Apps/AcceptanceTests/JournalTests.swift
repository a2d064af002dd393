import ScreenDriver
import Testing

extension AcceptanceTests {
    /// The same accounts in the app of design 002.
    @MainActor @Suite("DailyRitual")
    struct JournalTests {
        // Criteria: 002.1, 002.4, 002.8
        @Test(
            "002, C6: a first sign-in opens the onboarding with the provider's name, once, and then Today",
            arguments: ["Google", "Apple"])
        func onboarding(_ provider: String) async throws {
            try await World.with(.dailyRitual) { world in
                #expect(world.screen.title == "Today" && world.screen.shows("What are you grateful for?"))
                try await world.signIn(with: provider)
                try await world.screen.wait { $0.title == "Welcome" && $0.presentations.isEmpty }
                #expect(try world.screen.value(of: "Your Name") == "Verified Example")
                try await world.screen.type("Vera", into: "Your Name")
                try await world.screen.tap("Continue")
                try await world.screen.wait(for: "Good to see you, Vera")
                try await world.signOut()
                #expect(!world.screen.shows("Good to see you, Vera"))
                try await world.signIn(with: provider)
                try await world.screen.wait(for: "Good to see you, Vera")
                #expect(world.screen.title == "Today")
            }
        }

        // Criteria: 002.14
        @Test("002, B2: a start with an expired token loads account and journal after one refresh")
        func oneRefresh() async throws {
            try await World.with(.dailyRitual) { world in
                try await world.begin()
                world.clock.advance(by: .seconds(3_601))
                try world.restart()
                try await world.settle()
                try await world.screen.wait { $0.title == "Welcome" }
                #expect(world.refreshCount == 1)
            }
        }

        // Criteria: 002.13
        @Test("002, E7: an expired session shows the guest's Today with a message, and a new sign-in works")
        func expired() async throws {
            try await World.with(.dailyRitual) { world in
                try await world.begin()
                // Otherwise the first start's load sees the end.
                try await world.settle()
                try await world.endSessions()
                world.clock.advance(by: .seconds(3_601))
                try world.restart()
                try await world.screen.wait(for: "Session expired. Please sign in again.")
                #expect(world.screen.has(button: "Sign in") && world.screen.shows("What matters most today?"))
                try await world.typeSignIn()
                try await world.screen.tap("submit")
                try await world.screen.wait { $0.title == "Welcome" && $0.presentations.isEmpty }
                #expect(!world.screen.shows("Session expired. Please sign in again."))
            }
        }

        // Criteria: 002.31
        @Test("002: without a connection Today stays, and a retry loads the journal")
        func offline() async throws {
            try await World.with(.dailyRitual) { world in
                try await world.begin()
                world.network.isOffline = true
                try world.restart()
                try await world.screen.wait(for: "You're offline. Some features may be unavailable.")
                #expect(world.screen.has(button: "Your profile") && world.screen.shows("What are you grateful for?"))
                try await world.screen.wait { $0.has(button: "Try Again") }
                world.network.heal()
                try await world.screen.tap("Try Again")
                try await world.screen.wait { $0.title == "Welcome" }
            }
        }
    }
}
