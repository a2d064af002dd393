import AppSupport
import Foundation
import Gatehouse
import GatehouseModel
import ScreenDriver
import TestSupport
import Testing

extension AcceptanceTests {
    /// Design 003: one gateway client, no second copy of any state, a message for every error.
    @MainActor @Suite("The gateway behind the screens")
    struct GatewayTests {
        // Criteria: 003.4, 003.9
        @Test(
            "003, A10: each profile error has its own message, and the user stays signed in",
            arguments: [
                ("403", "You don't have permission to do that."), ("500", "Something went wrong. Please try again."),
                ("offline", "You're offline. Some features may be unavailable."),
            ])
        func told(_ fault: String, _ text: String) async throws {
            try await World.with { world in
                try await world.begin()
                if let status = Int(fault) {
                    world.network.answer("/v1/auth/me", status)
                } else {
                    world.network.isOffline = true
                }
                try world.restart()
                try await world.settle()
                #expect(world.screen.has(button: "Your profile"))
                try await world.openProfile()
                #expect(world.screen.shows(text) && world.screen.shows("Ada, ada@example.com"))
            }
        }

        // Criteria: 000.7
        @Test("000, A6: a token that the gateway refuses is refreshed once and the call repeated, invisibly")
        func refusedOnce() async throws {
            try await World.with { world in
                try await world.begin()
                world.clock.advance(by: .seconds(10))
                world.network.answer("/v1/auth/me", 401, times: 1)
                try await world.screen.tap("Follow Miami Heat")
                try await world.screen.wait { $0.has(button: "Unfollow Miami Heat") }
                #expect(world.refreshCount == 1)
                #expect(world.network.count("PATCH /v1/auth/me") == 2)
                #expect(world.telemetry.events.last == .refreshAttempted(.unauthorized))
            }
        }

        // Criteria: 000.7, 003.4
        @Test("000, A6: a gateway that refuses the new token too is at fault, and the user stays signed in")
        func refusedTwice() async throws {
            try await World.with { world in
                try await world.begin()
                world.clock.advance(by: .seconds(10))
                world.network.answer("/v1/auth/me", 401)
                try world.restart()
                try await world.settle()
                #expect(world.screen.shows("Something went wrong. Please try again."))
                #expect(world.screen.has(button: "Your profile"))
                #expect(await !world.storage.contents.isEmpty)
            }
        }

        // Criteria: 001.10
        @Test("001, A6: a gateway outage after the sign-in keeps the user signed in, and the profile follows")
        func downAfterSignIn() async throws {
            try await World.with { world in
                world.network.answer("/v1/auth/me", 503)
                try await world.signIn(with: "Apple")
                try await world.waitForUser()
                #expect(world.screen.shows("Something went wrong. Please try again."))
                world.network.heal()
                try await world.openProfile()
                // A late event of the sign-in may start a load that still fails.
                for _ in 0..<2 {
                    world.clock.advance(by: .seconds(30))
                    try await world.screen.pullToRefresh()
                }
                try await world.screen.wait(for: "Verified, verified@example.com")
                #expect(!world.screen.shows("Something went wrong. Please try again."))
            }
        }

        // Criteria: 003.1
        @Test("003, B7: two failures of the gateway are retried and stay invisible")
        func stumbles() async throws {
            try await World.with { world in
                try await world.begin()
                let loads = world.profileLoads
                world.network.answer("/v1/auth/me", 503, times: 2)
                try world.restart()
                try await world.settle()
                #expect(world.screen.shows("Welcome back, Ada") && world.manager.error == nil)
                #expect(world.profileLoads == loads + 3)
            }
        }

        // Criteria: 003.1
        @Test("003, B7: a gateway that does not answer times out after 60 seconds, and the user sees an error")
        func silent() async throws {
            try await World.with { world in
                try await world.begin()
                world.network.hold("/v1/auth/me")
                try world.restart()
                try await world.screen.wait { _ in world.network.heldCount == 1 && world.clock.waitCount == 1 }
                world.clock.advance(by: .seconds(30))
                try await world.screen.wait { _ in world.network.heldCount == 2 && world.clock.waitCount == 1 }
                world.clock.advance(by: .seconds(30))
                try await world.settle()
                #expect(world.screen.has(button: "Your profile"))
                #expect(world.screen.shows("You're offline. Some features may be unavailable."))
            }
        }

        // Criteria: 000.4, 003.2
        @Test("003, A4: the store has no copy of the account beside the session, and each token has its own entry")
        func store() async throws {
            try await World.with { world in
                try await world.begin()
                let session = try #require(await world.accounts.client.currentSession)
                let entries = await world.storage.contents.mapValues { String(decoding: $0, as: UTF8.self) }
                let access = entries.filter { $0.value.contains(session.accessToken) }
                let refresh = entries.filter { $0.value.contains(session.refreshToken) }
                #expect(access.count == 1 && refresh.count == 1 && access.keys != refresh.keys)
                #expect(entries.count == 2)
                let defaults = "\(UserDefaults.standard.dictionaryRepresentation())"
                for secret in [session.accessToken, session.refreshToken, "ada@example.com"] {
                    #expect(!defaults.contains(secret))
                }
            }
        }

        // Criteria: 002.25
        @Test("002, B6: tokens and passwords travel only in headers and bodies, never in a URL")
        func addresses() async throws {
            try await World.with { world in
                try await world.typeSignUp()
                try await world.screen.tap("submit")
                try await world.waitForUser()
                let session = try #require(await world.accounts.client.currentSession)
                try await world.signOut()
                try await world.signIn(with: "Google")
                try await world.waitForUser()
                let other = try #require(await world.accounts.client.currentSession)
                let tokens = [session, other].flatMap { [$0.accessToken, $0.refreshToken] }
                let secrets = tokens + ["eight%20ch", "eight+ch"]
                let addresses = (world.network.calls.map(\.url) + world.phone.pages).map(\.absoluteString)
                for secret in secrets { #expect(!addresses.contains { $0.contains(secret) }) }
                let loads = world.network.calls.filter { $0.url.path == "/v1/auth/me" }
                let bearers = loads.map { $0.headers["authorization"] }
                #expect(Set(bearers) == ["Bearer \(session.accessToken)", "Bearer \(other.accessToken)"])
            }
        }

        // Criteria: 000.25, 003.3
        @Test("003, A5: without a session there is no token, and the reason is the one on the screen")
        func noToken() async throws {
            try await World.with { world in
                let manager = world.manager
                let error = await #expect(throws: AuthError.self) { try await manager.accessToken() }
                #expect(error?.message == "Please sign in to continue.")
                await #expect(throws: AuthError.notAuthenticated) { try await manager.deleteAccount() }
                await #expect(throws: AuthError.notAuthenticated) { try await manager.updateProfile(firstName: "Ada") }
                #expect(world.network.count("GET /v1/auth/me") == 0)
            }
        }

        // Criteria: 002.30
        @Test("002: telemetry records the user's path through the app, without personal data")
        func telemetry() async throws {
            try await World.with { world in
                world.network.answer("/token", 503, times: 1)
                try await world.signIn(with: "Google")
                try await world.screen.wait { $0.has(button: "Retry") }
                try await world.screen.tap("Retry")
                try await world.waitForUser()
                let names = world.telemetry.events.map(\.name)
                #expect(
                    names == [
                        "auth_method_selected", "auth_started", "auth_failed", "auth_method_selected", "auth_started",
                        "auth_completed",
                    ])
                #expect(world.telemetry.events[2].labels == ["method": "google", "error_type": "service_down"])
                #expect(!"\(world.telemetry.events)".contains("verified"))
            }
        }
    }
}
