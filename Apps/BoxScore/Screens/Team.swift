import Foundation
public import Gatehouse

/// A team of the server's catalogue (`teams.json`, next to this folder).
public struct Team: Hashable, Sendable, Identifiable {
    /// The id of the form `league_identifier`, such as `nba_1610612744`.
    public var id: String
    /// For example `nba`.
    public var league: String
    /// For example `Golden State Warriors`.
    public var name: String
    /// For example `Golden State`.
    public var city: String
    /// For example `GSW`.
    public var abbreviation: String

    public init(id: String, league: String, name: String, city: String, abbreviation: String) {
        self.id = id
        self.league = league
        self.name = name
        self.city = city
        self.abbreviation = abbreviation
    }

    /// - Returns: nil without one of the texts.
    init?(_ json: AuthJSON) {
        guard let id = json["id"]?.stringValue, let league = json["league"]?.stringValue,
            let name = json["name"]?.stringValue, let city = json["city"]?.stringValue,
            let abbreviation = json["abbreviation"]?.stringValue
        else { return nil }
        self.init(id: id, league: league, name: name, city: city, abbreviation: abbreviation)
    }

    /// Whether name, city or abbreviation contain the text, in any case and without regard to accents.
    func matches(_ search: String) -> Bool {
        search.isEmpty || [name, city, abbreviation].contains { $0.localizedStandardContains(search) }
    }
}

extension GatewayClient {
    /// Returns the teams that can be favourites. Needs no session.
    ///
    /// - Parameter league: A league such as `nba`; nil for all.
    /// - Throws: `AuthClientError` or `CancellationError`: `refused` with `BAD_REQUEST` for an unknown league, and with
    ///   `NOT_FOUND` at a server without a catalogue.
    public func teams(league: String? = nil) async throws -> [Team] {
        let query = league.map { [URLQueryItem(name: "league", value: $0)] } ?? []
        guard let list = try await send(.get, "/v1/teams", query: query, needsToken: false)?["teams"]?.arrayValue else {
            throw AuthClientError.unexpectedAnswer("teams: expected an array")
        }
        return list.compactMap(Team.init)
    }
}
