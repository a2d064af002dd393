import AppSupport
import BoxScoreScreens
import Gatehouse
import GatehouseModel
import GatehouseWire
import HTTPTypes
import ScreenDriver
import TestSupport
import Testing

extension AcceptanceTests {
    @MainActor @Suite("The profile screen")
    struct ProfileTests {
        private static let heat = "nba_1610612748"

        // Criteria: 000.3, 000.12, 000.13, 000.14
        @Test("000, E1: a user's button shows the initial, labelled Your profile; a tap opens the profile")
        func button() async throws {
            try await World.with { world in
                try await world.begin()
                #expect(world.screen.has(button: "Your profile") && !world.screen.has(button: "Sign in"))
                #expect(!world.screen.symbols.contains("person.fill"))
                #expect(world.screen.shows("A"))
                try await world.openProfile()
                #expect(world.screen.presentations == ["sheet"])
                try await world.screen.tap("Done")
                #expect(world.screen.presentations.isEmpty)
            }
        }

        // Criteria: 000.12
        @Test(
            "000, A2: the initial is the first letter of the name, else of the address",
            arguments: [("ada", "A"), (nil, "G"), ("élise", "É")])
        func initial(_ name: String?, _ initial: String) async throws {
            try await World.with { world in
                try await world.begin(as: "grace@example.com", name: name)
                #expect(world.screen.shows(initial))
            }
        }

        // Criteria: 000.18, 000.19
        @Test("000, E10: the screen shows initial, name and address, and the favorite teams by name")
        func contents() async throws {
            try await World.with { world in
                try await world.begin(teams: [Self.heat, "nba_1610612738"])
                try await world.openProfile()
                try await world.screen.wait(for: "Miami Heat")
                #expect(world.screen.shows("Ada, ada@example.com") && world.screen.shows("Boston Celtics"))
                #expect(world.screen.snapshot().contains("\"A\""))
                #expect(!world.screen.shows("No favorite teams yet"))
            }
        }

        // Criteria: 000.19
        @Test("000, E10: without favorite teams the screen says so")
        func noTeams() async throws {
            try await World.with { world in
                try await world.begin()
                try await world.openProfile()
                #expect(world.screen.shows("No favorite teams yet"))
            }
        }

        // Criteria: 004.12
        @Test("004, C5: without a name the server stores none, and the initial comes from the address")
        func noName() async throws {
            try await World.with { world in
                try await world.begin(name: nil)
                try await world.openProfile()
                #expect(world.screen.texts.contains("ada@example.com"))
                let session = try #require(await world.accounts.client.currentSession)
                let me = try await world.server.send(.get, "/v1/auth/me", bearer: session.accessToken)
                #expect(me["profile"]?["first_name"] == .null)
            }
        }

        // Criteria: 003.6
        @Test("003, A9: an edited name is trimmed, sent by itself and shown everywhere; an empty one clears it")
        func editName() async throws {
            try await World.with { world in
                try await world.begin(teams: [Self.heat])
                try await world.openProfile()
                try await world.screen.tap("Edit Name")
                #expect(try world.screen.value(of: "First Name") == "Ada")
                try await world.screen.type("  Grace ", into: "First Name")
                try await world.screen.tap("Save")
                try await world.screen.wait { $0.title == "Profile" }
                #expect(world.screen.shows("Grace, ada@example.com"))
                let sent = try #require(world.network.calls.last { $0.method == "PATCH" })
                #expect(sent.json == ["first_name": "Grace"])
                try await world.screen.tap("Edit Name")
                try await world.screen.type("", into: "First Name")
                try await world.screen.submit("First Name")
                try await world.screen.wait { $0.title == "Profile" }
                let profile = try await world.accounts.gateway.fetchMe().profile
                #expect(profile?.firstName == nil && profile?.others == ["favorite_teams": [.string(Self.heat)]])
            }
        }

        // Criteria: 003.6
        @Test("003, A9, C8: teams can be searched, chosen and saved, and survive a restart")
        func editTeams() async throws {
            try await World.with { world in
                try await world.begin(teams: ["nba_1610612738"])
                try await world.openProfile()
                try await world.screen.tap("Edit Teams")
                try await world.screen.wait { $0.has(field: "Search teams") }
                #expect(try !world.screen.isEnabled("Save"))
                try await world.screen.type("mia", into: "Search teams")
                try await world.screen.tap("Miami Heat")
                try await world.screen.type("bos", into: "Search teams")
                try await world.screen.tap("Boston Celtics")
                try await world.screen.tap("Save")
                try await world.screen.wait { $0.title == "Profile" }
                try await world.screen.wait(for: "Miami Heat")
                try world.restart()
                try await world.settle()
                #expect(world.manager.user?.favoriteTeams == [Self.heat])
            }
        }

        // Criteria: 003.6
        @Test("003, A9: a tap on the first screen follows a team, and another tap unfollows it")
        func follow() async throws {
            try await World.with { world in
                try await world.begin()
                try await world.screen.tap("Follow Miami Heat")
                try await world.screen.wait { $0.has(button: "Unfollow Miami Heat") }
                let profile = try await world.accounts.gateway.fetchMe().profile
                #expect(profile?.others == ["favorite_teams": [.string(Self.heat)]])
                try await world.screen.tap("Unfollow Miami Heat")
                try await world.screen.wait(for: "Teams you follow appear here.")
            }
        }

        // Criteria: 003.6
        @Test("003, A10: a failed change shows an alert and changes nothing")
        func saveFails() async throws {
            try await World.with { world in
                try await world.begin()
                try await world.openProfile()
                try await world.screen.tap("Edit Name")
                try await world.screen.type("Grace", into: "First Name")
                world.network.isOffline = true
                try await world.screen.tap("Save")
                try await world.screen.wait(for: "Could Not Save Profile")
                #expect(world.screen.shows("You're offline. Some features may be unavailable."))
                try await world.screen.tap("OK")
                #expect(world.manager.user?.firstName == "Ada")
                world.network.heal()
                try await world.screen.tap("Save")
                try await world.screen.wait { $0.title == "Profile" }
                #expect(world.screen.shows("Grace, ada@example.com"))
            }
        }

        // Criteria: 000.20
        @Test("000, E10: Sign Out asks first; then the sheet closes over the guest's screen, and no login flashes")
        func signOut() async throws {
            try await World.with { world in
                try await world.begin()
                let token = try #require(await world.accounts.client.currentSession?.refreshToken)
                try await world.openProfile()
                try await world.screen.tap("Sign Out")
                #expect(world.screen.presentations == ["sheet", "dialog"])
                #expect(world.screen.shows("Are you sure you want to sign out?"))
                try await world.screen.tap("Cancel")
                #expect(world.manager.isLoggedIn)
                try await world.screen.tap("Sign Out")
                try await world.screen.tap("Sign Out")
                try await world.screen.wait { screen in
                    #expect(!screen.shows("Continue as Guest"))
                    return screen.presentations.isEmpty
                }
                try await world.waitForGuest()
                try await world.screen.wait { _ in
                    world.network.count("POST /auth/v1/logout") == 1 && world.network.openCount == 0
                }
                let answer = try await world.server.refresh(token)
                #expect(answer.status == 400, "the session is over at the server, too")
            }
        }

        // Criteria: 000.9, 003.11
        @Test(
            "000, A7: sign-out works with and without a network and leaves nothing of the session on the device",
            arguments: ["offline", "503", "answer lost"])
        func signOutWithoutNetwork(_ fault: String) async throws {
            try await World.with { world in
                try await world.begin()
                switch fault {
                case "offline": world.network.isOffline = true
                case "503": world.network.answer("/logout", 503)
                default: world.network.lose("/logout")
                }
                try await world.signOut()
                try await world.screen.wait { _ in
                    world.network.count("POST /auth/v1/logout") > 0 && world.network.openCount == 0
                }
                try world.restart()
                try await world.settle()
                #expect(world.screen.has(button: "Sign in"))
                #expect(await world.isStoreEmptied())
            }
        }

        // Criteria: 003.12
        @Test("003: the device list shows another session and can sign it out")
        func devices() async throws {
            try await World.with { world in
                try await world.begin()
                let other = try #require(TestSession(try await world.server.signIn(password: World.password)))
                try await world.openProfile()
                try await world.screen.tap("Devices")
                try await world.screen.wait(for: "This Device")
                try await world.screen.tap("Sign out Unknown Device")
                try await world.screen.wait { !$0.has(button: "Sign out Unknown Device") }
                #expect(try await world.server.refresh(other.refreshToken).status == 400)
                #expect(world.manager.isLoggedIn)
            }
        }
    }
}
