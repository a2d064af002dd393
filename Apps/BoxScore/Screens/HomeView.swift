import Gatehouse
import GatehouseModel
import GatehouseUI
public import SwiftUI

/// The home screen: all teams for everyone, and the favourites of the signed-in user.
///
/// Requires `gatehouse(_:branding:)` above.
public struct HomeView: View {
    @Environment(AuthManager.self) private var manager
    private let teams: @Sendable () async throws -> [Team]

    /// - Parameter teams: Loads the teams of all leagues, without a session.
    public init(teams: @escaping @Sendable () async throws -> [Team]) { self.teams = teams }

    public var body: some View { HomeScreen(model: HomeModel(manager: manager, fetch: teams)) }
}

private struct HomeScreen: View {
    @Environment(AuthManager.self) private var manager
    @State private var model: HomeModel
    @State private var showsAccount = false
    @State private var showsMenu = false
    @State private var attempt = 0

    init(model: HomeModel) { _model = State(initialValue: model) }

    var body: some View {
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
        .onChange(of: manager.isProfileLoaded) { model.followWanted() }
        .onChange(of: showsAccount) { _, isShown in if !isShown { model.forgetWanted() } }
        .sheet(isPresented: $showsMenu) { LeagueMenu(model: model) }
        .accountSheet(isPresented: $showsAccount)
        .profileSections { _ in TeamsSection(model: model) }
    }

    private var failure: some View {
        VStack(spacing: 12) {
            Spacer()
            Text("The teams couldn't be loaded.", bundle: .module)
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
                    ForEach(league.teams) { team in
                        TeamRow(team: team, isFollowed: model.favorites.contains(team.id)) {
                            if !model.toggle(team.id) { showsAccount = true }
                        }
                        .disabled(!model.canToggle(team.id))
                    }
                } header: {
                    Text(verbatim: league.name)
                }
            }
        }
        .refreshable { await model.refresh() }
    }

    /// Notices that do not block the rest of the screen.
    @ViewBuilder private var notice: some View {
        if manager.user?.firstName != nil || manager.error != nil {
            Section {
                if let name = manager.user?.firstName {
                    Group {
                        if manager.isNewUser {
                            Text("Welcome, \(name)", bundle: .module)
                        } else {
                            Text("Welcome back, \(name)", bundle: .module)
                        }
                    }
                    .font(.headline)
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
                if model.isLoaded, model.favorites.isEmpty {
                    Text("Teams you follow appear here.", bundle: .module).foregroundStyle(.secondary)
                }
                ForEach(model.namedFavorites, id: \.id) { Text(verbatim: $0.name) }
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

    private func load() async {
        if !manager.isProfileLoaded, !manager.isLoading { manager.reloadProfile() }
        await model.load()
    }
}
