import Gatehouse
import GatehouseModel
import GatehouseTesting
import ScreenDriver
import Testing

@testable import BoxScoreScreens

@MainActor @Suite("BoxScore's teams in the profile", .timeLimit(.minutes(5)))
struct TeamsTests {
    private func opened(
        _ teams: [String], fetch: @escaping @Sendable () async throws -> [Team] = { World.teams }
    ) async throws -> World {
        let world = await World.boxScore(.signedIn(favoriteTeams: teams), teams: fetch)
        try await world.screen.wait(for: "Miami Heat")
        try await world.screen.tap("Your profile")
        return world
    }

    @Test("E10, C8: the profile has the teams by name, or says that there are none")
    func names() async throws {
        let world = try await opened(["nba_1", "nba_9"])
        for text in ["Ada, ada@example.com", "Boston Celtics", "nba_9", "Favorite Teams"] {
            #expect(world.screen.shows(text))
        }
        #expect(!world.screen.shows("No favorite teams yet"))
        #expect(world.screen.complaints.isEmpty)
        #expect(try await opened([]).screen.shows("No favorite teams yet"))
    }

    @Test("E10, A9: teams are found by city and abbreviation, chosen, and saved")
    func chosen() async throws {
        let world = try await opened(["nba_1"])
        try await world.screen.tap("Edit Teams")
        try await world.screen.wait { $0.has(field: "Search teams") }
        #expect(world.screen.shows("NBA") && world.screen.shows("NFL"))
        #expect(try world.screen.isOn("Boston Celtics"))
        #expect(try !world.screen.isEnabled("Save"))
        try await world.screen.type("mia", into: "Search teams")
        #expect(!world.screen.has(button: "Boston Celtics") && !world.screen.shows("NFL"))
        try await world.screen.tap("Miami Heat")
        try await world.screen.type("zzz", into: "Search teams")
        #expect(world.screen.shows("No teams found"))
        try await world.screen.tap("Save")
        try await world.screen.wait { $0.title == "Profile" }
        #expect(world.manager.user?.favoriteTeams == ["nba_1", "nba_2"])
        #expect(world.screen.shows("Miami Heat"))
    }

    @Test(
        "A search needs no accents",
        arguments: [("montreal", true), ("MONTRÉAL", true), ("mtl", true), ("montreux", false)])
    func accents(_ search: String, _ isFound: Bool) {
        let team = Team(id: "nhl_8", league: "nhl", name: "Montréal Canadiens", city: "Montréal", abbreviation: "MTL")
        #expect(team.matches(search) == isFound)
    }

    @Test("Unsaved changes ask before they are dropped")
    func unsaved() async throws {
        let world = try await opened(["nba_1"])
        try await world.screen.tap("Edit Teams")
        try await world.screen.wait { $0.has(button: "Miami Heat") }
        #expect(!world.screen.has(button: "Cancel"))
        try await world.screen.tap("Miami Heat")
        #expect(await !world.screen.swipeDown())
        try await world.screen.tap("Cancel")
        #expect(world.screen.shows("Your changes are not saved yet."))
        try await world.screen.tap("Keep Editing")
        #expect(try world.screen.isOn("Miami Heat"))
        try await world.screen.tap("Cancel")
        try await world.screen.tap("Discard Changes")
        try await world.screen.wait { $0.title == "Profile" }
        #expect(world.manager.user?.favoriteTeams == ["nba_1"] && !world.service.calls.contains(.updateProfile))
    }

    @Test("A failed save says so once, and keeps the draft")
    func failed() async throws {
        let world = try await opened(["nba_1"])
        world.service.meet(.offline, at: .updateProfile)
        try await world.screen.tap("Edit Teams")
        try await world.screen.wait { $0.has(button: "Miami Heat") }
        try await world.screen.tap("Miami Heat")
        try await world.screen.tap("Save")
        try await world.screen.wait(for: "The teams couldn't be saved.")
        #expect(world.screen.shows("You're offline. Some features may be unavailable."))
        try await world.screen.tap("OK")
        #expect(world.manager.error == nil)
        #expect(try world.screen.isOn("Miami Heat") && world.screen.isEnabled("Save"))
        try await world.screen.tap("Save")
        try await world.screen.wait { $0.title == "Profile" }
        #expect(world.service.favoriteTeams == ["nba_1", "nba_2"])
    }

    @Test("Names stay names after a failed reload")
    func reload() async throws {
        let answers = Answers()
        let world = try await opened(["nba_1"]) { try await answers.next() }
        #expect(world.screen.shows("Boston Celtics"))
        try await world.screen.tap("Done")
        try await world.screen.pullToRefresh()
        try await world.screen.tap("Your profile")
        #expect(await answers.count == 2)
        #expect(world.screen.shows("Boston Celtics") && !world.screen.shows("nba_1"))
    }

    @Test("Without the teams the profile offers to load them again")
    func unavailable() async throws {
        let answers = Answers(failing: 1)
        let world = await World.boxScore(.signedIn(favoriteTeams: ["nba_1"]), teams: { try await answers.next() })
        try await world.screen.wait(for: "The teams couldn't be loaded.")
        try await world.screen.tap("Your profile")
        #expect(!world.screen.has(button: "Edit Teams"))
        #expect(world.screen.shows("The teams couldn't be loaded."))
        try await world.screen.tap("Try Again")
        try await world.screen.wait { $0.has(button: "Edit Teams") }
        #expect(world.screen.shows("Boston Celtics"))
    }
}

/// One of the loads fails.
private actor Answers {
    private(set) var count = 0
    private let failing: Int

    init(failing: Int = 2) { self.failing = failing }

    func next() throws -> [Team] {
        count += 1
        if count == failing { throw AuthClientError.refused(AuthRefusal(status: 503, code: nil)) }
        return World.teams
    }
}
