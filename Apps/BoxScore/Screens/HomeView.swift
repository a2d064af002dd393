public import Gatehouse
import GatehouseModel
import GatehouseUI
public import SwiftUI

/// The home screen: all teams for everyone, and the favourites of the signed-in user.
///
/// Requires `gatehouse(_:branding:googleRedirect:clock:calls:)` above.
public struct HomeView: View {
    @State private var model: HomeModel

    /// - Parameter teams: Loads the teams of all leagues, without a session.
    public init(teams: @escaping @Sendable () async throws -> [LeagueTeam]) {
        _model = State(initialValue: HomeModel(fetch: teams))
    }

    public var body: some View { HomeScreen(model: model) }
}

private struct HomeScreen: View {
    /// A tap on a team's button.
    private struct Wish: Hashable {
        let team: String
        let number: Int
    }

    @Environment(AuthManager.self) private var manager
    @Bindable var model: HomeModel
    @State private var showsAccount = false
    @State private var showsMenu = false
    @State private var attempt = 0
    @State private var wish: Wish?

    var body: some View {
        @Bindable var manager = manager
        VStack(spacing: 0) {
            TopNavBar(onMenuTap: { showsMenu = true }, onProfileTap: { showsAccount = true })
            switch model.phase {
            case .loading:
                Spacer()
                ProgressView()
                Spacer()
            case .failed: failure
            case .loaded: list
            }
        }
        .task(id: attempt) { await load() }
        .task(id: wish) { if let wish { await toggle(wish.team) } }
        .sheet(isPresented: $showsMenu) { LeagueMenu(model: model) }
        .accountSheet(isPresented: $showsAccount)
    }

    private var failure: some View {
        VStack(spacing: 12) {
            Spacer()
            Text("The teams could not be loaded.", bundle: .module)
                .foregroundStyle(.secondary)
                .multilineTextAlignment(.center)
            Button {
                attempt += 1
            } label: {
                Text("Try Again", bundle: .module).frame(minWidth: 44, minHeight: 44)
            }
            Spacer()
        }
        .padding(24)
    }

    private var list: some View {
        List {
            notice
            yourTeams
            ForEach(model.listedLeagues) { league in
                Section {
                    ForEach(league.teams, id: \.id) { team in
                        TeamRow(team: team, isFollowed: favorites.contains(team.id)) { tap(team.id) }
                            .disabled(!canToggle(team.id))
                    }
                } header: {
                    Text(verbatim: league.name)
                }
            }
        }
        .refreshable { await load() }
    }

    /// Notices that do not block the rest of the screen.
    @ViewBuilder private var notice: some View {
        if manager.user?.firstName != nil || manager.error != nil {
            Section {
                if let name = manager.user?.firstName {
                    Text("Welcome back, \(name)", bundle: .module).font(.headline)
                }
                if let error = manager.error {
                    Text(LocalizedStringKey(error.message), bundle: .module).foregroundStyle(.secondary)
                }
            }
        } else if case .endedByServer = manager.signedOutReason {
            Section {
                Text("Session expired. Please sign in again.", bundle: .module).foregroundStyle(.secondary)
            }
        }
    }

    @ViewBuilder private var yourTeams: some View {
        if manager.isLoggedIn {
            Section {
                if manager.isProfileLoaded, favorites.isEmpty {
                    Text("Follow a team, and it stands here.", bundle: .module).foregroundStyle(.secondary)
                }
                ForEach(model.favorites(favorites), id: \.id) { Text(verbatim: $0.name) }
            } header: {
                Text("Your Teams", bundle: .module)
            }
        } else if manager.phase != .restoring {
            Section {
                Button {
                    showsAccount = true
                } label: {
                    Text("Sign in to follow your teams", bundle: .module).frame(minHeight: 44)
                }
            }
        }
    }

    private var favorites: [String] { manager.user?.favoriteTeams ?? [] }

    /// Whether the button works. Allows at most 30 teams, one change at a time, and none before the profile is loaded,
    /// because a change sends the complete list. For a signed-out user, a tap opens the account sheet.
    private func canToggle(_ team: String) -> Bool {
        guard manager.isLoggedIn else { return true }
        return manager.isProfileLoaded && !manager.isLoading && (favorites.contains(team) || favorites.count < 30)
    }

    private func load() async {
        if !manager.isProfileLoaded, !manager.isLoading { manager.reloadProfile() }
        await model.load()
    }

    private func tap(_ team: String) {
        guard manager.isLoggedIn else {
            showsAccount = true
            return
        }
        wish = Wish(team: team, number: (wish?.number ?? 0) + 1)
    }

    private func toggle(_ team: String) async {
        guard manager.isProfileLoaded else { return }
        let others = favorites.filter { $0 != team }
        let changed = others.count < favorites.count ? others : favorites + [team]
        // Lost: nothing. A failure is the manager's `error`, which this screen shows.
        try? await manager.updateProfile(favoriteTeams: changed)
    }
}
