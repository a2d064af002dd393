/// A team, for displaying the name of a stored id.
public struct LeagueTeam: Hashable, Sendable {
    /// The id of the form `league_identifier`, as in ``ProfileSummary/favoriteTeams``.
    public var id: String
    /// For example `nba`.
    public var league: String
    /// For example `Golden State Warriors`.
    public var name: String
    /// For example `Golden State`.
    public var city: String
    /// For example `GSW`.
    public var abbreviation: String

    /// For tests and previews.
    public init(id: String, league: String, name: String, city: String, abbreviation: String) {
        self.id = id
        self.league = league
        self.name = name
        self.city = city
        self.abbreviation = abbreviation
    }
}

extension LeagueTeam {
    /// - Throws: ``WireProblem`` for a missing member.
    package init(json: AnyJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "team")
        self.init(
            id: try members.required("id"), league: try members.required("league"),
            name: try members.required("name"), city: try members.required("city"),
            abbreviation: try members.required("abbreviation"))
    }

    /// Reads `{"teams":[…]}`.
    ///
    /// - Throws: ``WireProblem`` without the array, or for a missing member of an element.
    package static func list(json: AnyJSON) throws(WireProblem) -> [LeagueTeam] {
        try WireMembers.list("teams", of: json, LeagueTeam.init(json:))
    }

    /// Writes the team as ``init(json:)`` reads it.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("league", league)
        writer.member("name", name)
        writer.member("city", city)
        writer.member("abbreviation", abbreviation)
        writer.endObject()
    }
}
