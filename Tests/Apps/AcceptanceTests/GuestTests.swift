import AppSupport
import Gatehouse
import GatehouseModel
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

extension AcceptanceTests {
    @MainActor @Suite("Guests")
    struct GuestTests {
        // Criteria: 000.24
        @Test("000, A12: a guest reads the teams of every league, and only account features ask to sign in")
        func everything() async throws {
            try await World.with(.boxScoreOfAllLeagues) { world in
                for text in ["BoxScore", "NBA", "NFL", "NHL", "MLB", "Miami Heat", "Sign in to follow your teams"] {
                    #expect(world.screen.shows(text), "\(text)")
                }
                try await world.screen.tap("Menu")
                try await world.screen.tap("NFL")
                #expect(!world.screen.shows("Miami Heat"))
                #expect(world.screen.presentations.isEmpty)
                try await world.screen.tap("Follow Kansas City Chiefs")
                #expect(world.screen.presentations == ["sheet"])
                try await world.screen.tap("Continue as Guest")
                #expect(world.screen.shows("Kansas City Chiefs"))
            }
        }

        // Criteria: 000.2, 000.25
        @Test("000, A12: a guest's start requests only the teams and what the server offers, the login sheet nothing")
        func nothingIsSent() async throws {
            try await World.with { world in
                try await world.screen.wait { _ in world.manager.serverSettings != nil }
                try await world.openLogin()
                try await world.screen.tap("Close")
                #expect(
                    world.network.calls.map(\.line).sorted() == ["GET /auth/v1/settings", "GET /v1/teams?league=nba"])
                let tokens = Set(world.network.calls.map { $0.headers["authorization"] })
                #expect(tokens == [nil, "Bearer sb_publishable_test"], "nothing but the app's public key")
                #expect(await world.storage.contents.isEmpty)
                #expect(world.manager.user == nil && !world.manager.isLoggedIn && world.manager.error == nil)
            }
        }

        // Criteria: 000.24
        @Test("000, A12: a guest without a connection can retry and open the login sheet")
        func offline() async throws {
            try await World.with { world in
                world.network.isOffline = true
                try world.restart()
                try await world.screen.wait(for: "The teams couldn't be loaded.")
                try await world.openLogin()
                try await world.screen.tap("Continue as Guest")
                world.network.heal()
                try await world.screen.tap("Try Again")
                try await world.screen.wait(for: "Miami Heat")
            }
        }

        // Criteria: 000.3, 000.11, 000.13, 000.14
        @Test("000, E1: a guest's button is a person symbol labelled Sign in; a tap opens the login sheet")
        func button() async throws {
            try await World.with { world in
                #expect(world.screen.has(button: "Sign in") && !world.screen.has(button: "Your profile"))
                #expect(world.screen.symbols.contains("person.fill"))
                try await world.openLogin()
                #expect(world.screen.presentations == ["sheet"])
                #expect(world.screen.has(button: "Continue as Guest"))
            }
        }

        // Criteria: 000.15, 000.16
        @Test("000, E2: the login sheet has symbol, name and reason, then every sign-in method, Apple first")
        func contents() async throws {
            try await World.with { world in
                try await world.openLogin()
                #expect(world.screen.symbols.contains("sportscourt.fill"))
                #expect(
                    world.screen.texts.prefix(2) == [
                        "BoxScore", "Sign in to save your favorite teams\nand sync across devices",
                    ])
                #expect(world.screen.snapshot().contains("\"or\""))
                #expect(
                    world.screen.buttons == [
                        "Close", "Sign in with Apple", "Sign in with Google", "Sign in with Email", "Create Account",
                        "Continue as Guest",
                    ])
            }
        }

        // Criteria: 000.17
        @Test(
            "000, E2: Continue as Guest, the X and a swipe close the login sheet",
            arguments: ["Continue as Guest", "Close", "swipe"])
        func leave(_ way: String) async throws {
            try await World.with { world in
                try await world.openLogin()
                if way == "swipe" { #expect(await world.screen.swipeDown()) } else { try await world.screen.tap(way) }
                #expect(world.screen.presentations.isEmpty)
                #expect(world.screen.has(button: "Sign in"))
            }
        }

        // Criteria: 000.1
        @Test(
            "000: an app built without a server, or with an invalid address, starts and names the value",
            arguments: [
                (nil, #"url: "" is not a URL. It looks like https://accounts.example.com."#),
                ("::", #"url: "::" is not a URL. It looks like https://accounts.example.com."#),
            ])
        func misconfigured(_ server: String?, _ text: String) async throws {
            let account = AuthManager(ServerSettings { _ in server }, storage: MemoryStorage())
            let screen = Screen(Button("Scores") {}.overlay { ProfileButton() }.gatehouse(account))
            #expect(screen.has(button: "Scores"))
            await #expect(throws: AuthError.self) {
                try await account.signInWithEmail("ada@example.com", password: World.password)
            }
            try await screen.tap("Sign in")
            #expect(screen.shows(text))
            #expect(screen.complaints.isEmpty)
        }
    }
}
