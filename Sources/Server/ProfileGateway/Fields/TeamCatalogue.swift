package import GatehouseWire
import HTTPServing
import HTTPTypes
package import Hummingbird
import NIOCore

/// `league_identifier`, such as `nba_1610612744`.
enum TeamIdentifier {
    static let maximumLength = 50

    /// `[a-z][a-z0-9]*_[A-Za-z0-9-]+`, at most 50 characters.
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

/// Never quotes an element.
package struct DamagedTeamFile: Error, Equatable, CustomStringConvertible {
    package let description: String
}

/// Encodes every response once.
package struct TeamCatalogue: Sendable {
    package let ids: Set<ExternalName>
    private let all: Response
    private let byLeague: [ExternalName: Response]

    /// - Parameter file: A JSON array of objects with the texts `id`, `league`, `name`, `city` and `abbreviation`. A
    ///   unique ID begins with its league and `_`, as in `nba_1610612744`.
    /// - Throws: ``DamagedTeamFile``, or `JSONProblem` for invalid JSON.
    package init(file: [UInt8]) throws {
        guard let list = try JSONReader.read(file).arrayValue else {
            throw DamagedTeamFile(description: "it is no array")
        }
        var (ids, teams): (Set<ExternalName>, [Team]) = ([], [])
        for (index, json) in list.enumerated() {
            guard let team = Team(json), let id = ExternalName(team.id), TeamIdentifier.isWellFormed(team.id),
                team.id.hasPrefix(team.league + "_")
            else { throw DamagedTeamFile(description: "its element \(index) is no team") }
            guard ids.insert(id).inserted else {
                throw DamagedTeamFile(description: "its element \(index) has the id of another team")
            }
            teams.append(team)
        }
        self.ids = ids
        all = Self.answer(teams)
        byLeague = Dictionary(grouping: teams) { ExternalName(trusted: $0.league) }.mapValues(Self.answer)
    }

    /// - Parameter league: nil or empty for every league.
    /// - Returns: nil for an unknown league.
    package func response(league: String?) -> Response? {
        guard let league, !league.isEmpty else { return all }
        return ExternalName(league).flatMap { byLeague[$0] }
    }

    private static func answer(_ teams: [Team]) -> Response {
        var response = Answer.json(capacity: teams.count * 128) { writer in
            writer.beginObject()
            writer.list("teams", teams) { $1.write(to: &$0) }
            writer.endObject()
        }
        response.headers.append(HTTPField(name: .cacheControl, value: "public, max-age=3600"))
        return response
    }
}

private struct Team {
    let id, league, name, city, abbreviation: String

    init?(_ json: AuthJSON) {
        guard let id = json["id"]?.stringValue, let league = json["league"]?.stringValue,
            let name = json["name"]?.stringValue, let city = json["city"]?.stringValue,
            let abbreviation = json["abbreviation"]?.stringValue
        else { return nil }
        (self.id, self.league, self.name, self.city, self.abbreviation) = (id, league, name, city, abbreviation)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("league", league)
        writer.member("name", name)
        writer.member("city", city)
        writer.member("abbreviation", abbreviation)
        writer.endObject()
    }
}
