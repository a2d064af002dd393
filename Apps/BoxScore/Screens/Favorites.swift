public import Gatehouse
public import GatehouseModel

/// The limit of the server.
let maximumFavorites = 30

extension AuthenticatedUser {
    /// The ids of the favourite teams in the user's order; empty until `AuthManager.isProfileLoaded`.
    public var favoriteTeams: [String] {
        others["favorite_teams"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}

extension AuthManager {
    /// Changes the favourite teams.
    ///
    /// - Parameters:
    ///   - firstName: At most 50 characters.
    ///   - favoriteTeams: The complete list, at most 30 ids of the server's catalogue; an empty list clears it.
    /// - Throws: As `updateProfile(_:)`.
    public func updateProfile(
        firstName: FieldChange = .keep, favoriteTeams: [String]
    ) async throws(AuthError) {
        let teams = AuthJSON.array(favoriteTeams.map(AuthJSON.string))
        try await updateProfile(ProfileChange(firstName: firstName, others: ["favorite_teams": teams]))
    }
}
