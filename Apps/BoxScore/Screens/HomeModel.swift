import GatehouseModel
import SwiftUI

/// The teams, and those that the user follows.
@MainActor @Observable
final class HomeModel {
    enum Phase: Hashable {
        case loading, failed, loaded
    }

    /// A league with its teams, sorted by name.
    struct League: Hashable, Identifiable {
        /// For example `nba`.
        let id: String
        let teams: [Team]
        var name: String { id.uppercased() }

        /// The league with those of its teams that the text finds.
        func matching(_ search: String) -> League { League(id: id, teams: teams.filter { $0.matches(search) }) }
    }

    private(set) var phase = Phase.loading
    private(set) var leagues: [League] = []
    /// The selected league; nil for all.
    var chosenLeague: String?
    private var isSaving = false
    /// The team that a guest tapped, to follow after the sign-in.
    @ObservationIgnored private var wanted: String?
    private let manager: AuthManager
    private let fetch: @Sendable () async throws -> [Team]

    init(manager: AuthManager, fetch: @escaping @Sendable () async throws -> [Team]) {
        (self.manager, self.fetch) = (manager, fetch)
    }

    var listedLeagues: [League] { leagues.filter { chosenLeague == nil || $0.id == chosenLeague } }

    /// Loads the teams. The current list stays until the new one arrives, even if loading fails.
    func load() async {
        if leagues.isEmpty { phase = .loading }
        do {
            let teams = Dictionary(grouping: try await fetch(), by: \.league)
            leagues = teams.keys.sorted().map { league in
                League(id: league, teams: (teams[league] ?? []).sorted { $0.name < $1.name })
            }
            if !leagues.contains(where: { $0.id == chosenLeague }) { chosenLeague = nil }
            phase = .loaded
        } catch is CancellationError {
            // The screen disappeared; it loads again when it returns.
        } catch {
            phase = leagues.isEmpty ? .failed : .loaded
        }
    }

    /// Loads the teams and the profile.
    func refresh() async {
        async let profile: Void = manager.refreshProfile()
        await load()
        await profile
    }
}

// The favourites.
extension HomeModel {
    /// The ids of the user's teams.
    var favorites: [String] { manager.user?.favoriteTeams ?? [] }

    /// The user's teams with their names, in the user's order; the id of a team that the catalogue does not have.
    var namedFavorites: [(id: String, name: String)] {
        let names = Dictionary(leagues.flatMap(\.teams).map { ($0.id, $0.name) }) { first, _ in first }
        return favorites.map { ($0, names[$0] ?? $0) }
    }

    /// Whether the user's teams are known, so that they can be changed: a change sends the complete list.
    var isLoaded: Bool { manager.isProfileLoaded }

    /// Whether the team's button works. Allows at most 30 teams, and one change at a time. For a guest, a tap leads to
    /// the sign-in.
    func canToggle(_ team: String) -> Bool {
        guard manager.isLoggedIn else { return true }
        return isLoaded && !isSaving && !manager.isLoading
            && (favorites.contains(team) || favorites.count < maximumFavorites)
    }

    /// Follows or unfollows a team.
    ///
    /// - Returns: False for a guest, who has to sign in first; ``followWanted()`` then follows the team.
    func toggle(_ team: String) -> Bool {
        guard manager.isLoggedIn else {
            wanted = team
            return false
        }
        guard canToggle(team) else { return true }
        let others = favorites.filter { $0 != team }
        save(others.count < favorites.count ? others : favorites + [team])
        return true
    }

    /// Follows the team that the user tapped as a guest. Call it when the profile is loaded.
    func followWanted() {
        guard isLoaded, let team = wanted else { return }
        wanted = nil
        if !favorites.contains(team), favorites.count < maximumFavorites { save(favorites + [team]) }
    }

    /// Forgets the team that a guest tapped, unless the guest has signed in.
    func forgetWanted() {
        if !manager.isLoggedIn { wanted = nil }
    }

    private func save(_ teams: [String]) {
        isSaving = true
        Task {
            // Ignored: the screen shows the manager's `error`.
            try? await manager.updateProfile(favoriteTeams: teams)
            isSaving = false
        }
    }

    /// A draft of the user's teams.
    func edit() -> TeamsEditor { TeamsEditor(manager: manager) }
}
