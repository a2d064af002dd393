import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import ScreenDriver
import Testing

@testable import BoxScoreScreens

@MainActor @Suite("BoxScore", .timeLimit(.minutes(5)))
struct BoxScoreTests {
    @Test("A12: a guest reads everything, and only features that need an account ask to sign in")
    func guest() async throws {
        let world = await World.boxScore()
        try await world.screen.wait(for: "Boston Celtics")
        #expect(
            world.screen.texts == [
                "BoxScore", "Sign in to follow your teams", "NBA", "Boston Celtics", "Miami Heat", "NFL",
                "Kansas City Chiefs",
            ])
        try await world.screen.tap("Follow Miami Heat")
        #expect(world.screen.shows("Continue as Guest"))
        try await world.screen.tap("Continue as Guest")
        #expect(world.screen.presentations.isEmpty)
        try await world.screen.tap("Sign in to follow your teams")
        #expect(world.screen.presentations == ["sheet"])
        #expect(world.service.calls == [.settings])
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("E1, E2: guest, sheet, sign-in, initial; the sheet closes by itself, without a flash of the profile")
    func signIn() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada", others: InMemoryAuthService.favorites(["nba_2"]))
        let world = await World.boxScore(service)
        #expect(world.screen.has(button: "Sign in"))
        try await world.screen.tap("Sign in")
        #expect(world.screen.presentations == ["sheet"])
        try await world.screen.tap("Close")
        try await world.signIn()
        try await world.screen.wait { screen in
            #expect(!screen.shows("Sign Out"))
            return screen.presentations.isEmpty
        }
        #expect(world.screen.has(button: "Your profile"))
        #expect(world.screen.shows("A"))
        #expect(world.screen.shows("Welcome back, Ada"))
        #expect(world.screen.has(button: "Unfollow Miami Heat"))
        #expect(!world.screen.shows("Sign in to follow your teams"))
        #expect(world.screen.complaints.isEmpty)
    }

    @Test("E10: signing out closes the sheet and shows the guest's screen")
    func signOut() async throws {
        let world = await World.boxScore(.signedIn())
        try await world.screen.tap("Your profile")
        try await world.screen.tap("Sign Out")
        try await world.screen.tap("Sign Out")
        try await world.screen.wait { screen in
            #expect(!screen.shows("Continue as Guest"))
            return screen.presentations.isEmpty
        }
        #expect(world.screen.has(button: "Sign in"))
        #expect(world.screen.shows("Sign in to follow your teams"))
    }

    @Test("A9: a tap follows a team, another unfollows it; during a request further taps do nothing")
    func follow() async throws {
        let world = await World.boxScore(.signedIn())
        try await world.screen.wait(for: "Teams you follow appear here.")
        world.service.meet(.slow, at: .updateProfile)
        try await world.screen.tap("Follow Miami Heat")
        try await world.screen.wait { _ in world.service.heldCount == 1 }
        #expect(try !world.screen.isEnabled("Follow Boston Celtics"))
        world.service.release()
        try await world.screen.wait { $0.has(button: "Unfollow Miami Heat") }
        #expect(world.manager.user?.favoriteTeams == ["nba_2"])
        try await world.screen.tap("Unfollow Miami Heat")
        try await world.screen.wait(for: "Teams you follow appear here.")
        #expect(world.service.favoriteTeams == [])
    }

    @Test("A10: a failed change shows an error and changes nothing")
    func followFails() async throws {
        let world = await World.boxScore(.signedIn())
        try await world.screen.wait { $0.has(button: "Follow Miami Heat") }
        world.service.meet(.offline, at: .updateProfile)
        try await world.screen.tap("Follow Miami Heat")
        try await world.screen.wait(for: World.offline)
        #expect(world.screen.has(button: "Follow Miami Heat"))
    }

    @Test("A9: before the user is known no team can be followed, so none is lost")
    func unknownFavorites() async throws {
        let service = InMemoryAuthService.signedIn(favoriteTeams: ["nba_1"])
        service.stay(.offline)
        let world = await World.boxScore(service)
        try await world.screen.wait { $0.has(button: "Follow Miami Heat") }
        #expect(try !world.screen.isEnabled("Follow Miami Heat"))
        #expect(!world.screen.shows("Teams you follow appear here."))
        service.clear()
        try await world.screen.pullToRefresh()
        try await world.screen.wait { $0.has(button: "Unfollow Boston Celtics") }
        try await world.screen.tap("Follow Miami Heat")
        try await world.screen.wait { $0.has(button: "Unfollow Miami Heat") }
        #expect(service.favoriteTeams == ["nba_1", "nba_2"])
    }

    @Test("C2: with 30 teams a user can unfollow one, and not follow another")
    func limit() async throws {
        let many = (1...29).map { "mlb_\($0)" } + ["nba_2"]
        let world = await World.boxScore(.signedIn(favoriteTeams: many))
        try await world.screen.wait { $0.has(button: "Unfollow Miami Heat") }
        #expect(try world.screen.isEnabled("Unfollow Miami Heat"))
        #expect(try !world.screen.isEnabled("Follow Boston Celtics"))
    }

    @Test("A9: a guest's tap on a team is carried out after the sign-up, and forgotten without one")
    func guestFollows() async throws {
        let world = await World.boxScore()
        try await world.screen.wait(for: "Miami Heat")
        try await world.screen.tap("Follow Boston Celtics")
        try await world.screen.tap("Continue as Guest")
        try await world.screen.tap("Follow Miami Heat")
        try await world.screen.tap("Create Account")
        for (field, text) in [("Name", "Ada"), ("Email", "ada@example.com"), ("Password", Fixtures.password)] {
            try await world.screen.type(text, into: field)
        }
        try await world.screen.type(Fixtures.password, into: "Confirm Password")
        try await world.screen.submit("Confirm Password")
        try await world.screen.wait { $0.has(button: "Unfollow Miami Heat") }
        #expect(world.service.favoriteTeams == ["nba_2"])
    }

    @Test("C8: the menu chooses a league")
    func menu() async throws {
        let world = await World.boxScore()
        try await world.screen.wait(for: "NFL")
        try await world.screen.tap("Menu")
        #expect(try world.screen.isOn("All Leagues"))
        try await world.screen.tap("NFL")
        #expect(world.screen.presentations.isEmpty)
        #expect(!world.screen.shows("Miami Heat"))
        #expect(world.screen.shows("Kansas City Chiefs"))
        try await world.screen.tap("Menu")
        #expect(try world.screen.isOn("NFL"))
        try await world.screen.tap("All Leagues")
        #expect(world.screen.shows("Miami Heat"))
    }

    @Test("Teams that failed to load can be loaded again")
    func teamsFail() async throws {
        let gateway = FlakyTeams()
        let world = await World.boxScore(teams: { try await gateway.load() })
        try await world.screen.wait(for: "The teams couldn't be loaded.")
        #expect(world.screen.has(button: "Sign in"))
        try await world.screen.tap("Try Again")
        try await world.screen.wait(for: "Miami Heat")
    }

    @Test("E7: a session that the server ended shows a message, and the rest stays usable")
    func ended() async throws {
        let world = await World.boxScore(.signedIn())
        world.service.endSession(.endedByServer(.sessionExpired))
        try await world.screen.wait(for: "Session expired. Please sign in again.")
        #expect(world.screen.has(button: "Sign in"))
        #expect(world.screen.shows("Miami Heat"))
    }

    @Test("A4: a start without a connection shows the user")
    func offline() async throws {
        let service = InMemoryAuthService.signedIn()
        service.stay(.offline)
        let world = await World.boxScore(service)
        try await world.screen.wait(for: World.offline)
        #expect(world.screen.has(button: "Your profile"))
    }
}

private actor FlakyTeams {
    private var count = 0

    func load() throws -> [Team] {
        count += 1
        if count == 1 { throw AuthClientError.refused(AuthRefusal(status: 503, code: nil)) }
        return World.teams
    }
}
