package import GatehouseWire
import HTTPServing
import HTTPTypes
package import Hummingbird
import NIOCore

/// A team id of the form `league_identifier`, such as `nba_1610612744`.
enum TeamIdentifier {
    static let maximumLength = 50

    /// `[a-z][a-z0-9]*_[A-Za-z0-9-]+`, at most 50 characters. Accepts any league, because apps may know more than this
    /// file.
    static func isWellFormed(_ text: String) -> Bool {
        let utf8 = text.utf8
        guard utf8.count <= maximumLength, let bar = utf8.firstIndex(of: UInt8(ascii: "_")) else { return false }
        let league = utf8[..<bar]
        let identifier = utf8[bar...].dropFirst()
        guard league.first?.isLetter == true, !identifier.isEmpty else { return false }
        return league.allSatisfy(\.isLowerAlphanumeric)
            && identifier.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
    }
}

/// The data file has an unexpected structure.
package struct DamagedTeamFile: Error, Equatable {}

/// The teams of the data file, with every response encoded once.
package struct TeamCatalogue: Sendable {
    package let teams: [LeagueTeam]
    private let all: Response
    private let byLeague: [ExternalName: Response]

    /// Reads the file embedded in the program.
    ///
    /// - Throws: As ``init(file:)``.
    package init() throws { try self.init(file: PackageResources.teams_json) }

    /// - Throws: ``DamagedTeamFile``, or `JSONProblem` for invalid JSON.
    package init(file: [UInt8]) throws {
        guard let list = try JSONReader.read(file).arrayValue else { throw DamagedTeamFile() }
        teams = try list.map(Self.team)
        all = Self.answer(teams)
        byLeague = Dictionary(grouping: teams) { ExternalName(trusted: $0.league) }.mapValues(Self.answer)
    }

    /// - Parameter league: nil or empty for every league.
    /// - Returns: nil for a league that is not in the file.
    package func response(league: String?) -> Response? {
        guard let league, !league.isEmpty else { return all }
        return ExternalName(league).flatMap { byLeague[$0] }
    }

    private static func team(_ json: AnyJSON) throws -> LeagueTeam {
        // Lost: which member is missing.
        guard let team = try? LeagueTeam(json: json), TeamIdentifier.isWellFormed(team.id),
            team.id.hasPrefix(team.league + "_")
        else { throw DamagedTeamFile() }
        return team
    }

    private static func answer(_ teams: [LeagueTeam]) -> Response {
        var response = Answer.json(capacity: teams.count * 128) { writer in
            writer.beginObject()
            writer.list("teams", teams) { $1.write(to: &$0) }
            writer.endObject()
        }
        response.headers.append(HTTPField(name: .cacheControl, value: "public, max-age=3600"))
        return response
    }
}
