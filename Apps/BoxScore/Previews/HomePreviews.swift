#if DEBUG
import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseUI
import SwiftUI

/// The home screen with in-memory accounts.
private struct HomePreview: View {
    @State private var manager: AuthManager
    private let teams: @Sendable () async throws -> [Team]

    init(
        _ service: InMemoryAuthService, teams: @escaping @Sendable () async throws -> [Team] = { Self.teams }
    ) {
        _manager = State(initialValue: service.makeManager())
        self.teams = teams
    }

    var body: some View {
        HomeView(teams: teams).gatehouse(manager, branding: .boxScore, browser: ScriptedProviderSheet(.signsIn(.ada)))
    }

    static let teams = [
        Team(id: "nba_1610612738", league: "nba", name: "Boston Celtics", city: "Boston", abbreviation: "BOS"),
        Team(id: "nba_1610612748", league: "nba", name: "Miami Heat", city: "Miami", abbreviation: "MIA"),
        Team(id: "nfl_12", league: "nfl", name: "Kansas City Chiefs", city: "Kansas City", abbreviation: "KC"),
    ]

    /// A service with a signed-in user, and a fault that occurs afterwards.
    static func user(_ fault: InMemoryAuthService.Fault? = nil, teams: [String] = []) -> InMemoryAuthService {
        let service = InMemoryAuthService.signedIn(favoriteTeams: teams)
        if let fault { service.stay(fault) }
        return service
    }

    static func endedSession() -> InMemoryAuthService {
        let service = InMemoryAuthService.signedIn()
        service.endSession(.endedByServer(.sessionExpired))
        return service
    }
}

#Preview("Guest") { HomePreview(InMemoryAuthService()) }

#Preview("User") { HomePreview(HomePreview.user(teams: ["nba_1610612738"])) }

#Preview("User without teams, dark") { HomePreview(HomePreview.user()).preferredColorScheme(.dark) }

#Preview("User, offline") { HomePreview(HomePreview.user(.offline)) }

#Preview("Store locked") { HomePreview(HomePreview.user(.storeLocked)) }

#Preview("Session ended") { HomePreview(HomePreview.endedSession()) }

#Preview("Teams unavailable") {
    HomePreview(InMemoryAuthService()) { throw AuthClientError.refused(AuthRefusal(status: 503, code: nil)) }
}

#Preview("Teams loading") {
    HomePreview(InMemoryAuthService()) {
        try await SystemDefaults.clock().sleep(.seconds(3_600))
        return []
    }
}

#Preview("Largest text, Arabic") {
    HomePreview(HomePreview.user(teams: ["nba_1610612738"]))
        .environment(\.dynamicTypeSize, .accessibility5)
        .environment(\.locale, Locale(identifier: "ar"))
        .environment(\.layoutDirection, .rightToLeft)
}
#endif
