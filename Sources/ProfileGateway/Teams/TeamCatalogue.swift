import GatehouseWire
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
        guard let first = league.first, isLower(first), !identifier.isEmpty else { return false }
        return league.allSatisfy { isLower($0) || isDigit($0) }
            && identifier.allSatisfy { isLower($0 | 0x20) || isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// A team in the data file.
package struct Team: Hashable, Sendable {
    package let id: String
    package let league: String
    package let name: String
    package let city: String
    package let abbreviation: String
}

/// The data file has an unexpected structure.
package struct DamagedTeamFile: Error, Equatable {}

/// The teams of the data file, with every response encoded once.
package struct TeamCatalogue: Sendable {
    package let teams: [Team]
    private let all: Response
    private let byLeague: [ExternalName: Response]

    /// Reads the file embedded in the program.
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

    private static func team(_ value: AnyJSON) throws -> Team {
        guard let id = value["id"]?.stringValue, TeamIdentifier.isWellFormed(id),
            let league = value["league"]?.stringValue, id.hasPrefix(league + "_"),
            let name = value["name"]?.stringValue, let city = value["city"]?.stringValue,
            let abbreviation = value["abbreviation"]?.stringValue
        else { throw DamagedTeamFile() }
        return Team(id: id, league: league, name: name, city: city, abbreviation: abbreviation)
    }

    private static func answer(_ teams: [Team]) -> Response {
        var response = Answer.json(capacity: teams.count * 128) { writer in
            writer.beginObject()
            writer.name("teams")
            writer.beginArray()
            for team in teams {
                writer.beginObject()
                writer.member("id", team.id)
                writer.member("league", team.league)
                writer.member("name", team.name)
                writer.member("city", team.city)
                writer.member("abbreviation", team.abbreviation)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        response.headers.append(HTTPField(name: .cacheControl, value: "public, max-age=3600"))
        return response
    }
}
