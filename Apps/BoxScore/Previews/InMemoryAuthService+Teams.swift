#if DEBUG
import Gatehouse
import GatehouseTesting

extension InMemoryAuthService {
    /// A service with a signed-in user who follows these teams.
    static func signedIn(favoriteTeams: [String]) -> InMemoryAuthService {
        .signedIn(others: ["favorite_teams": .array(favoriteTeams.map(AuthJSON.string))])
    }
}
#endif
