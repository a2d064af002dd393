import GatehouseWire
import HTTPServing

/// The fields that a server's configuration adds to profiles.
package struct ConfiguredFields: Sendable {
    /// The teams that `favorite_teams` may name; without them profiles do not have the member.
    package var teams: TeamCatalogue?
    /// What `data` must satisfy; nil allows every object within the limits of ``ProfileData``.
    package var schema: DataSchema?

    package init(teams: TeamCatalogue? = nil, schema: DataSchema? = nil) {
        (self.teams, self.schema) = (teams, schema)
    }

    /// The members of `names` that profiles have.
    func existing(_ names: [String]) -> [String] {
        teams == nil ? names.filter { $0 != ProfileChanges.teamsName } : names
    }

    /// - Parameter stored: The teams of the profile so far. Those that the catalogue no longer has may stay.
    /// - Throws: ``InvalidProfileChange`` with `UNKNOWN_TEAM` for the first other team that the catalogue does not
    ///   have.
    func check(_ given: [String], stored: [AuthJSON]) throws(InvalidProfileChange) {
        for (index, team) in given.enumerated() where !isKnown(team) && !stored.contains(.string(team)) {
            throw InvalidProfileChange(
                message: "\(ProfileChanges.teamsName)[\(index)] is not a team of GET /v1/teams.",
                code: RefusalCode("UNKNOWN_TEAM"), field: "/\(ProfileChanges.teamsName)/\(index)")
        }
    }

    /// Whether the catalogue has the team.
    func isKnown(_ team: String) -> Bool { ExternalName(team).map { teams?.ids.contains($0) == true } ?? false }
}
