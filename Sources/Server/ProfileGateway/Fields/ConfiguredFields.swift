import GatehouseWire
import HTTPServing

package struct ConfiguredFields: Sendable {
    /// Allowed in `favorite_teams`; without them profiles lack the member.
    package var teams: TeamCatalogue?
    /// For `data`; nil allows every object within ``ProfileData``.
    package var schema: DataSchema?

    package init(teams: TeamCatalogue? = nil, schema: DataSchema? = nil) {
        (self.teams, self.schema) = (teams, schema)
    }

    func existing(_ names: [String]) -> [String] {
        teams == nil ? names.filter { $0 != ProfileChanges.teamsName } : names
    }

    /// - Parameter stored: The profile's teams, which may stay.
    /// - Throws: ``InvalidProfileChange`` with `UNKNOWN_TEAM` for the first other unknown team.
    func check(_ given: [String], stored: [AuthJSON]) throws(InvalidProfileChange) {
        for (index, team) in given.enumerated() where !isKnown(team) && !stored.contains(.string(team)) {
            throw InvalidProfileChange(
                message: "\(ProfileChanges.teamsName)[\(index)] is not a team of GET /v1/teams.",
                code: RefusalCode("UNKNOWN_TEAM"), field: "/\(ProfileChanges.teamsName)/\(index)")
        }
    }

    func isKnown(_ team: String) -> Bool { ExternalName(team).map { teams?.ids.contains($0) == true } ?? false }
}
