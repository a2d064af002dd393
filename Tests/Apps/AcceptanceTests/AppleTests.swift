import AppSupport
import AuthenticationServices
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire
import SQLDatabase
import ScreenDriver
import TestSupport
import Testing

extension AcceptanceTests {
    @MainActor @Suite("Sign in with Apple")
    struct AppleTests {
        // Criteria: 001.1, 001.2, 001.3
        @Test("001, E2: Sign in with Apple works end to end: the sheet closes and the button shows the initial")
        func wholeWay() async throws {
            try await World.with { world in
                try await world.signIn(with: "Apple")
                try await world.screen.wait { screen in
                    #expect(screen.title != "Profile", "the profile does not flash up in the login sheet's place")
                    return screen.presentations.isEmpty
                }
                try await world.waitForUser()
                #expect(world.screen.shows("Welcome, Verified") && world.screen.shows("V"))
                #expect(!world.screen.symbols.contains("person.fill"))
                try await world.openProfile()
                #expect(!world.screen.has(button: "Continue as Guest"))
                #expect(world.screen.shows("Verified, verified@example.com"))
            }
        }

        // Criteria: 001.4, 001.5, 002.1, 004.12
        @Test("001, C5: the server lists the account with Apple as its sign-in method, and its profile exists")
        func account() async throws {
            try await World.with { world in
                try await world.signIn(with: "Apple")
                try await world.waitForUser()
                #expect(try await world.users().map { $0["email"]?.stringValue } == ["verified@example.com"])
                #expect(try await world.providers(of: "verified@example.com") == ["apple"])
                let me = try await world.accounts.gateway.fetchMe()
                #expect(me.profile?.firstName == "Verified" && me.profile?.data == [:])
            }
        }

        // Criteria: 001.6
        @Test(
            "001, E7: closing Apple's sheet, or cancelling in it, returns to the login sheet without a message",
            arguments: [Phone.Conduct.closesTheSheet, .chooses(Phone.Person(id: "cancels"))])
        func cancelled(_ conduct: Phone.Conduct) async throws {
            try await World.with { world in
                world.phone.apple = conduct
                try await world.openLogin()
                let before = world.screen.snapshot()
                try await world.screen.tap("Sign in with Apple")
                try await world.screen.wait { $0.progress.isEmpty && !world.phone.requests.isEmpty }
                #expect(world.screen.snapshot() == before)
                #expect(world.screen.announcements.isEmpty)
                #expect(world.network.count("POST") == 0)
            }
        }

        // Criteria: 001.7
        @Test("001, E7: without a connection at Apple's sheet the login sheet shows the error, and Retry signs in")
        func offline() async throws {
            try await World.with { world in
                world.phone.apple = .isOffline
                try await world.openLogin()
                try await world.screen.tap("Sign in with Apple")
                try await world.screen.wait(for: "No internet connection. Please try again.")
                world.phone.apple = .chooses(.verified)
                try await world.screen.tap("Retry")
                try await world.waitForUser()
            }
        }

        // Criteria: 001.7, 002.11
        @Test("001, E7: without a connection to the service the login sheet shows the error, and Retry signs in")
        func serviceOffline() async throws {
            try await World.with { world in
                world.network.isOffline = true
                try await world.signIn(with: "Apple")
                try await world.screen.wait(for: "No internet connection. Please try again.")
                world.network.heal()
                try await world.screen.tap("Retry")
                try await world.waitForUser()
            }
        }

        // Criteria: 001.8
        @Test(
            "001, E7, D4: a failed sheet and a token of another sign-in show that Apple failed",
            arguments: [
                Phone.Conduct.fails, .chooses(Phone.Person(id: "provider-error")),
                .chooses(Phone.Person(id: "wrong-nonce")),
            ])
        func refused(_ conduct: Phone.Conduct) async throws {
            try await World.with { world in
                world.phone.apple = conduct
                try await world.openLogin()
                try await world.screen.tap("Sign in with Apple")
                try await world.screen.wait(for: "Sign in with Apple failed. Please try again.")
                #expect(try await world.users().isEmpty)
                world.phone.apple = .chooses(.verified)
                try await world.screen.tap("Sign in with Apple")
                try await world.waitForUser()
            }
        }

        // Criteria: 001.9
        @Test(
            "001, E7: an unavailable service and a failing one have separate messages, and both offer Retry",
            arguments: [
                (503, "Sign in service unavailable. Please try again later."),
                (500, "Service temporarily unavailable. Please try again later."),
            ])
        func serviceDown(_ status: Int, _ text: String) async throws {
            try await World.with { world in
                world.network.answer("/token", status)
                try await world.signIn(with: "Apple")
                try await world.screen.wait(for: text)
                #expect(try world.screen.isEnabled("Sign in with Apple"))
                world.network.heal()
                try await world.screen.tap("Retry")
                try await world.waitForUser()
            }
        }

        // Criteria: 001.10
        @Test("001.10, E7: a missing profile is reported after the sign-in, signs nobody out, and can appear later")
        func profileMissing() async throws {
            try await World.with { world in
                world.network.hold("/token")
                try await world.signIn(with: "Apple")
                try await world.screen.wait { _ in world.network.heldCount == 1 }
                _ = try await world.server.database.write { db in try db.run("DELETE FROM profiles") }
                world.network.release()
                try await world.waitForUser()
                try await world.screen.wait(for: "Account created but profile setup failed. Please try again.")
                #expect(await world.accounts.client.currentSession != nil)
                _ = try await world.server.database.write { db in
                    try db.run(
                        """
                        INSERT INTO profiles (id, created_at, updated_at)
                        SELECT id, created_at, updated_at FROM users WHERE true ON CONFLICT DO NOTHING
                        """)
                }
                try await world.openProfile()
                try await world.screen.pullToRefresh()
                try await world.screen.wait {
                    !$0.shows("Account created but profile setup failed. Please try again.")
                }
                #expect(world.manager.isLoggedIn && world.manager.error == nil)
            }
        }

        // Criteria: 001.11
        @Test("001, E2: while Apple's sheet is open every button is disabled, progress shows, and the sheet stays")
        func busy() async throws {
            try await World.with { world in
                world.phone.hold()
                try await world.signIn(with: "Apple")
                try await world.screen.wait { _ in world.phone.heldCount == 1 }
                #expect(world.screen.progress == ["Signing in…"])
                for button in world.screen.buttons { #expect(try !world.screen.isEnabled(button), "\(button)") }
                #expect(await !world.screen.swipeDown())
                world.phone.release()
                try await world.waitForUser()
                #expect(world.network.count("POST /auth/v1/token?grant_type=id_token") == 1)
            }
        }

        // Criteria: 001.12, 002.2
        @Test("001, D7: a returning user keeps the same account and the name that Apple gave once")
        func returning() async throws {
            try await World.with { world in
                try await world.signIn(with: "Apple")
                try await world.waitForUser()
                let first = world.manager.user
                try await world.signOut()
                try await world.signIn(with: "Apple")
                try await world.waitForUser()
                #expect(world.manager.user == first && first?.firstName == "Verified")
                #expect(try await world.users().count == 1)
            }
        }

        // Criteria: 001.13, 002.3
        @Test("001, D2: a relay address works like any other, on every screen")
        func hidden() async throws {
            try await World.with { world in
                try await world.signIn(with: "Apple", as: Phone.Person(id: "hidden"))
                try await world.waitForUser()
                try await world.openProfile()
                #expect(world.screen.shows("Hidden, h1dd3n4ddr@privaterelay.appleid.com"))
                try await world.screen.tap("Sign-In Methods")
                try await world.screen.wait(for: "h1dd3n4ddr@privaterelay.appleid.com")
            }
        }

        // Criteria: 001.14
        @Test("001, E8: the request asks Apple for name and address, with the hash of the nonce that the server gets")
        func request() async throws {
            try await World.with { world in
                try await world.signIn(with: "Apple")
                try await world.waitForUser()
                let request = try #require(world.phone.requests.first)
                #expect(request.requestedScopes?.map(\.rawValue) == ["full_name", "email"])
                let nonce = try #require(request.nonce)
                #expect(nonce.count == 64 && nonce.allSatisfy(\.isHexDigit))
                let exchange = try #require(world.network.calls.first { $0.url.query == "grant_type=id_token" })
                let raw = try #require(exchange.json["nonce"]?.stringValue)
                #expect(raw != nonce && SignInNonce(raw: raw).hashed == nonce)
            }
        }

        // Criteria: 001.14
        @Test("001, E8: the name that Apple gives once survives a failed exchange and a restart of the app")
        func name() async throws {
            try await World.with { world in
                world.network.answer("/token", 503)
                try await world.signIn(with: "Apple")
                try await world.screen.wait { $0.has(button: "Retry") }
                world.network.heal()
                try world.restart()
                try await world.settle()
                try await world.signIn(with: "Apple")
                try await world.waitForUser()
                #expect(world.screen.shows("Welcome, Verified"))
                #expect(try await world.accounts.gateway.fetchMe().profile?.firstName == "Verified")
            }
        }
    }
}
