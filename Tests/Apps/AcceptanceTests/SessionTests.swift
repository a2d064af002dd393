import AppSupport
import BoxScoreScreens
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire
import ScreenDriver
import TestSupport
import Testing

extension AcceptanceTests {
    @MainActor @Suite("Sessions")
    struct SessionTests {
        private static let ended = "Session expired. Please sign in again."
        private static let offline = "You're offline. Some features may be unavailable."
        /// Longer than an access token's lifetime.
        private static let hour = Duration.seconds(3_601)

        // Criteria: 000.6, 002.10
        @Test("002, B8: a start with a session shows the user before any network response")
        func restart() async throws {
            try await World.with { world in
                try await world.begin(teams: ["nba_1610612748"])
                let tokens = world.network.count("POST /auth/v1/token")
                world.network.hold("/v1/auth/me")
                try world.restart()
                try await world.screen.wait { screen in
                    #expect(!screen.shows("Sign in to follow your teams"), "no guest flashes up")
                    return screen.has(button: "Your profile")
                }
                #expect(world.screen.shows("Ada") || world.screen.shows("A"))
                world.network.release()
                try await world.screen.wait { $0.has(button: "Unfollow Miami Heat") }
                #expect(world.network.count("POST /auth/v1/token") == tokens, "a token that is good is not renewed")
            }
        }

        // Criteria: 000.6, 003.9
        @Test("000, A4: a start without a connection shows the user and the missing connection, and updates later")
        func offlineRestart() async throws {
            try await World.with { world in
                try await world.begin(teams: ["nba_1610612748"])
                world.network.isOffline = true
                try world.restart()
                try await world.settle()
                #expect(world.screen.has(button: "Your profile"))
                try await world.openProfile()
                #expect(world.screen.shows("Ada, ada@example.com") && world.screen.shows(Self.offline))
                world.network.heal()
                try await world.screen.pullToRefresh()
                try await world.screen.wait { !$0.shows(Self.offline) && !$0.shows("No favorite teams yet") }
                #expect(world.manager.user?.favoriteTeams == ["nba_1610612748"])
            }
        }

        // Criteria: 002.10
        @Test("002, B3: an expired token without a connection signs nobody out; back online the session continues")
        func offlineAndExpired() async throws {
            try await World.with { world in
                try await world.begin()
                world.clock.advance(by: Self.hour)
                world.network.isOffline = true
                try world.restart()
                try await world.settle()
                #expect(world.screen.has(button: "Your profile"))
                world.network.heal()
                try await world.openProfile()
                try await world.screen.pullToRefresh()
                try await world.screen.wait { [manager = world.manager] _ in !manager.isLoading }
                #expect(!world.screen.shows(Self.offline) && world.manager.isLoggedIn)
                #expect(world.manager.error == nil)
            }
        }

        // Criteria: 002.13
        @Test("002, E7: a session ended by the server ends at the next start, with a message, and a new sign-in works")
        func expired() async throws {
            try await World.with { world in
                try await world.begin()
                try await world.endSessions()
                world.clock.advance(by: Self.hour)
                try world.restart()
                try await world.screen.wait(for: Self.ended)
                #expect(world.screen.has(button: "Sign in") && world.screen.shows("Miami Heat"))
                #expect(await world.isStoreEmptied())
                try await world.typeSignIn()
                try await world.screen.tap("submit")
                try await world.waitForUser()
                #expect(!world.screen.shows(Self.ended))
            }
        }

        // Criteria: 000.7, 002.13
        @Test("002, E7: a session that ends during use shows the guest's screen and closes the sheets")
        func endsInUse() async throws {
            try await World.with { world in
                try await world.begin()
                try await world.openProfile()
                try await world.endSessions()
                world.clock.advance(by: Self.hour)
                try await world.screen.pullToRefresh()
                try await world.waitForGuest()
                try await world.openLogin()
                let reason = "All devices were signed out. Please sign in again."
                #expect(world.screen.shows(reason), "the login sheet says why")
                #expect(world.telemetry.events.contains { $0.name == "token_refresh_failed" })
            }
        }

        // Criteria: 002.9, 003.8
        @Test("002, B1: an expired token is refreshed invisibly, and the profile is not loaded again")
        func refresh() async throws {
            try await World.with { world in
                try await world.begin()
                let loads = world.profileLoads
                world.clock.advance(by: Self.hour)
                try await world.screen.tap("Follow Miami Heat")
                try await world.screen.wait { $0.has(button: "Unfollow Miami Heat") }
                #expect(world.refreshCount == 1 && world.profileLoads == loads)
                #expect(world.screen.presentations.isEmpty && world.manager.error == nil)
                #expect(world.telemetry.events.last == .refreshAttempted(.expired))
            }
        }

        // Criteria: 002.14
        @Test("002, B2: concurrent calls with an expired token share one refresh, and all succeed")
        func concurrent() async throws {
            try await World.with { world in
                try await world.begin()
                world.clock.advance(by: Self.hour)
                let (gateway, client) = (world.accounts.gateway, world.accounts.client)
                let names = try await withThrowingTaskGroup(of: String?.self) { group in
                    for _ in 1...10 {
                        group.addTask { try await gateway.fetchMe().profile?.firstName }
                        group.addTask { try await client.userIdentities().first?.provider }
                    }
                    var names: [String?] = []
                    for try await name in group { names.append(name) }
                    return names
                }
                #expect(names.count == 20 && Set(names) == ["Ada", "email"])
                #expect(world.refreshCount == 1)
                #expect(world.screen.has(button: "Your profile"))
            }
        }

        // Criteria: 002.15
        @Test("002, B4: a refresh whose response was lost is repeated and signs nobody out")
        func lostRefresh() async throws {
            try await World.with { world in
                try await world.begin()
                world.clock.advance(by: Self.hour)
                world.network.lose("/token", times: 1)
                try await world.screen.tap("Follow Miami Heat")
                try await world.screen.wait { $0.has(button: "Unfollow Miami Heat") }
                #expect(world.refreshCount == 2)
            }
        }

        // Criteria: 002.8
        @Test("002: signing out and in again with the other method shows the same account")
        func again() async throws {
            try await World.with { world in
                try await world.signIn(with: "Google")
                try await world.waitForUser()
                let first = world.manager.user
                for way in ["Google", "Apple"] {
                    try await world.signOut()
                    try await world.signIn(with: way)
                    try await world.waitForUser()
                    #expect(world.manager.user == first)
                }
            }
        }

        // Criteria: 003.11
        @Test("003: after a sign-out the screen and the store have nothing of the previous user")
        func nextPerson() async throws {
            try await World.with { world in
                try await world.begin(teams: ["nba_1610612748"])
                try await world.signOut()
                #expect(await world.isStoreEmptied())
                try await world.typeSignUp("grace@example.com", name: "Grace")
                try await world.screen.tap("submit")
                try await world.waitForUser()
                #expect(!world.screen.snapshot().contains("Ada") && !world.screen.has(button: "Unfollow Miami Heat"))
                try await world.openProfile()
                #expect(world.screen.shows("Grace, grace@example.com") && world.screen.shows("No favorite teams yet"))
            }
        }

        // Criteria: 000.5
        @Test("000, A3: changes of the session behind the screens show at once")
        func followed() async throws {
            try await World.with { world in
                try await world.addAccount()
                try await world.accounts.client.signIn(email: "ada@example.com", password: World.password)
                try await world.waitForUser()
                try await world.screen.wait(for: "Welcome back, Ada")
                try await world.accounts.client.signOut()
                try await world.waitForGuest()
            }
        }

        // Criteria: 000.8
        @Test("000, A3: the manager and its listeners end with the app")
        func ends() async throws {
            try await World.with { world in
                try await world.begin()
                weak let manager = world.manager
                try world.restart()
                try await world.screen.wait("for the first manager's end") { _ in manager == nil }
            }
        }
    }
}
