import GatehouseWire
import HTTPTypes
import Hummingbird
import ProfileGateway
import Testing

@Suite("Teams")
struct TeamCatalogueTests {
    @Test("Every league is complete", arguments: [("nba", 30), ("nfl", 32), ("nhl", 32), ("mlb", 30)])
    func complete(_ league: String, _ count: Int) throws {
        let teams = try TeamCatalogue().teams.filter { $0.league == league }
        #expect(teams.count == count)
        #expect(Set(teams.map(\.name)).count == count)
        #expect(Set(teams.map(\.abbreviation)).count == count)
        #expect(teams.allSatisfy { !$0.city.isEmpty })
    }

    @Test("Every identifier is unique, and there are no other leagues")
    func unique() throws {
        let teams = try TeamCatalogue().teams
        #expect(Set(teams.map(\.id)).count == teams.count)
        #expect(teams.count == 124)
        #expect(teams.contains { $0.id == "nba_1610612744" && $0.name == "Golden State Warriors" })
    }

    @Test("Every identifier can be a favorite")
    func favourites() throws {
        for team in try TeamCatalogue().teams {
            let members = try JSONMembers(Array(#"{"favorite_teams":["\#(team.id)"]}"#.utf8))
            #expect(try ProfileChanges(members, allowed: ProfileChanges.summaryFields).favoriteTeams == [team.id])
        }
    }

    @Test("An unknown league has no teams")
    func league() throws {
        let catalogue = try TeamCatalogue()
        #expect(catalogue.response(league: "cricket") == nil)
        #expect(catalogue.response(league: "nba")?.headers[.cacheControl] == "public, max-age=3600")
        #expect(catalogue.response(league: nil)?.status == .ok)
    }

    @Test("A damaged file is refused", arguments: ["{}", "[{}]", #"[{"id":"x","league":"nba"}]"#])
    func damaged(_ file: String) {
        #expect(throws: DamagedTeamFile.self) { try TeamCatalogue(file: Array(file.utf8)) }
    }
}
