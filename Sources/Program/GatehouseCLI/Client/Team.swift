import Foundation
package import Gatehouse

/// From the server's catalogue.
package struct Team: Hashable, Sendable {
    let id, league, name, city, abbreviation: String

    package init?(_ json: AuthJSON) {
        guard let id = json["id"]?.stringValue, let league = json["league"]?.stringValue,
            let name = json["name"]?.stringValue, let city = json["city"]?.stringValue,
            let abbreviation = json["abbreviation"]?.stringValue
        else { return nil }
        (self.id, self.league, self.name, self.city, self.abbreviation) = (id, league, name, city, abbreviation)
    }

    /// - Throws: ``ClientFailure`` with the code `no_team_catalogue`, or `AuthClientError`.
    static func all(_ gateway: GatewayClient, league: String?) async throws -> [Team] {
        let query = league.map { [URLQueryItem(name: "league", value: $0)] } ?? []
        let answer: AuthJSON?
        do {
            answer = try await gateway.send(.get, "/v1/teams", query: query, needsToken: false)
        } catch AuthClientError.refused(let refusal) where refusal.status == 404 {
            throw ClientFailure("no_team_catalogue", "This server has no team catalogue.", exit: .refused)
        }
        guard let list = answer?["teams"]?.arrayValue else { throw AuthClientError.unexpectedAnswer("teams") }
        return list.compactMap(Team.init)
    }
}

extension ProfileSummary {
    /// nil if the server has no team catalogue.
    var favoriteTeams: [String]? { others["favorite_teams"]?.arrayValue?.compactMap(\.stringValue) }
}
