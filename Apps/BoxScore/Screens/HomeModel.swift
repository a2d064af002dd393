import Gatehouse
import SwiftUI

/// The teams that the home screen lists.
@MainActor @Observable
final class HomeModel {
    enum Phase: Hashable {
        case loading, failed, loaded
    }

    /// The teams of a league, by name.
    struct League: Hashable, Identifiable {
        /// Such as `nba`.
        let id: String
        let teams: [LeagueTeam]
        var name: String { id.uppercased() }
    }

    private(set) var phase = Phase.loading
    private(set) var leagues: [League] = []
    /// The one league that is listed; nil for all.
    var chosenLeague: String?
    private let fetch: @Sendable () async throws -> [LeagueTeam]

    init(fetch: @escaping @Sendable () async throws -> [LeagueTeam]) { self.fetch = fetch }

    var listedLeagues: [League] { leagues.filter { chosenLeague == nil || $0.id == chosenLeague } }

    /// What is listed stays until there is something else, also when that fails.
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
            // The screen has gone; it loads when it is back.
        } catch {
            phase = leagues.isEmpty ? .failed : .loaded
        }
    }

    /// The favourites that are known by name, in the person's order, then the identifiers of the others.
    func favorites(_ ids: [String]) -> [(id: String, name: String)] {
        let names = Dictionary(leagues.flatMap(\.teams).map { ($0.id, $0.name) }) { first, _ in first }
        return ids.map { ($0, names[$0] ?? $0) }
    }
}
