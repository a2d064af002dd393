import Gatehouse
import SwiftUI

/// The teams on the home screen.
@MainActor @Observable
final class HomeModel {
    enum Phase: Hashable {
        case loading, failed, loaded
    }

    /// A league with its teams, sorted by name.
    struct League: Hashable, Identifiable {
        /// For example `nba`.
        let id: String
        let teams: [LeagueTeam]
        var name: String { id.uppercased() }
    }

    private(set) var phase = Phase.loading
    private(set) var leagues: [League] = []
    /// The selected league; nil for all.
    var chosenLeague: String?
    private let fetch: @Sendable () async throws -> [LeagueTeam]

    init(fetch: @escaping @Sendable () async throws -> [LeagueTeam]) { self.fetch = fetch }

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

    /// The favourites with known names in the user's order, then the ids of the others.
    func favorites(_ ids: [String]) -> [(id: String, name: String)] {
        let names = Dictionary(leagues.flatMap(\.teams).map { ($0.id, $0.name) }) { first, _ in first }
        return ids.map { ($0, names[$0] ?? $0) }
    }
}
