import GatehouseWire
import HTTPTypes
import Hummingbird
import ProfileGateway
import Testing

@Suite("Teams")
struct TeamCatalogueTests {
    @Test("An unknown league has no teams")
    func league() throws {
        let catalogue = try TeamCatalogue(file: TestGateway.teams)
        #expect(catalogue.response(league: "cricket") == nil)
        #expect(catalogue.response(league: "nba")?.headers[.cacheControl] == "public, max-age=3600")
        #expect(catalogue.response(league: nil)?.status == .ok)
        #expect(catalogue.ids == ["nba_1", "nhl_2"])
    }

    private static let good = #"{"id":"nba_1","league":"nba","name":"Ones","city":"One","abbreviation":"ONE"}"#

    @Test(
        "A damaged file is refused, and the element named",
        arguments: [
            ("{}", "it is no array"), ("[{}]", "its element 0 is no team"),
            (#"[\#(good),{"id":"x","league":"nba"}]"#, "its element 1 is no team"),
            ("[\(good.replacing("nba_1", with: "nfl_1"))]", "its element 0 is no team"),
            ("[\(good.replacing("nba_1", with: "nba_"))]", "its element 0 is no team"),
            ("[\(good),\(good)]", "its element 1 has the id of another team"),
        ])
    func damaged(_ file: String, _ description: String) {
        do {
            _ = try TeamCatalogue(file: Array(file.utf8))
            Issue.record("the file was accepted")
        } catch {
            #expect((error as? DamagedTeamFile)?.description == description)
        }
    }
}
