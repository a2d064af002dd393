import AppSupport
import AuthenticationServices
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire
import ScreenDriver
import TestSupport
import Testing

extension AcceptanceTests {
    @MainActor @Suite("Sign in with Google")
    struct GoogleTests {
        // Criteria: 002.4, 003.7, 004.12
        @Test("002, D3: a new Google account signs in and gets an account and a profile with Google's name")
        func new() async throws {
            try await World.with { world in
                try await world.signIn(with: "Google")
                try await world.waitForUser()
                #expect(world.screen.shows("Welcome, Verified"))
                #expect(try await world.providers(of: "verified@example.com") == ["google"])
                let profile = try await world.accounts.gateway.profile()
                #expect(profile.name == "Verified Example")
            }
        }

        // Criteria: 002.5
        @Test("002, D7: a known Google account signs in to the same account")
        func existing() async throws {
            try await World.with { world in
                try await world.signIn(with: "Google")
                try await world.waitForUser()
                let first = world.manager.user?.id
                try await world.signOut()
                try await world.signIn(with: "Google")
                try await world.waitForUser()
                #expect(world.manager.user?.id == first)
                #expect(try await world.users().count == 1)
            }
        }

        // Criteria: 002.12
        @Test(
            "002, E7: closing the browser, or cancelling on Google's page, shows nothing",
            arguments: [Phone.Conduct.closesTheSheet, .chooses(Phone.Person(id: "cancels"))])
        func cancelled(_ conduct: Phone.Conduct) async throws {
            try await World.with { world in
                world.phone.google = conduct
                try await world.openLogin()
                let before = world.screen.snapshot()
                try await world.screen.tap("Sign in with Google")
                try await world.screen.wait { $0.progress.isEmpty && !world.phone.pages.isEmpty }
                #expect(world.screen.snapshot() == before)
                #expect(world.screen.announcements.isEmpty)
                #expect(world.telemetry.events == [.methodSelected(.google), .started(.google), .cancelled(.google)])
            }
        }

        // Criteria: 002.11
        @Test("002, E7: a connection lost on the way back shows an error, and Retry signs in")
        func offline() async throws {
            try await World.with { world in
                world.network.isOffline = true
                try await world.signIn(with: "Google")
                try await world.screen.wait(for: "No internet connection. Please try again.")
                world.network.heal()
                try await world.screen.tap("Retry")
                try await world.waitForUser()
            }
        }

        // Criteria: 002.19
        @Test(
            "002, E7: an unavailable service and a failing one show separate messages, and both offer Retry",
            arguments: [
                (503, "Sign in service unavailable. Please try again later."),
                (500, "Service temporarily unavailable. Please try again later."),
            ])
        func serviceDown(_ status: Int, _ text: String) async throws {
            try await World.with { world in
                world.network.answer("/token", status)
                try await world.signIn(with: "Google")
                try await world.screen.wait(for: text)
                world.network.heal()
                try await world.screen.tap("Retry")
                try await world.waitForUser()
            }
        }

        // Criteria: 002.19
        @Test(
            "002, E7: a failure of Google comes back as a service error, never as a session",
            arguments: [
                ("provider-error", "Sign in service unavailable. Please try again later."),
                // Permanent: a retry would not help.
                ("wrong-nonce", "Sign in with Google failed. Please try again."),
            ])
        func providerFails(_ person: String, _ text: String) async throws {
            try await World.with { world in
                try await world.signIn(with: "Google", as: Phone.Person(id: person))
                try await world.screen.wait(for: text)
                #expect(try await world.users().isEmpty)
            }
        }

        // Criteria: 002.20
        @Test("002, E7: a browser that cannot open shows that Google failed")
        func noBrowser() async throws {
            try await World.with { world in
                world.phone.google = .fails
                try await world.openLogin()
                try await world.screen.tap("Sign in with Google")
                try await world.screen.wait(for: "Sign in with Google failed. Please try again.")
            }
        }

        // Criteria: 002.16
        @Test(
            "002, E9: a response for another scheme, host or path, and a code of another flow, sign nobody in",
            arguments: [
                "dailyritual://auth-callback?code=x", "boxscore://other?code=x", "boxscore://auth-callback/x?code=x",
                "boxscore://auth-callback?code=00000000-0000-4000-8000-000000000000", "boxscore://auth-callback",
            ])
        func forged(_ address: String) async throws {
            try await World.with { world in
                world.phone.google = .comesBack(to: address)
                try await world.openLogin()
                try await world.screen.tap("Sign in with Google")
                try await world.screen.wait(for: "Sign in failed. Please try again.")
                #expect(!world.manager.isLoggedIn)
                world.phone.google = .chooses(.verified)
                try await world.screen.tap("Sign in with Google")
                try await world.waitForUser()
            }
        }

        // Criteria: 002.16
        @Test("002, E9: a code from another device's browser is useless here")
        func otherDevice() async throws {
            try await World.with { world in
                let other = Phone(world.server)
                other.google = .chooses(.verified)
                world.phone.hold()
                try await world.signIn(with: "Google")
                try await world.screen.wait { _ in world.phone.heldCount == 1 }
                let page = try #require(world.phone.pages.first)
                // With the other device's own key, its code comes to this device.
                let key = try #require(page.parameter("code_challenge"))
                let foreign = page.absoluteString.replacing(
                    key, with: (key.hasPrefix("A") ? "B" : "A") + key.dropFirst())
                let back = try await other.sheets.browser(try #require(URL(string: foreign)), "boxscore")
                world.phone.google = .comesBack(to: back.absoluteString)
                world.phone.release()
                try await world.screen.wait(for: "Sign in failed. Please try again.")
                #expect(world.network.count("POST /auth/v1/token?grant_type=pkce") == 1)
                #expect(!world.manager.isLoggedIn)
            }
        }

        // Criteria: 002.18
        @Test("002, E9: after 60 seconds in the browser the attempt ends, and a new one can begin")
        func timeLimit() async throws {
            try await World.with { world in
                world.phone.google = .fallsAsleep
                try await world.openLogin()
                try await world.screen.tap("Sign in with Google")
                try await world.screen.wait { _ in !world.phone.pages.isEmpty && world.clock.waitCount > 0 }
                for _ in 0..<2 {
                    world.clock.advance(by: .seconds(20))
                    try await world.screen.wait { _ in world.clock.waitCount > 0 }
                }
                #expect(world.screen.progress == ["Signing in…"])
                world.clock.advance(by: .seconds(20))
                try await world.screen.wait(for: "Sign in failed. Please try again.")
                world.phone.google = .chooses(.verified)
                try await world.screen.tap("Sign in with Google")
                try await world.waitForUser()
            }
        }

        // Criteria: 002.17
        @Test("002, E9: each attempt opens the page with a new S256 challenge and without a token")
        func page() async throws {
            try await World.with { world in
                try await world.openLogin()
                for _ in 1...2 {
                    try await world.screen.tap("Sign in with Google")
                    try await world.screen.wait { $0.progress.isEmpty }
                }
                #expect(world.phone.pages.count == 2)
                let keys = world.phone.pages.compactMap { $0.parameter("code_challenge") }
                #expect(Set(keys).count == 2 && keys.allSatisfy { $0.count == 43 })
                for page in world.phone.pages {
                    #expect(page.parameter("code_challenge_method")?.lowercased() == "s256")
                    #expect(page.parameter("redirect_to") == "boxscore://auth-callback")
                    #expect(page.parameter("apikey") == nil && page.parameter("access_token") == nil)
                }
            }
        }

        // Criteria: 002.26
        @Test("002, E2: while the browser is open every button is disabled, and the sheet stays")
        func busy() async throws {
            try await World.with { world in
                world.phone.hold()
                try await world.signIn(with: "Google")
                try await world.screen.wait { _ in world.phone.heldCount == 1 }
                #expect(world.screen.progress == ["Signing in…"])
                for button in world.screen.buttons { #expect(try !world.screen.isEnabled(button), "\(button)") }
                #expect(await !world.screen.swipeDown())
                world.phone.release()
                try await world.waitForUser()
            }
        }
    }
}

extension URL {
    func parameter(_ name: String) -> String? {
        URLComponents(url: self, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == name }?.value
    }
}
